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
  const [all, setAll] = useState<readonly Waiting[]>([]);
  useEffect(() => {
    const gate = (code: GateCode) =>
      setGate(
        code,
        ({ purpose = '' }) => new Promise((resolve) => setAll((before) => [...before, { code, purpose, resolve }])),
      );
    const removes = [gate('SIGN_IN_NEEDED'), gate('STEP_UP_NEEDED')];
    return () => {
      for (const remove of removes) remove();
    };
  }, []);
  // A session may end while a second factor is asked for: without a session, none can be proved.
  const waiting = all.find(({ code }) => code === 'SIGN_IN_NEEDED') ?? all[0];
  if (waiting === undefined) return null;
  const end = (isToBeSentAgain: boolean) => {
    waiting.resolve(isToBeSentAgain);
    setAll((before) => before.filter((one) => one !== waiting));
  };
  return (
    <Suspense fallback={null}>
      {waiting.code === 'SIGN_IN_NEEDED' ? (
        <SignInDialog onEnd={end} />
      ) : (
        <StepUpDialog key={waiting.purpose} purpose={waiting.purpose} onEnd={end} />
      )}
    </Suspense>
  );
}
