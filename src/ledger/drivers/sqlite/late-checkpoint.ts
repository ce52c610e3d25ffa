import { callLater } from '../../../core/time/clock.ts';

/** Checkpoints a log that is too short to cause a checkpoint. */
export interface LateCheckpoint {
  /** Call after each commit. */
  committed(): void;
  /** Stops the checkpoints. Returns whether one was still due. */
  end(): boolean;
}

/**
 * A small ledger would stay in its log for hours, and be missing from a copy of the database file alone. So `bringIn`
 * is called `lateMs` after the first commit that is not in the database, and again while it returns false (somebody
 * reads an earlier state). Without commits there is no timer.
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
    // After a failure, nothing happens until the next commit, which reports the fault of the disk.
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
