import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, change, get } from '../../api/client.ts';
import { type Role, useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Field } from '../../base/field.tsx';
import { Card, Empty } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { Time } from '../../base/values.tsx';
import { accountsText } from '../../forms/account-field.tsx';
import { endOf } from '../../forms/days.ts';
import { SecretDialog } from '../../forms/secret-dialog.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import { GrantFields, rolesText } from './grant-fields.tsx';

const key = ['api-keys'] as const;

type ApiKey = Answer<'/api/v1/api-keys'>['keys'][number];

/** The keys of programs that call the API. */
export function KeysPanel() {
  const isAdmin = useRole('admin');
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const keys = useQuery({ queryKey: key, queryFn: () => get('/api/v1/api-keys') });
  const revoke = useChange((name: string) => change('/api/v1/api-keys/{name}/revoke', { path: { name }, body: {} }), {
    reads: [key],
    done: () => t('people.revoked'),
  });
  return (
    <Card
      isFlush
      title={t('people.tab.keys')}
      actions={
        isAdmin && (
          <Button look="main-action" onClick={() => setMaking(true)}>
            {t('people.make_key')}
          </Button>
        )
      }
    >
      {revoke.error !== null && <Failure error={revoke.error} />}
      <Loaded query={keys}>
        {({ keys: rows }) => <KeyTable keys={rows} onRevoke={(name) => revoke.mutate(name)} />}
      </Loaded>
      {isMaking && (
        <KeyDialog
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false);
            setSecret(made);
          }}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={t('people.key')}
          help={t('people.key_help')}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </Card>
  );
}

function KeyTable({ keys, onRevoke }: { keys: readonly ApiKey[]; onRevoke: (name: string) => void }) {
  const isAdmin = useRole('admin');
  return (
    <Table
      caption={t('people.tab.keys')}
      rows={keys}
      keyOf={({ key_id }) => key_id}
      stacks
      empty={
        <Empty title={t('people.no_keys')}>
          <p>{t('people.no_keys_help')}</p>
        </Empty>
      }
      columns={[
        { id: 'name', label: t('people.program'), isHead: true, cell: ({ name }) => name },
        { id: 'roles', label: t('shell.roles'), cell: ({ roles }) => rolesText(roles) },
        { id: 'accounts', label: t('shell.accounts'), cell: ({ accounts }) => accountsText(accounts) },
        { id: 'used', label: t('people.used'), cell: ({ last_used_at }) => <Time at={last_used_at} /> },
        { id: 'until', label: t('people.until'), cell: ({ expires_at }) => <Time at={expires_at} /> },
        {
          ...{ id: 'revoke', label: t('people.revoke'), isAction: true },
          cell: ({ name, revoked_at }) =>
            revoked_at !== null ? (
              <span className="badge">{t('people.revoked')}</span>
            ) : (
              isAdmin && <Button onClick={() => onRevoke(name)}>{t('people.revoke')}</Button>
            ),
        },
      ]}
    />
  );
}

function KeyDialog({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<Role[]>(['audit']);
  const [accounts, setAccounts] = useState<string[]>([]);
  const [lastDay, setLastDay] = useState('');
  // The end of the day in the reader's zone.
  const expires = lastDay === '' ? {} : { expires: new Date(endOf(lastDay)).toISOString() };
  const body = { name: name.trim(), roles, accounts, ...expires };
  const make = useChange(() => change('/api/v1/api-keys', { body }), {
    reads: [key],
    onDone: ({ secret }) => onMade(secret),
  });
  return (
    <Dialog
      title={t('people.make_key')}
      onClose={onClose}
      onSubmit={() => make.mutate()}
      submitText={t('people.make')}
      work={make}
    >
      <Field label={t('people.program')} help={t('people.program_help')} required value={name} onText={setName} />
      <GrantFields roles={roles} accounts={accounts} onRoles={setRoles} onAccounts={setAccounts} />
      <Field label={t('people.until')} help={t('people.until_help')} type="date" value={lastDay} onText={setLastDay} />
    </Dialog>
  );
}
