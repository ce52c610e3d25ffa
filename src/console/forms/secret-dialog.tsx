import { useState } from 'react';
import { Button } from '../base/button.tsx';
import { Dialog } from '../base/dialog.tsx';
import { t } from '../texts/i18n.ts';
import '../styles/sign-in.css';

/** A secret that is shown once, with a way to copy it: a key that is pressed by mistake does not lose it. */
export function SecretDialog({
  title,
  help,
  secret,
  onClose,
}: {
  title: string;
  help: string;
  secret: string;
  onClose: () => void;
}) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(secret).then(() => setCopied(true));
  return (
    <Dialog title={title} onClose={onClose} staysAtEscape>
      <p>{help}</p>
      <p className="secret">{secret}</p>
      <div className="line">
        <Button onClick={copy}>{t('base.copy')}</Button>
        <span role="status">{isCopied ? t('base.copied') : ''}</span>
      </div>
    </Dialog>
  );
}
