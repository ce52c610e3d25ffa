import { AirbatchError, type ErrorReason } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { claimSlot, endSlot, findSlot, renewSlot } from '../../ledger/jobs/slots.ts';
import { holdTime } from '../../ledger/schema/lease-table.ts';

export const slotOutcomes = ['done', 'failed', 'wait'] as const;

/** The result of a slot. `wait`: what it needs is not there yet; it is tried again at the next trigger. */
export interface SlotOutcome {
  outcome: (typeof slotOutcomes)[number];
  detail: string;
  /** The same in a form that other languages can tell. */
  reasons?: readonly ErrorReason[];
  /**
   * For a failed slot: whether some of the errors may pass by themselves. With nobody watching, it is tried again for a
   * while. For a waiting slot: that it was stopped before its end.
   */
  mayPass?: boolean;
  /** For a slot that waits for an error to pass: for how long (ms) it has been tried. */
  troubledMs?: number;
}

/** Throws `FENCED` in a transaction if another process has the slot by now. */
export type RequireSlot = (tx: Queryable) => Promise<void>;

export interface ClaimDeps {
  db: Database;
  clock: Clock;
  /** Names this process, uniquely over time. */
  holder: string;
  isDead: (holder: string) => boolean;
}

/**
 * How long a silent process keeps a slot, and how often a running one renews its claim. Nothing shows whether a process
 * on another machine, or in another container with the same name, has ended. A process that was only suspended imports
 * nothing any more once it has lost the slot.
 */
const holdMs = 10 * 60_000;
const goOnMs = holdMs / 4;

/**
 * Claims a slot, runs it, and stores its result. The slot is due, or a process that has ended or is silent has left it
 * running. `run` must not reject, and calls `requireSlot` in each transaction that imports something. `prepare` runs in
 * the transaction that claims the slot. Null if another process has the slot, or runs another slot of the job.
 */
export async function runClaimed(
  { db, clock, holder, isDead }: ClaimDeps,
  { job, dueAt }: { job: string; dueAt: number },
  {
    run,
    prepare,
  }: {
    run: (requireSlot: RequireSlot) => Promise<SlotOutcome>;
    prepare?: ((tx: Queryable) => Promise<void>) | undefined;
  },
): Promise<SlotOutcome | null> {
  const timeIn = (view: Queryable) => holdTime(view, clock.now());
  const slot = await findSlot(db, job, dueAt);
  const before = slot?.holder ?? null;
  // This process holds the slot but does not run it: an earlier result could not be stored.
  const isLeft =
    before !== null && (before === holder || isDead(before) || isSilent(slot?.expires_at ?? null, await timeIn(db)));
  const claim = { job, dueAt, holder, deadHolder: isLeft ? before : null };
  const isClaimed = await db.transact(async (tx) => {
    await prepare?.(tx);
    return claimSlot(tx, { ...claim, now: clock.now(), expiresAt: (await timeIn(tx)) + holdMs });
  });
  if (!isClaimed) return null;
  const ended = new AbortController();
  const goingOn = goOn({ db, clock, ended: ended.signal }, claim);
  const result = await run(async (tx) => {
    if (!(await renewSlot(tx, { ...claim, expiresAt: (await timeIn(tx)) + holdMs })))
      throw new AirbatchError('FENCED', `another process is now running this slot of "${job}"`, {
        hint: 'This process imports no more files.',
      });
  });
  ended.abort();
  await goingOn;
  const { outcome, detail, reasons, troubledMs } = result;
  const state = outcome === 'wait' ? 'due' : outcome;
  await db.transact((tx) => endSlot(tx, { job, dueAt, holder, now: clock.now(), state, detail, reasons, troubledMs }));
  return result;
}

/** A claim that lasts longer than any claim can was written by a clock that was ahead. */
function isSilent(expiresAt: number | null, now: number): boolean {
  return expiresAt === null || expiresAt <= now || expiresAt > now + holdMs;
}

async function goOn(
  { db, clock, ended }: Pick<ClaimDeps, 'db' | 'clock'> & { ended: AbortSignal },
  slot: { job: string; dueAt: number; holder: string },
): Promise<void> {
  for (;;) {
    await clock.sleep(goOnMs, ended);
    if (ended.aborted) return;
    // If the ledger cannot be written now, the next attempt may succeed; `run` reports what is wrong with the ledger.
    await db
      .transact(async (tx) => renewSlot(tx, { ...slot, expiresAt: (await holdTime(tx, clock.now())) + holdMs }))
      .catch(() => false);
  }
}
