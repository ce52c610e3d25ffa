import { lazy, Suspense, useEffect, useState } from 'react';
import { type GateCode, setGate } from '../../api/gates.ts';

/** A request that waits for the person. */
interface Waiting {
  code: GateCode;
  purpose: string;
  resolve: (isToBeSentAgain: boolean) => void;
}

const SignInDialog = lazy(async () => ({ default: (await import('./sign-in-dialog.tsx')).SignInDialog }));
const StepUpDialog = lazy(async () => ({ default: (await import('./step-up-dialog.tsx')).StepUpDialog }));

/** Asks the person to sign in again, or for a second factor, in a dialog over the page, so that entered text stays. */
export function SessionGates() {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  useEffect(() => {
    const gate = (code: GateCode) =>
      setGate(code, ({ purpose = '' }) => new Promise((resolve) => setWaiting({ code, purpose, resolve })));
    const removes = [gate('SIGN_IN_NEEDED'), gate('STEP_UP_NEEDED')];
    return () => {
      for (const remove of removes) remove();
    };
  }, []);
  if (waiting === null) return null;
  const end = (isToBeSentAgain: boolean) => {
    waiting.resolve(isToBeSentAgain);
    setWaiting(null);
  };
  return (
    <Suspense fallback={null}>
      {waiting.code === 'SIGN_IN_NEEDED' ? (
        <SignInDialog onEnd={end} />
      ) : (
        <StepUpDialog purpose={waiting.purpose} onEnd={end} />
      )}
    </Suspense>
  );
}
