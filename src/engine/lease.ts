import type { Clock } from '../core/clock.ts';
import { AirbatchError } from '../core/errors.ts';
import type { Database } from '../ledger/database.ts';
import { raiseHighestClock } from '../ledger/facts.ts';
import { type Fence, findLease, raiseFence, releaseLease, renewLease, takeLease } from '../ledger/leases.ts';
import { requireOwnVersion } from '../ledger/schema.ts';
import { heedRestore, isOlderThan, type LedgerMark, noteRestored } from './ledger-mark.ts';

/** The sole right to send for an account, held by renewing it. */
export interface Lease {
  readonly fence: Fence;
  /**
   * Throws `FENCED` when the lease may have run out: called right before bytes reach the wire, so that a process which was
   * suspended past its lease sends nothing when it wakes. Wall and monotonic time must both vouch for it, since a suspended
   * machine stops the one and a set clock moves the other.
   */
  assertHeld(): void;
  renew(): Promise<void>;
  release(): Promise<void>;
}

export interface LeaseOptions {
  account: string;
  /** Names this process, uniquely over time: `host/pid/start`. */
  holder: string;
  ttlMs: number;
  /** Where the hold is noted besides the ledger; null where the ledger is in memory only. */
  mark: LedgerMark | null;
  /** A person has said that the ledger was restored from a backup. */
  restored: boolean;
  /** Whether the process that `holder` names is known to have ended (same machine, no such process). */
  isDead: (holder: string) => boolean;
}

/**
 * Takes the account, or fails with `ACCOUNT_BUSY`, with `LEDGER_RESTORED` where the ledger is older than its mark, or with `LEDGER_VERSION`
 * where a later version has changed it since it was opened.
 */
export async function takeAccount(db: Database, clock: Clock, options: LeaseOptions): Promise<Lease> {
  const { account, holder, ttlMs, isDead, mark, restored } = options;
  const marked = (await mark?.read(account)) ?? null;
  let provenWall = clock.now();
  let provenMonotonic = clock.monotonic();
  const fence = await db.transact(async (tx) => {
    await requireOwnVersion(tx);
    const current = await findLease(tx, account);
    const deadHolder = current && isDead(current.holder) ? current.holder : null;
    const now = clock.now();
    if (marked && isOlderThan(marked, current)) {
      if (!restored) throw olderLedger(account);
      await raiseFence(tx, account, marked.fence);
    }
    await raiseHighestClock(tx, now);
    const taken = await takeLease(tx, { account, holder, now, expiresAt: now + ttlMs, deadHolder });
    if (taken && restored) await noteRestored(tx, account, now);
    else if (taken) await heedRestore(tx, account, now);
    return taken;
  });
  if (!fence) {
    const current = await findLease(db, account);
    // Without when it began, which tells people nothing, and is a number that the log takes for somebody's.
    const by = current?.holder.replace(/\/[^/]*$/, '').replace('/', ', process ');
    throw new AirbatchError('ACCOUNT_BUSY', `account "${account}" is being worked on by ${by ?? 'another process'}`);
  }

  await mark?.write(account, { fence: fence.fence, expiresAt: provenWall + ttlMs });

  const fenced = () => new AirbatchError('FENCED', `the hold on account "${account}" ran out`);
  const renew = async () => {
    const wall = clock.now();
    const monotonic = clock.monotonic();
    const renewed = await db.transact(async (tx) => {
      await raiseHighestClock(tx, wall);
      return renewLease(tx, fence, wall + ttlMs);
    });
    if (!renewed) throw fenced();
    await mark?.write(account, { fence: fence.fence, expiresAt: wall + ttlMs });
    provenWall = wall;
    provenMonotonic = monotonic;
  };
  return {
    fence,
    assertHeld() {
      const held = clock.now() - provenWall < ttlMs && clock.monotonic() - provenMonotonic < ttlMs;
      if (!held) throw fenced();
    },
    renew,
    async release() {
      try {
        // So that a backup of the time since the last renewal is known for an old one: nothing is sent from here on.
        await renew();
      } finally {
        await db.transact((tx) => releaseLease(tx, fence));
      }
    },
  };
}

function olderLedger(account: string): AirbatchError {
  return new AirbatchError(
    'LEDGER_RESTORED',
    `the ledger is older than the last work on account "${account}": it seems to have been restored from a backup`,
  );
}
