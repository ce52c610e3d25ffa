import { callLater } from '../../core/time/clock.ts';

/** Brings a log into the database that is too short for a checkpoint of its own. */
export interface LateCheckpoint {
  /** A commit was made. */
  committed(): void;
  /** Nothing is brought in any more. Returns whether something was still to be. */
  end(): boolean;
}

/**
 * A small ledger would stay in its log for hours, and be missing from a copy of the database alone. So `bringIn` is
 * called `lateMs` after the first commit that is not in the database yet, and again for as long as it brings false
 * (somebody reads an earlier state). Without commits there is no timer.
 */
export function makeLateCheckpoint(lateMs: number, bringIn: () => Promise<boolean>): LateCheckpoint {
  let cancel: (() => void) | null = null;
  let isRunning = false;
  let hasEnded = false;

  const arm = () => {
    if (!hasEnded) cancel ??= callLater(lateMs, run);
  };
  const run = () => {
    cancel = null;
    isRunning = true;
    const ended = (isDone: boolean) => {
      isRunning = false;
      if (!isDone) arm();
    };
    // After a failure the log is left as it is until the next commit, which tells people of a disk that fails.
    bringIn().then(ended, () => ended(true));
  };

  return {
    committed: arm,
    end() {
      const isDue = cancel !== null || isRunning;
      cancel?.();
      cancel = null;
      hasEnded = true;
      return isDue;
    },
  };
}
