import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { toast } from '../../base/toast.tsx';
import { t } from '../../texts/i18n.ts';
import '../../styles/sign-in.css';

/** A secret that is shown once, with a way to copy it. */
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
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    toast(t('base.copied'));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{help}</p>
      <p className="secret">{secret}</p>
      <div>
        <Button onClick={() => void copy()}>{t('base.copy')}</Button>
      </div>
    </Dialog>
  );
}

/** The one-time link of a person. */
export function LinkDialog({ name, token, onClose }: { name: string; token: string; onClose: () => void }) {
  const link = `${location.origin}/link#${token}`;
  return (
    <SecretDialog title={t('people.link', { name })} help={t('people.link_help')} secret={link} onClose={onClose} />
  );
}
