import { type CachedForecast, makeCachedForecast } from '../../engine/forecast/cached-forecast.ts';
import type { Forecast } from '../../engine/forecast/forecast.ts';
import { type Sending, sendingOf } from '../../engine/forecast/sending.ts';
import { type AccountGate, accountPausesOf, gateOf } from '../../engine/pacing/account-gate.ts';
import { type StoredPace, storedPace } from '../../ledger/accounts/pace.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { findHeldLease } from '../../ledger/schema/lease-table.ts';
import { accountState } from '../../ledger/schema/state-columns.ts';
import { isDeadProcess } from '../../runtime/session/process-holder.ts';
import type { Session } from '../../runtime/session/session.ts';

/** The ledger, and the time. */
export type LedgerNow = Pick<Session, 'db' | 'clock'>;

/** An account at this moment, as it affects all of its batches. */
export interface AccountNow {
  /** The process that holds the account (`host/pid/start`) and works on its batches; null if there is none. */
  worker: string | null;
  /** How fast the process sends; null if no process works on the account. */
  pace: StoredPace | null;
  /** Whether the account may send now; if not, until when and why. */
  gate: AccountGate;
  sending: readonly Sending[];
  /** After a restore, nothing is sent before the service's list is read; whether it is still to be read. */
  isListUnread: boolean;
  /**
   * A forecast for each batch at that pace, by batch id. Empty if no process works on the account. It takes seconds for
   * thousands of batches.
   */
  foreseen: () => ReadonlyMap<string, Forecast>;
}

/** The process that holds the account now: see `AccountNow`. */
export async function workerOf({ db, clock }: LedgerNow, account: string): Promise<string | null> {
  const lease = await findHeldLease(db, account, clock.now());
  return lease && !isDeadProcess(lease.holder) ? lease.holder : null;
}

/** Whether a program works for the account now and so continues its batches by itself. */
export async function hasWorker(session: LedgerNow, account: string): Promise<boolean> {
  return (await workerOf(session, account)) !== null;
}

/** One cache for each open ledger, so that a caller that looks repeatedly does not compute each forecast anew. */
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
  // A throttle that ends within a second is over before anybody has read about it.
  const gate = gateOf({ ...pace?.gate, hasLease: worker !== null, pauses }, clock.now() + 1_000);
  const sending = await sendingOf(db, account);
  const isListUnread = (await accountState.lostFrom.read(db, account)) !== null;
  let known: ReadonlyMap<string, Forecast> | null = null;
  const foreseen = () => {
    known ??= pace === null ? new Map<string, Forecast>() : forecastOf(session)(account, sending, pace);
    return known;
  };
  return { worker, pace, gate, sending, isListUnread, foreseen };
}

/** Reads each account only once, for a view of hundreds of batches that wait for each other. */
export function accountsNow(session: LedgerNow): (account: string) => Promise<AccountNow> {
  const known = new Map<string, Promise<AccountNow>>();
  return (account) => {
    const found = known.get(account) ?? accountNow(session, account);
    known.set(account, found);
    return found;
  };
}

/** The pace at which a batch of the account is sent now; null if it is not being sent. */
export function paceOf({ pace }: AccountNow, { status }: BatchRecord): StoredPace | null {
  return status === 'running' ? pace : null;
}

/** What keeps the account from sending a batch now. The gate is open if the batch itself is not being sent. */
export function gateOfBatch(account: AccountNow, batch: BatchRecord): AccountGate {
  return paceOf(account, batch) === null ? { isOpen: true } : account.gate;
}
