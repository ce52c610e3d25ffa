import { useQueryClient } from '@tanstack/react-query';
import { stopChanges } from '../../api/client.ts';
import { type Session, useSession } from '../../api/session.ts';
import { findNewSession } from '../../api/sign-in.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { failureText } from '../../base/failure.tsx';
import { t } from '../../texts/i18n.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useProvider } from './use-provider.ts';
import { useWork } from './use-work.ts';

/** The session has ended while somebody works: they sign in over the page. */
export function SignInDialog({ onEnd }: { onEnd: (isToBeSentAgain: boolean) => void }) {
  const { person } = useSession();
  const queries = useQueryClient();
  const done = (session: Session) => {
    // The content of the page, and what it was about to send, are those of the person who was signed in before.
    const isSame = session.person === person;
    if (!isSame) {
      stopChanges();
      location.assign('/');
    }
    queries.setQueryData(['session'], session);
    onEnd(isSame);
  };
  return (
    <Dialog title={t('sign_in.ended')} onClose={() => onEnd(false)} isFormOfItsOwn>
      <p>{t('sign_in.ended_help')}</p>
      <SignInForm name={person} onDone={done} />
      <AtProvider onDone={done} />
    </Dialog>
  );
}

/** An identity provider takes the whole window, and with it what somebody has entered: they sign in in another one. */
function AtProvider({ onDone }: { onDone: (session: Session) => void }) {
  const provider = useProvider();
  const { error, isBusy, run } = useWork();
  if (provider === null) return null;
  return (
    <div className="stack">
      <p>{t('sign_in.new_window')}</p>
      <a className="button wide" href="/" target="_blank" rel="noopener">
        {provider.label}
      </a>
      {error !== null && (
        <p className="notice tone-bad" role="alert">
          {failureText(error)}
        </p>
      )}
      <Button className="wide" isBusy={isBusy} onClick={() => void run(async () => onDone(await findNewSession()))}>
        {t('account.continue')}
      </Button>
    </div>
  );
}
