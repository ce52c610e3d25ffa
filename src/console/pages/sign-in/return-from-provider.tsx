import { useEffect, useRef } from 'react';
import type { Session } from '../../api/session.ts';
import { returnFromProvider } from '../../api/sign-in.ts';
import { ButtonLink } from '../../base/button.tsx';
import { Loading } from '../../base/page.tsx';
import { t } from '../../texts/i18n.ts';
import { Refusal } from './refusal.tsx';
import { useWork } from './use-work.ts';

/** The identity provider has sent the browser back. */
export function ReturnFromProvider({ onDone }: { onDone: (session: Session) => void }) {
  const { error, run } = useWork();
  const isSent = useRef(false);
  useEffect(() => {
    // The provider's answer counts once.
    if (isSent.current) return;
    isSent.current = true;
    void run(async () => onDone(await returnFromProvider(location.search)));
  });
  if (error === null) return <Loading />;
  return (
    <>
      <Refusal error={error} />
      <ButtonLink href="/">{t('sign_in.again')}</ButtonLink>
    </>
  );
}
