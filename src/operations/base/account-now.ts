import { type CachedForecast, makeCachedForecast } from '../../engine/forecast/cached-forecast.ts';
import type { Forecast } from '../../engine/forecast/forecast.ts';
import { type Sending, sendingOf } from '../../engine/forecast/sending.ts';
import { type AccountGate, accountPausesOf, gateOf } from '../../engine/pacing/account-gate.ts';
import { type StoredPace, storedPace } from '../../ledger/accounts/pace.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { findLease } from '../../ledger/schema/leases.ts';
import { isDeadProcess } from '../../runtime/session/process-holder.ts';
import type { Session } from '../../runtime/session/session.ts';

/** The ledger, and the time. */
export type LedgerNow = Pick<Session, 'db' | 'clock'>;

/** An account at this moment, as all of its batches find it. */
export interface AccountNow {
  /** The process that has it (`host/pid/start`), and so works on its batches; null where none does. */
  worker: string | null;
  /** How fast it is sending; null where nobody works on it. */
  pace: StoredPace | null;
  /** Whether it may send now, and if not, until when and why. */
  gate: AccountGate;
  sending: readonly Sending[];
  /**
   * What becomes of them at that pace, by their ids; nothing is known of them while nobody works on it. Of thousands
   * it takes seconds.
   */
  foreseen: () => ReadonlyMap<string, Forecast>;
}

/** The process that has the account now: see `AccountNow`. */
export async function workerOf({ db, clock }: LedgerNow, account: string): Promise<string | null> {
  const lease = await findLease(db, account);
  // One that was killed keeps its hold until that runs out.
  return lease && lease.expires_at > clock.now() && !isDeadProcess(lease.holder) ? lease.holder : null;
}

/** Whether a program works for the account now, and so goes on with its batches by itself. */
export async function hasWorker(session: LedgerNow, account: string): Promise<boolean> {
  return (await workerOf(session, account)) !== null;
}

/** One for each open ledger: whoever looks again and again does not forecast each time. */
const forecasts = new WeakMap<LedgerNow['db'], CachedForecast>();

function forecastOf({ db, clock }: LedgerNow): CachedForecast {
  const known = forecasts.get(db) ?? makeCachedForecast(clock);
  forecasts.set(db, known);
  return known;
}

export async function accountNow(session: LedgerNow, account: string): Promise<AccountNow> {
  const { db, clock } = session;
  const worker = await workerOf(session, account);
  const pace = worker === null ? null : await storedPace(db, account, clock.now());
  const pauses = await accountPausesOf(db, account);
  // A throttle that ends within a second is over before anybody has read of it.
  const gate = gateOf({ ...pace?.gate, hasLease: worker !== null, pauses }, clock.now() + 1_000);
  const sending = await sendingOf(db, account);
  let known: ReadonlyMap<string, Forecast> | null = null;
  const foreseen = () => {
    known ??= pace === null ? new Map<string, Forecast>() : forecastOf(session)(account, sending, pace);
    return known;
  };
  return { worker, pace, gate, sending, foreseen };
}

/** Looks at each account once: for one picture of hundreds of batches, each of which waits for others of them. */
export function accountsNow(session: LedgerNow): (account: string) => Promise<AccountNow> {
  const known = new Map<string, Promise<AccountNow>>();
  return (account) => {
    const found = known.get(account) ?? accountNow(session, account);
    known.set(account, found);
    return found;
  };
}

/** The pace at which a batch of the account is sent at this moment; null while it is not. */
export function paceOf({ pace }: AccountNow, { status }: BatchRecord): StoredPace | null {
  return status === 'running' ? pace : null;
}

/** What keeps the account of a batch from sending it at this moment; open while the batch itself is not sent. */
export function gateOfBatch(account: AccountNow, batch: BatchRecord): AccountGate {
  return paceOf(account, batch) === null ? { isOpen: true } : account.gate;
}
