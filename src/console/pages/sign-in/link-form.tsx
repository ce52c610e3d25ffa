import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Session } from '../../api/session.ts';
import { redeemLink, showLink } from '../../api/sign-in.ts';
import { Button } from '../../base/button.tsx';
import { Field } from '../../base/field.tsx';
import { Loading } from '../../base/page.tsx';
import { currentLanguage, t } from '../../texts/i18n.ts';
import { Refusal } from './refusal.tsx';
import { useWork } from './use-work.ts';

/** The server's minimum: a shorter one is refused. */
const passwordCharactersMin = 12;

/** A one-time link: the person sets a password, and the first administrator chooses a name as well. */
export function LinkForm({ onDone }: { onDone: (session: Session) => void }) {
  // The token is after "#", which is sent to no server and is in no log.
  const token = location.hash.slice(1);
  const link = useQuery({ queryKey: ['link', token], queryFn: () => showLink(token), retry: false });
  if (link.error !== null)
    return (
      <>
        <Refusal error={link.error} />
        <a href="/">{t('sign_in.submit')}</a>
      </>
    );
  if (link.data === undefined) return <Loading />;
  return <PasswordForm token={token} known={link.data.name} onDone={onDone} />;
}

function PasswordForm({
  token,
  known,
  onDone,
}: {
  token: string;
  known: string | null;
  onDone: (session: Session) => void;
}) {
  const [name, setName] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const { error, isBusy, run } = useWork();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const chosen = known === null ? { name: name.trim() } : {};
    void run(async () => onDone(await redeemLink({ token, password, language: currentLanguage(), ...chosen })));
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p>{known === null ? t('link.first') : t('link.help', { name: known })}</p>
      <Field
        label={t('sign_in.name')}
        help={known === null ? t('link.name_help') : undefined}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        readOnly={known !== null}
        value={name}
        onText={setName}
      />
      <Field
        label={t('link.password')}
        help={t('link.password_help', { n: passwordCharactersMin })}
        type="password"
        name="password"
        autoComplete="new-password"
        minLength={passwordCharactersMin}
        required
        value={password}
        onText={setPassword}
      />
      <Refusal error={error} />
      <Button type="submit" look="main-action" className="wide" isBusy={isBusy}>
        {t('link.submit')}
      </Button>
    </form>
  );
}
