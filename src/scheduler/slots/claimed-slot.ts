import { AirbatchError } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { claimSlot, endSlot, renewSlot, type SlotRecord } from '../../ledger/jobs/slots.ts';

/** What came of a slot. `wait`: what it is to bring is not there yet; it is asked again at the next trigger. */
export interface SlotOutcome {
  outcome: 'done' | 'failed' | 'wait';
  detail: string;
  /**
   * Of one that has failed: whether something of what it failed for may pass by itself. With no one watching it is
   * tried again for a while. Of one that waits: that it was stopped in its middle.
   */
  mayPass?: boolean;
  /** Of one that waits for trouble to pass: for how long (ms) it has been tried meanwhile. */
  troubledMs?: number;
}

/** Fails with `FENCED` in a transaction where another process has the slot by now. */
export type RequireSlot = (tx: Queryable) => Promise<void>;

export interface ClaimDeps {
  db: Database;
  clock: Clock;
  /** Names this process, uniquely over time. */
  holder: string;
  isDead: (holder: string) => boolean;
}

/**
 * How long a slot is left to a process that says nothing, and how often one says that it goes on. Whether a process of
 * another machine, or of another container with the same name, has ended is not to be seen; one that was only
 * suspended meanwhile brings nothing any more.
 */
const holdMs = 10 * 60_000;
const goOnMs = holdMs / 4;

/**
 * Takes a slot, runs it, and writes down what came of it: one that is due, or that a process left running which has
 * ended, or says nothing any more. `run` must not reject, and asks for the slot in the transaction that writes what it
 * brings; `prepare` is done in the one that takes the slot. Null where another process has it, or runs another slot of
 * the job.
 */
export async function runClaimed<Outcome extends SlotOutcome>(
  { db, clock, holder, isDead }: ClaimDeps,
  slot: Pick<SlotRecord, 'job' | 'due_at' | 'holder' | 'expires_at'>,
  { run, prepare }: { run: (requireSlot: RequireSlot) => Promise<Outcome>; prepare?: (tx: Queryable) => Promise<void> },
): Promise<Outcome | null> {
  const { job, due_at: dueAt, holder: before } = slot;
  // What this very process holds and does not run was left when its outcome could not be written.
  const isLeft = before !== null && (before === holder || isDead(before) || isSilent(slot, clock.now()));
  const claim = { job, dueAt, holder, deadHolder: isLeft ? before : null };
  const isClaimed = await db.transact(async (tx) => {
    await prepare?.(tx);
    return claimSlot(tx, { ...claim, now: clock.now(), expiresAt: clock.now() + holdMs });
  });
  if (!isClaimed) return null;
  const ended = new AbortController();
  const goingOn = goOn({ db, clock, ended: ended.signal }, claim);
  const result = await run(async (tx) => {
    if (!(await renewSlot(tx, { ...claim, expiresAt: clock.now() + holdMs })))
      throw new AirbatchError('FENCED', `another process runs this slot of "${job}" by now`, {
        hint: 'This one brings nothing more.',
      });
  });
  ended.abort();
  await goingOn;
  const { outcome, detail, troubledMs } = result;
  const state = outcome === 'wait' ? 'due' : outcome;
  await db.transact((tx) => endSlot(tx, { job, dueAt, holder, now: clock.now(), state, detail, troubledMs }));
  return result;
}

/** One that says so for longer than it could was written by a clock that was ahead. */
function isSilent({ expires_at: expiresAt }: Pick<SlotRecord, 'expires_at'>, now: number): boolean {
  return expiresAt === null || expiresAt <= now || expiresAt > now + holdMs;
}

async function goOn(
  { db, clock, ended }: Pick<ClaimDeps, 'db' | 'clock'> & { ended: AbortSignal },
  slot: { job: string; dueAt: number; holder: string },
): Promise<void> {
  for (;;) {
    await clock.sleep(goOnMs, ended);
    if (ended.aborted) return;
    // A ledger that cannot be written now can be the next time, and whoever runs the slot says what is wrong with it.
    await db.transact((tx) => renewSlot(tx, { ...slot, expiresAt: clock.now() + holdMs })).catch(() => false);
  }
}
