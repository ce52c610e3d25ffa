import { useState } from 'react';
import { changePassword } from '../../api/sign-in.ts';
import { Dialog } from '../../base/dialog.tsx';
import { Field } from '../../base/field.tsx';
import { toast } from '../../base/toast.tsx';
import { t } from '../../texts/i18n.ts';
import { Refusal } from '../sign-in/refusal.tsx';
import { useWork } from '../sign-in/use-work.ts';

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { error, isBusy, run } = useWork();
  const submit = () =>
    void run(async () => {
      await changePassword(current, password);
      toast(t('account.password_changed'));
      onClose();
    });
  return (
    <Dialog title={t('account.change_password')} onClose={onClose} onSubmit={submit} isBusy={isBusy}>
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
      <Refusal error={error} />
    </Dialog>
  );
}
