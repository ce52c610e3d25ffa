import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change, get, requestJson } from '../../api/client.ts';
import { newPasskey } from '../../api/sign-in.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Loaded } from '../../base/failure.tsx';
import { Field } from '../../base/field.tsx';
import { Card, Page } from '../../base/page.tsx';
import { Time } from '../../base/values.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import { Refusal } from '../sign-in/refusal.tsx';
import { AppDialog } from './app-dialog.tsx';
import { OwnSessions } from './own-sessions.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { factorReads } from './person.ts';
import './account.css';

/** A person's own account: second factors, and the password. */
export function OwnAccountPage() {
  const [open, setOpen] = useState<'app' | 'passkey' | 'password' | null>(null);
  const factors = useQuery({ queryKey: ['factors'], queryFn: () => get('/api/v1/session/factors') });
  const remove = useChange((body: { credential_id?: string }) => change('/api/v1/session/factors/remove', { body }), {
    reads: factorReads,
    done: () => t('account.removed'),
  });
  const close = () => setOpen(null);
  return (
    <Page title={t('account.title')} sub={t('account.sub')}>
      <Card title={t('account.factors')}>
        <Loaded query={factors}>
          {({ totp, passkeys }) => (
            <div className="stack">
              {!totp && passkeys.length === 0 && <p className="notice tone-attention">{t('account.none')}</p>}
              {(totp || passkeys.length > 0) && (
                <ul className="plain-list">
                  {totp && (
                    <FactorLine name={t('account.app')} onRemove={() => remove.mutate({})} isBusy={remove.isPending} />
                  )}
                  {passkeys.map(({ credential_id, label, created_at }) => (
                    <FactorLine
                      key={credential_id}
                      name={label}
                      since={created_at}
                      onRemove={() => remove.mutate({ credential_id })}
                      isBusy={remove.isPending}
                    />
                  ))}
                </ul>
              )}
              <Refusal error={remove.error} />
              <div className="line">
                <Button onClick={() => setOpen('passkey')}>{t('account.add_passkey')}</Button>
                {!totp && <Button onClick={() => setOpen('app')}>{t('account.add_app')}</Button>}
              </div>
            </div>
          )}
        </Loaded>
      </Card>
      <Card title={t('sign_in.password')}>
        <Button onClick={() => setOpen('password')}>{t('account.change_password')}</Button>
      </Card>
      <OwnSessions />
      {open === 'app' && <AppDialog onClose={close} />}
      {open === 'passkey' && <PasskeyDialog onClose={close} />}
      {open === 'password' && <PasswordDialog onClose={close} />}
    </Page>
  );
}

function FactorLine({
  name,
  since,
  onRemove,
  isBusy,
}: {
  name: string;
  since?: string;
  onRemove: () => void;
  isBusy: boolean;
}) {
  return (
    <li className="item">
      <div>
        <div className="wrap">{name}</div>
        {since !== undefined && (
          <div className="quiet small">
            <Time at={since} />
          </div>
        )}
      </div>
      <Button onClick={onRemove} isBusy={isBusy}>
        {t('account.remove')}
      </Button>
    </li>
  );
}

/** Names a passkey, and lets the browser make it. */
function PasskeyDialog({ onClose }: { onClose: () => void }) {
  const [label, setLabel] = useState('');
  const add = useChange(
    async () => {
      type Options = Parameters<typeof newPasskey>[0];
      const options = await requestJson<Options>('POST', '/session/factors/passkey/options', {});
      const credential = await newPasskey(options);
      await requestJson('POST', '/session/factors/passkey', { label: label.trim(), credential });
    },
    { reads: factorReads, done: () => t('account.added'), onDone: onClose },
  );
  return (
    <Dialog
      title={t('account.add_passkey')}
      onClose={onClose}
      submitText={t('account.continue')}
      onSubmit={() => label.trim() !== '' && add.mutate()}
      work={{ ...add, error: null }}
    >
      <p>{t('account.passkey_help')}</p>
      <Field label={t('account.passkey_name')} required maxLength={60} value={label} onText={setLabel} />
      <Refusal error={add.error} />
    </Dialog>
  );
}
