import type { Clock } from '../core/clock.ts';
import type { Database, Queryable } from '../ledger/database.ts';
import { claimSlot, endSlot, type SlotRecord } from '../ledger/slots.ts';

/** What came of a slot. `wait`: what it is to bring is not there yet; it is asked again at the next trigger. */
export interface SlotOutcome {
  outcome: 'done' | 'failed' | 'wait';
  detail: string;
}

export interface ClaimDeps {
  db: Database;
  clock: Clock;
  /** Names this process, uniquely over time. */
  holder: string;
  isDead: (holder: string) => boolean;
}

/**
 * Takes a slot, runs it, and writes down what came of it: one that is due, or that a process left running which has ended. `run`
 * must not reject; `prepare` is done in the transaction that takes the slot. Null where another process has it, or runs another
 * slot of the job.
 */
export async function runClaimed<Outcome extends SlotOutcome>(
  { db, clock, holder, isDead }: ClaimDeps,
  { job, due_at: dueAt, holder: before }: Pick<SlotRecord, 'job' | 'due_at' | 'holder'>,
  { run, prepare }: { run: () => Promise<Outcome>; prepare?: (tx: Queryable) => Promise<void> },
): Promise<Outcome | null> {
  // What this very process holds and does not run was left when its outcome could not be written.
  const isLeft = before !== null && (before === holder || isDead(before));
  const claim = { job, dueAt, holder, now: clock.now(), deadHolder: isLeft ? before : null };
  const isClaimed = await db.transact(async (tx) => {
    await prepare?.(tx);
    return claimSlot(tx, claim);
  });
  if (!isClaimed) return null;
  const result = await run();
  const state = result.outcome === 'wait' ? 'due' : result.outcome;
  await db.transact((tx) => endSlot(tx, { job, dueAt, holder, now: clock.now(), state, detail: result.detail }));
  return result;
}
