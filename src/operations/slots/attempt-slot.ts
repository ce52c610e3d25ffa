import { AirbatchError, type ErrorCode, errorMessage } from '../../core/basics/errors.ts';
import { reasonsOfError, slotReason } from '../../core/basics/slot-result.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { type ClaimDeps, type RequireSlot, runClaimed, type SlotOutcome } from './claimed-slot.ts';

/**
 * Errors that pass by themselves, or when a person corrects the cause: the scheduler tries the slot again. Any other
 * error needs a person at once.
 */
const passing: ReadonlySet<ErrorCode> = new Set([
  'ACCOUNT_BUSY',
  // While a key is replaced, the service refuses it for some minutes.
  'CREDENTIALS_REJECTED',
  'FENCED',
  // A share that is not mounted, or a disk that is read-only during a check.
  'FILE_UNREADABLE',
  'LEDGER_BUSY',
  'LEDGER_FULL',
  'LEDGER_IO',
  // On a database server: the next attempt sees what was committed. On a file, the program ends.
  'LEDGER_SYNC',
  'SERVICE_UNREACHABLE',
]);

/**
 * For how long a slot is tried again before it fails. A share or a service is usually back by then, and if people are
 * notified later, it may be too late. Time in which no program ran does not count, because the slot was not tried.
 */
const troubleMsMax = 3_600_000;

export interface Attempt {
  run: (requireSlot: RequireSlot) => Promise<SlotOutcome>;
  prepare?: ((tx: Queryable) => Promise<void>) | undefined;
  stopping: AbortSignal;
  /** For the scheduler: see `ScheduledRun`. Without it, an error ends the slot. */
  passingTrouble?: (() => number) | undefined;
}

/**
 * Runs a slot and stores its result. `trouble`: the error that has ended it, if one has. Null if another process has
 * the slot, or runs another slot of the job.
 */
export async function attemptSlot(
  deps: ClaimDeps,
  { job, dueAt }: { job: string; dueAt: number },
  { run, prepare, stopping, passingTrouble }: Attempt,
): Promise<{ outcome: SlotOutcome; trouble: unknown } | null> {
  let trouble: unknown;
  const attempt = async (requireSlot: RequireSlot) => {
    const outcome = await run(requireSlot).catch((error: unknown) => {
      trouble = error;
      return outcomeOfError(error, stopping);
    });
    return passingTrouble && outcome.mayPass ? triedAgain(outcome, passingTrouble()) : outcome;
  };
  const outcome = await runClaimed(deps, { job, dueAt }, { run: attempt, prepare });
  return outcome && { outcome, trouble };
}

/** A slot that was stopped has not failed: it is run again. */
function outcomeOfError(error: unknown, stopping: AbortSignal): SlotOutcome {
  const detail = errorMessage(error);
  const reasons = reasonsOfError(error);
  if (stopping.aborted) {
    const stopped = slotReason('SLOT_STOPPED', {});
    return { outcome: 'wait', detail: `stopped: ${detail}`, reasons: [stopped, ...reasons], mayPass: true };
  }
  return { outcome: 'failed', detail, reasons, mayPass: error instanceof AirbatchError && passing.has(error.code) };
}

/** The outcome of an attempt that the scheduler repeats after such errors, until it has tried for too long (ms). */
function triedAgain({ outcome, detail, reasons = [] }: SlotOutcome, troubledMs: number): SlotOutcome {
  if (outcome === 'wait' || troubledMs < troubleMsMax) return { outcome: 'wait', detail, reasons, troubledMs };
  const minutes = Math.floor(troubledMs / 60_000);
  return {
    outcome: 'failed',
    detail: `${detail} (it was tried again for ${minutes} minutes)`,
    reasons: [...reasons, slotReason('SLOT_RETRIED', { minutes })],
  };
}
