import { codeOf } from '../../api/problem.ts';
import { failureText } from '../../base/failure.tsx';
import { t } from '../../texts/i18n.ts';

/** Why signing in did not work, in one sentence. */
export function Refusal({ error }: { error: unknown }) {
  if (error === null) return null;
  return (
    <p className="notice tone-bad" role="alert">
      {refusalText(error)}
    </p>
  );
}

function refusalText(error: unknown): string {
  // The browser's own passkey dialog was closed, or has no passkey for this site.
  if (error instanceof Error && error.name === 'NotAllowedError') return t('sign_in.passkey_refused');
  return codeOf(error) === 'SIGN_IN_NEEDED' ? t('sign_in.too_late') : failureText(error);
}
