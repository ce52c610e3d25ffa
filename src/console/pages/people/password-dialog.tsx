import { useState } from 'react';
import { changePassword } from '../../api/sign-in.ts';
import { Dialog } from '../../base/dialog.tsx';
import { Field } from '../../base/field.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import { Refusal } from '../sign-in/refusal.tsx';

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const save = useChange(() => changePassword(current, password), {
    reads: [],
    done: () => t('account.password_changed'),
    onDone: onClose,
  });
  return (
    <Dialog
      title={t('account.change_password')}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      work={{ ...save, error: null }}
    >
      <p>{t('account.password_help')}</p>
      <Field
        label={t('account.current')}
        type="password"
        autoComplete="current-password"
        required
        value={current}
        onText={setCurrent}
      />
      <Field
        label={t('link.password')}
        help={t('link.password_help', { n: 12 })}
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onText={setPassword}
      />
      <Refusal error={save.error} />
    </Dialog>
  );
}
