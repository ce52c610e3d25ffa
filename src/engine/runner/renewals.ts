import { allEnded } from '../../core/basics/all-ended.ts';
import { isLedgerAway } from '../../core/basics/errors.ts';
import { type Alarm, makeAlarm } from '../../core/time/alarm.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { type Fence, renewLeases } from '../../ledger/schema/lease-table.ts';
import { raiseHighestClock } from '../../ledger/schema/ledger-state.ts';
import type { LedgerMark } from './ledger-mark.ts';

/** A lease that this process holds. */
export interface HeldLease {
  /** The clock of its runner. */
  clock: Clock;
  /** See `LeaseOptions`. */
  machine: Pick<Clock, 'now'>;
  fence: Fence;
  ttlMs: number;
  mark: LedgerMark | null;
  /** The lease is proved for `ttlMs` from this time on, by both clocks (ms). */
  renewed(wall: number, uptime: number): void;
  /** For how much longer the lease is proved (ms); 0 or less if it may have expired. */
  provedForMs(): number;
  /** The error of a lease that another process has taken. */
  fenced(): Error;
}

/** How often a lease is renewed in its life: a renewal may be late by three quarters of it. */
const renewalsPerTtl = 4;
/**
 * How often it is tried in its life after a failure that may pass. A lease for which this is too late ends, because
 * another process may take the account by then.
 */
const retriesPerTtl = 20;

const renewing = { turn: 'first', concurrent: true } as const;

/** The leases of one ledger that have the same life, and are renewed together. */
interface Renewals {
  alarm: Alarm;
  leases: Map<HeldLease, (error: unknown) => void>;
}

const renewals = new WeakMap<Database, Map<number, Renewals>>();

/**
 * Renews leases that last equally long in one transaction, then their marks. Returns for each the error that ends it,
 * or null. A mark that cannot be written ends only its own lease.
 */
export async function renewTogether(db: Database, leases: readonly HeldLease[], ttlMs: number): Promise<unknown[]> {
  const times = leases.map(({ clock, machine }) => ({
    at: clock.now(),
    wall: machine.now(),
    uptime: clock.uptime(),
  }));
  const now = Math.max(...times.map(({ at }) => at));
  const held = leases.map(({ fence }) => fence);
  const records = await db.transact(async (tx) => {
    const [renewed] = await allEnded([renewLeases(tx, held, { now, ttlMs }), raiseHighestClock(tx, now)]);
    return renewed;
  }, renewing);
  const marking = leases.map(async ({ mark, fence, renewed, fenced }, index) => {
    const { wall, uptime } = times[index] as (typeof times)[number];
    const record = records[index];
    if (!record) return fenced();
    try {
      await mark?.write(fence.account, { fence: fence.fence, expiresAt: record.expires_at });
    } catch (error) {
      return error;
    }
    renewed(wall, uptime);
    return null;
  });
  return Promise.all(marking);
}

/**
 * Renews the lease, with all others of this process that last as long, until `stopping` is aborted. A failed renewal
 * ends only what it leaves unproved: the ledger is shared, so it fails for all accounts of the process.
 */
export async function keepRenewing(db: Database, held: HeldLease, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return;
  const ofLedger = renewals.get(db) ?? new Map<number, Renewals>();
  renewals.set(db, ofLedger);
  const group = ofLedger.get(held.ttlMs) ?? {
    alarm: makeAlarm(held.clock),
    leases: new Map<HeldLease, (error: unknown) => void>(),
  };
  ofLedger.set(held.ttlMs, group);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  group.leases.set(held, reject);
  if (group.leases.size === 1) setAlarm(db, group, held.ttlMs, renewalsPerTtl);
  stopping.addEventListener('abort', () => resolve(), { once: true });
  try {
    await promise;
  } finally {
    group.leases.delete(held);
    if (group.leases.size === 0) group.alarm.clear();
  }
}

function setAlarm(db: Database, group: Renewals, ttlMs: number, timesPerTtl: number): void {
  group.alarm.set(ttlMs / timesPerTtl, () => void renewAll(db, group, ttlMs));
}

async function renewAll(db: Database, group: Renewals, ttlMs: number): Promise<void> {
  const leases = [...group.leases.keys()];
  let timesPerTtl = renewalsPerTtl;
  try {
    const errors = await renewTogether(db, leases, ttlMs);
    for (const [index, lease] of leases.entries()) if (errors[index] !== null) group.leases.get(lease)?.(errors[index]);
  } catch (error) {
    timesPerTtl = retriesPerTtl;
    const goesOn = (lease: HeldLease) => isLedgerAway(error) && lease.provedForMs() > ttlMs / retriesPerTtl;
    for (const lease of leases) if (!goesOn(lease)) group.leases.get(lease)?.(error);
  }
  if (group.leases.size > 0) setAlarm(db, group, ttlMs, timesPerTtl);
}
