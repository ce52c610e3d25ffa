import { AirbatchError } from '../../core/basics/errors.ts';
import { processName } from '../../core/basics/processes.ts';
import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import {
  type Fence,
  findHeldLease,
  findLease,
  raiseFence,
  releaseLease,
  takeLease,
} from '../../ledger/schema/lease-table.ts';
import { isSameHistory, raiseHighestClock } from '../../ledger/schema/ledger-state.ts';
import { requireNotMoved } from '../../ledger/schema/moves.ts';
import { acknowledgeRestore, isOlderThan, type LedgerMark, noteLedgerRestored, noteRestored } from './ledger-mark.ts';
import { type HeldLease, keepRenewing, renewTogether } from './renewals.ts';

/** By how much wall time and uptime may differ in a process that was only late: a clock that is being adjusted. */
const lateToleranceMs = 1_000;

const beforeOthers = { turn: 'first' } as const;

/** The exclusive right to send for an account. Its holder must renew it. */
export interface Lease {
  readonly fence: Fence;
  /**
   * The program that held the account before and ended without releasing it, in a form for people ("process 123 on
   * host"); null if there was none.
   */
  readonly tookOverFrom: string | null;
  /**
   * Throws `FENCED` if the lease may have expired. It is called right before bytes reach the wire, so that a process
   * that was suspended past its lease sends nothing when it wakes. Both wall time and uptime must agree: a person may
   * set the wall clock, and a virtual machine that is paused stops its uptime. Once it has thrown, only a renewal makes
   * the lease safe again.
   */
  assertHeld(): void;
  /**
   * Whether the lease was only not renewed in time, because the process had too much to do or was stopped: wall time
   * and uptime agree on how long ago the last renewal was. Then what is true of the keys stays true, and a renewal
   * shows whether the account is still ours.
   */
  isLate(): boolean;
  /** Renews the lease if it may have expired and is late; otherwise like `assertHeld`. */
  prove(): Promise<void>;
  renew(): Promise<void>;
  /**
   * Renews the lease again and again, together with the other leases of this process, until `stopping` is aborted.
   * Rejects with `FENCED` if another program has taken the account, or with the error of the ledger.
   */
  keep(stopping: AbortSignal): Promise<void>;
  release(): Promise<void>;
}

export interface LeaseOptions {
  account: string;
  /** Names this process, uniquely over time: `host/pid/start`. */
  holder: string;
  ttlMs: number;
  /** The copy of the lease outside the ledger; null if the ledger is in memory. */
  mark: LedgerMark | null;
  /** A person confirmed that the ledger was restored from a backup. */
  restored: boolean;
  /**
   * The clock of the machine. The runner's own clock never goes back: after the machine's was set back, or while it is
   * behind another machine's, it advances by uptime alone, and does not show that the machine was paused.
   */
  machine?: Pick<Clock, 'now'>;
  /** Whether the process `holder` is known to have ended (same machine, no such process). */
  isDead: (holder: string) => boolean;
}

/**
 * Takes the lease of an account. Throws `ACCOUNT_BUSY` if another program has it, `LEDGER_RESTORED` if the ledger is
 * older than its mark, was restored on its server or has failed over to a replica, `LEDGER_VERSION` if a later version
 * has changed the ledger since it was opened, and `LEDGER_MOVED` if it was moved to another place.
 */
export async function takeAccount(db: Database, clock: Clock, options: LeaseOptions): Promise<Lease> {
  const { account, holder, ttlMs, isDead, mark, restored, machine = clock } = options;
  const marked = (await mark?.read(account)) ?? null;
  let tookOverFrom: string | null = null;
  const proof = makeProof(clock, { account, ttlMs, machine });
  // Machines that share a ledger, which then has no mark, try every half a second. A read holds up no writer.
  if (mark === null) await requireFree(db, options, clock.now());
  const lease = await db.transact(async (tx) => {
    await requireNotMoved(tx);
    const current = await findLease(tx, account);
    const deadHolder = current && isDead(current.holder) ? current.holder : null;
    const now = clock.now();
    if (marked && isOlderThan(marked, current)) {
      if (!restored) throw olderLedger(account);
      await raiseFence(tx, account, marked.fence);
    }
    await requireSameHistory(tx, now, restored);
    await raiseHighestClock(tx, now);
    const taken = await takeLease(tx, { account, holder, now, ttlMs, deadHolder });
    // A holder that releases an account sets its time to zero.
    tookOverFrom = current && current.holder !== holder && current.expires_at > 0 ? processName(current.holder) : null;
    if (taken && restored) await noteRestored(tx, account, now);
    else if (taken) await acknowledgeRestore(tx, account, now);
    return taken;
  }, beforeOthers);
  if (!lease) throw await accountBusy(db, account);

  const fence: Fence = { account, holder, fence: lease.fence };
  await mark?.write(account, { fence: lease.fence, expiresAt: lease.expires_at });

  const held: HeldLease = {
    clock,
    machine,
    fence,
    ttlMs,
    mark,
    renewed: proof.renewed,
    provedForMs: proof.provedForMs,
    fenced: proof.fenced,
  };
  const renew = async () => {
    const [error] = await renewTogether(db, [held], ttlMs);
    if (error !== null) throw error;
  };
  let proving: Promise<void> | null = null;
  return {
    fence,
    tookOverFrom,
    assertHeld: proof.assertHeld,
    isLate: proof.isLate,
    async prove() {
      // All jobs that wait for it share one renewal.
      if (proof.isLate()) proving ??= renew().finally(() => (proving = null));
      await proving;
      proof.assertHeld();
    },
    renew,
    keep: (stopping) => keepRenewing(db, held, stopping),
    async release() {
      try {
        // Renews once more to update the mark: a backup made since the last renewal is then recognized as old. Nothing
        // is sent after this.
        if (mark) await renew();
      } finally {
        await db.transact((tx) => releaseLease(tx, fence), beforeOthers);
      }
    },
  };
}

/** What shows that the lease is held: how long ago it was last renewed, by both clocks. */
function makeProof(
  clock: Clock,
  { account, ttlMs, machine }: Pick<LeaseOptions, 'account' | 'ttlMs'> & Pick<Required<LeaseOptions>, 'machine'>,
) {
  let provenWall = machine.now();
  let provenUptime = clock.uptime();
  let isRefuted = false;
  const fenced = () => new AirbatchError('FENCED', `the lease on account "${account}" expired`);
  const sinceProof = () => ({ wall: machine.now() - provenWall, uptime: clock.uptime() - provenUptime });
  const provedForMs = () => {
    const { wall, uptime } = sinceProof();
    return isRefuted ? 0 : ttlMs - Math.max(Math.abs(wall), uptime);
  };
  return {
    fenced,
    provedForMs,
    renewed(wall: number, uptime: number) {
      provenWall = wall;
      provenUptime = uptime;
      isRefuted = false;
    },
    assertHeld() {
      if (provedForMs() > 0) return;
      // Only a renewal proves it again: a suspension may bring back the time to which the clock was set.
      isRefuted = true;
      throw fenced();
    },
    isLate() {
      const { wall, uptime } = sinceProof();
      return uptime >= ttlMs && Math.abs(wall - uptime) < lateToleranceMs;
    },
  };
}

/** Fails with `ACCOUNT_BUSY` if somebody holds the account who is not known to have ended. */
async function requireFree(db: Database, { account, isDead }: LeaseOptions, now: number): Promise<void> {
  const held = await findHeldLease(db, account, now);
  if (held && !isDead(held.holder)) throw await accountBusy(db, account);
}

async function accountBusy(db: Database, account: string): Promise<AirbatchError> {
  const current = await findLease(db, account);
  const which = current === null ? '' : ` (${processName(current.holder)})`;
  return new AirbatchError('ACCOUNT_BUSY', `another airbatch${which} is sending for account "${account}"`);
}

/** Logs that the previous program ended without releasing the account: the requests that it left are looked up. */
export function logTakeover(log: Pick<Log, 'warn'>, account: string, { tookOverFrom }: Lease): void {
  if (tookOverFrom === null) return;
  log.warn('the program that sent for the account has ended without releasing it; this program takes over', {
    account,
    before: tookOverFrom,
  });
}

/** A person who knows of it restores the whole ledger: the other accounts look rows up first, too. */
async function requireSameHistory(tx: Queryable, now: number, restored: boolean): Promise<void> {
  if (await isSameHistory(tx)) return;
  if (restored) return noteLedgerRestored(tx, now);
  throw new AirbatchError(
    'LEDGER_RESTORED',
    'the ledger was restored from a backup, or its database failed over to a replica: it may lack the last payments',
  );
}

function olderLedger(account: string): AirbatchError {
  return new AirbatchError(
    'LEDGER_RESTORED',
    `the ledger is older than the last work on account "${account}": it seems to have been restored from a backup`,
  );
}
