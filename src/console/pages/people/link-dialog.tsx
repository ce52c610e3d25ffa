import { SecretDialog } from '../../forms/secret-dialog.tsx';
import { t } from '../../texts/i18n.ts';

/** The one-time link of a person. */
export function LinkDialog({ name, token, onClose }: { name: string; token: string; onClose: () => void }) {
  const link = `${location.origin}/link#${token}`;
  return (
    <SecretDialog title={t('people.link', { name })} help={t('people.link_help')} secret={link} onClose={onClose} />
  );
}
