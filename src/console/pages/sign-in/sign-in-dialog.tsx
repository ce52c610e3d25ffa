import { useQueryClient } from '@tanstack/react-query';
import { type Session, useSession } from '../../api/session.ts';
import { Dialog } from '../../base/dialog.tsx';
import { t } from '../../texts/i18n.ts';
import { SignInForm } from './sign-in-form.tsx';

/** The session has ended while somebody works: they sign in over the page. */
export function SignInDialog({ onEnd }: { onEnd: (isToBeSentAgain: boolean) => void }) {
  const { person } = useSession();
  const queries = useQueryClient();
  const done = (session: Session) => {
    // The content of the page, and what it was about to send, are those of the person who was signed in before.
    const isSame = session.person === person;
    if (!isSame) location.assign('/');
    queries.setQueryData(['session'], session);
    onEnd(isSame);
  };
  return (
    <Dialog title={t('sign_in.ended')} onClose={() => onEnd(false)} isFormOfItsOwn>
      <p>{t('sign_in.ended_help')}</p>
      <SignInForm name={person} onDone={done} />
    </Dialog>
  );
}
