import { type FormEvent, useState } from 'react';
import type { Session } from '../../api/session.ts';
import { type Factor, signIn, signInByCode, signInByPasskey } from '../../api/sign-in.ts';
import { Button } from '../../base/button.tsx';
import { Field } from '../../base/field.tsx';
import { t } from '../../texts/i18n.ts';
import { Refusal } from './refusal.tsx';
import { useWork } from './use-work.ts';
import '../../styles/sign-in.css';

/** Name and password, and then the second factor. `name`: whose session has ended. */
export function SignInForm({ name: known = '', onDone }: { name?: string; onDone: (session: Session) => void }) {
  const [name, setName] = useState(known);
  const [password, setPassword] = useState('');
  const [factors, setFactors] = useState<Factor[] | null>(null);
  const { error, isBusy, run } = useWork();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const answer = await signIn(name.trim(), password);
      if ('next' in answer) setFactors(answer.factors);
      else onDone(answer);
    });
  };
  const byPasskey = () => void run(async () => onDone(await signInByPasskey()));
  if (factors !== null) return <SecondStep factors={factors} onDone={onDone} />;
  return (
    <form className="stack" onSubmit={submit}>
      <Field
        label={t('sign_in.name')}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={name}
        onText={setName}
      />
      <Field
        label={t('sign_in.password')}
        type="password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onText={setPassword}
      />
      <Refusal error={error} />
      <Button type="submit" look="main-action" className="wide" isBusy={isBusy}>
        {t('sign_in.submit')}
      </Button>
      <Button className="wide" onClick={byPasskey}>
        {t('sign_in.by_passkey')}
      </Button>
    </form>
  );
}

/** The second factor: a passkey, or a code of the app. */
function SecondStep({ factors, onDone }: { factors: Factor[]; onDone: (session: Session) => void }) {
  const [code, setCode] = useState('');
  const { error, isBusy, run } = useWork();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => onDone(await signInByCode(code.trim())));
  };
  const byPasskey = () => void run(async () => onDone(await signInByPasskey()));
  const hasCode = factors.includes('totp');
  return (
    <form className="stack" onSubmit={submit}>
      <p>{hasCode ? t('sign_in.code_help') : t('sign_in.passkey_help')}</p>
      {hasCode && <CodeField value={code} onChange={setCode} />}
      <Refusal error={error} />
      {hasCode && (
        <Button type="submit" look="main-action" className="wide" isBusy={isBusy}>
          {t('sign_in.submit')}
        </Button>
      )}
      {factors.includes('passkey') && (
        <Button look={hasCode ? undefined : 'main-action'} className="wide" isBusy={isBusy} onClick={byPasskey}>
          {t('sign_in.use_passkey')}
        </Button>
      )}
    </form>
  );
}

export function CodeField({ value, onChange }: { value: string; onChange: (code: string) => void }) {
  return (
    <Field
      label={t('sign_in.code')}
      className="input code"
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9]*"
      maxLength={6}
      required
      value={value}
      onText={(text) => onChange(text.replace(/[^0-9]/g, ''))}
    />
  );
}
