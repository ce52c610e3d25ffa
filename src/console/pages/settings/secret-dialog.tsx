import { useState } from 'react';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Field } from '../../base/field.tsx';
import { t } from '../../texts/i18n.ts';

/** A secret that is shown once. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(secret).then(() => setCopied(true));
  return (
    <Dialog title={t('webhooks.secret')} onClose={onClose}>
      <p>{t('webhooks.secret_help')}</p>
      <Field
        label={t('webhooks.secret')}
        isLabelHidden
        readOnly
        className="input mono"
        value={secret}
        onFocus={({ target }) => target.select()}
      />
      <div className="line">
        <Button onClick={copy}>{t('base.copy')}</Button>
        <span role="status">{isCopied ? t('base.copied') : ''}</span>
      </div>
    </Dialog>
  );
}
