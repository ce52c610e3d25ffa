import { useState } from 'react';
import { change } from '../../api/client.ts';
import type { Role } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Failure } from '../../base/failure.tsx';
import { Field } from '../../base/field.tsx';
import { useChange } from '../../forms/use-change.ts';
import { currentLanguage, t } from '../../texts/i18n.ts';
import { GrantFields } from './grant-fields.tsx';
import { type Person, peopleKey } from './person.ts';
import '../../styles/choices.css';

interface PersonDialogProps {
  /** Null: a new person. */
  person: Person | null;
  onClose: () => void;
  /** A one-time link was made, which is shown once. */
  onLink: (link: { name: string; token: string }) => void;
}

/** Adds a person, or changes what a person may do. */
export function PersonDialog({ person, onClose, onLink }: PersonDialogProps) {
  const [name, setName] = useState(person?.name ?? '');
  const [displayName, setDisplayName] = useState(person?.display_name ?? '');
  const [email, setEmail] = useState(person?.email ?? '');
  const [roles, setRoles] = useState<Role[]>(person?.roles ?? ['prepare']);
  const [accounts, setAccounts] = useState<string[]>(person?.accounts ?? []);
  const save = useChange(
    async () => {
      const fields = { display_name: displayName.trim(), roles, accounts };
      if (person !== null) {
        const body = { ...fields, email: email.trim() === '' ? null : email.trim() };
        await change('/api/v1/users/{name}/change', { path: { name: person.name }, body, etag: person.etag });
        return null;
      }
      const given = email.trim() === '' ? {} : { email: email.trim() };
      // Until the person chooses another one.
      const language = currentLanguage();
      const made = await change('/api/v1/users', { body: { name: name.trim(), language, ...fields, ...given } });
      return { name: made.user.name, token: made.link.token };
    },
    {
      reads: [peopleKey],
      done: (link) => (link === null ? t('people.saved') : null),
      onDone: (link) => (link === null ? onClose() : onLink(link)),
    },
  );
  return (
    <Dialog
      title={person === null ? t('people.add') : person.display_name}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      work={save}
    >
      {person === null && (
        <Field
          label={t('sign_in.name')}
          help={`${t('link.name_help')} ${t('people.name_help')}`}
          required
          value={name}
          onText={setName}
        />
      )}
      <Field label={t('people.display_name')} required value={displayName} onText={setDisplayName} />
      <Field label={t('people.email')} help={t('people.email_help')} type="email" value={email} onText={setEmail} />
      <GrantFields roles={roles} accounts={accounts} onRoles={setRoles} onAccounts={setAccounts} />
      {person !== null && <AccessActions person={person} onClose={onClose} onLink={onLink} />}
    </Dialog>
  );
}

/** Disables a person, or gives them a new link after they have lost the password or the second factor. */
function AccessActions({ person: { name, disabled_at }, onClose, onLink }: PersonDialogProps & { person: Person }) {
  const reset = useChange(() => change('/api/v1/users/{name}/reset', { path: { name }, body: {} }), {
    reads: [peopleKey],
    onDone: ({ link }) => onLink({ name, token: link.token }),
  });
  const disable = useChange(
    () => change('/api/v1/users/{name}/change', { path: { name }, body: { disabled: disabled_at === null } }),
    { reads: [peopleKey], done: () => t('people.saved'), onDone: onClose },
  );
  const error = reset.error ?? disable.error;
  return (
    <fieldset className="choices">
      <legend>{t('people.access')}</legend>
      <p className="help">{t('people.access_help')}</p>
      {error !== null && <Failure error={error} />}
      <div className="line">
        <Button onClick={() => reset.mutate()} isBusy={reset.isPending}>
          {t('people.reset')}
        </Button>
        <Button look="danger" onClick={() => disable.mutate()} isBusy={disable.isPending}>
          {disabled_at === null ? t('base.disable') : t('base.enable')}
        </Button>
      </div>
    </fieldset>
  );
}
