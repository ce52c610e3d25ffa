import { useState } from 'react';

/** Something that takes a while. */
export type Work = () => Promise<unknown>;

/** Work that a button starts: whether it is running, and why it failed. */
export function useWork() {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async (work: Work) => {
    if (isBusy) return;
    setError(null);
    setBusy(true);
    try {
      await work();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return { error, isBusy, run };
}
