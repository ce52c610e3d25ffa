import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { Card } from '../../base/page.tsx';
import { type Column, Table } from '../../base/table.tsx';
import { accountsText } from '../../forms/account-field.tsx';
import { t } from '../../texts/i18n.ts';
import { rolesText } from './grant-fields.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { type Person, peopleKey } from './person.ts';
import { PersonDialog } from './person-dialog.tsx';

/** The people of the console, with their roles and factors. */
export function PeoplePanel() {
  const isAdmin = useRole('admin');
  const [editing, setEditing] = useState<Person | 'new' | null>(null);
  const [link, setLink] = useState<{ name: string; token: string } | null>(null);
  const people = useQuery({ queryKey: peopleKey, queryFn: () => get('/api/v1/users') });
  return (
    <Card
      isFlush
      title={t('people.tab.people')}
      actions={
        isAdmin && (
          <Button look="main-action" onClick={() => setEditing('new')}>
            {t('people.add')}
          </Button>
        )
      }
    >
      <Loaded query={people}>
        {({ users }) => (
          <Table
            caption={t('people.tab.people')}
            rows={users}
            keyOf={({ name }) => name}
            stacks
            columns={[
              { id: 'name', label: t('sign_in.name'), isHead: true, cell: (one) => <NameCell person={one} /> },
              { id: 'roles', label: t('shell.roles'), cell: ({ roles }) => rolesText(roles) },
              { id: 'accounts', label: t('shell.accounts'), cell: ({ accounts }) => accountsText(accounts) },
              { id: 'factor', label: t('people.factor'), cell: factorText },
              { id: 'state', label: t('base.state'), cell: (one) => <StateCell person={one} /> },
              ...(isAdmin ? [changeColumn(setEditing)] : []),
            ]}
          />
        )}
      </Loaded>
      {editing !== null && (
        <PersonDialog
          person={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onLink={(made) => {
            setEditing(null);
            setLink(made);
          }}
        />
      )}
      {link !== null && <LinkDialog {...link} onClose={() => setLink(null)} />}
    </Card>
  );
}

function changeColumn(onChange: (person: Person) => void): Column<Person> {
  return {
    ...{ id: 'change', label: t('base.change'), isAction: true },
    cell: (one) => <Button onClick={() => onChange(one)}>{t('base.change')}</Button>,
  };
}

function NameCell({ person: { name, display_name } }: { person: Person }) {
  return (
    <>
      {display_name}
      {display_name !== name && <div className="quiet small wrap">{name}</div>}
    </>
  );
}

function factorText({ has_totp, passkeys }: Person): string {
  if (passkeys > 0) return t('people.factor.passkey');
  return has_totp ? t('people.factor.totp') : t('base.none');
}

function StateCell({ person: { disabled_at, has_password } }: { person: Person }) {
  const [tone, text] =
    disabled_at !== null
      ? ['', t('people.disabled')]
      : has_password
        ? ['tone-good', t('people.active')]
        : ['tone-attention', t('people.invited')];
  return (
    <div>
      <span className={`badge ${tone}`}>{text}</span>
    </div>
  );
}
