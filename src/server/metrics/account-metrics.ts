import { msUntilSent } from '../../core/time/rate-outlook.ts';
import { gateOf, stoppingPauses } from '../../engine/pacing/account-gate.ts';
import { type RequestClass, requestClasses } from '../../gateway/contract/gateway.ts';
import { allPaces, pauseReasonsInForce, webhooksWaiting } from '../../ledger/accounts/gauges.ts';
import type { StoredPace } from '../../ledger/accounts/pace.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { allLeases, type LeaseRecord } from '../../ledger/schema/lease-table.ts';
import type { RateUsage } from '../../limiter/limiter.ts';
import { secondsSince } from './batch-metrics.ts';
import type { SetMetric } from './metrics.ts';

/** An account that this process works for. `usage` is null until the account has a limiter. */
export interface AccountHere {
  name: string;
  working: boolean;
  usage: ((requestClass: RequestClass) => RateUsage) | null;
  /** How far this machine's clock is ahead of the service's; null until the service has answered. */
  clockAheadMs: number | null;
}

/** The leases, paces and pauses of all accounts: three reads, however many accounts there are. */
export interface AccountsInLedger {
  leaseOf: (account: string) => LeaseRecord | null;
  /** The pace that the present holder has stored; null if nobody holds the account, or nothing is stored yet. */
  paceOf: (account: string) => StoredPace | null;
  isWorkedOn: (account: string) => boolean;
  /** Since when the account is paused, by reason. */
  pausesOf: (account: string) => ReadonlyMap<string, number>;
}

export async function readAccounts(db: Queryable, now: number): Promise<AccountsInLedger> {
  const leases = new Map((await allLeases(db)).map((lease) => [lease.account, lease]));
  const paces = new Map((await allPaces(db)).map(({ account, pace }) => [account, pace]));
  const pauses = new Map<string, Map<string, number>>();
  for (const { account, reason, since } of await pauseReasonsInForce(db)) {
    const ofAccount = pauses.get(account) ?? new Map<string, number>();
    pauses.set(account, ofAccount.set(reason, since));
  }
  const isWorkedOn = (account: string) => (leases.get(account)?.expires_at ?? 0) > now;
  return {
    leaseOf: (account) => leases.get(account) ?? null,
    isWorkedOn,
    pausesOf: (account) => pauses.get(account) ?? new Map<string, number>(),
    paceOf(account) {
      const stored = paces.get(account);
      const pace = stored === undefined ? null : (JSON.parse(stored) as StoredPace);
      return isWorkedOn(account) && pace?.fence === leases.get(account)?.fence ? pace : null;
    },
  };
}

/** Since when each account is closed for each reason, where the ledger does not know it: since it was first seen. */
export type SeenClosed = Map<string, number>;

/** Sets what concerns the accounts of this process: may they send, how fast, and which webhooks wait. */
export async function setAccountMetrics(
  set: SetMetric,
  db: Queryable,
  facts: {
    accounts: readonly AccountHere[];
    known: AccountsInLedger;
    readyOf: (account: string) => number;
    isSending: (account: string) => boolean;
    seen: SeenClosed;
    now: number;
  },
): Promise<void> {
  const { accounts, known, readyOf, now } = facts;
  const stillClosed = new Set<string>();
  for (const here of accounts) {
    const { name: account } = here;
    const pace = known.paceOf(account);
    set('account_working', here.working ? 1 : 0, { account });
    set('lease_changes_total', known.leaseOf(account)?.fence ?? 0, { account });
    if (pace !== null) setPace(set, account, pace, { ready: readyOf(account), now });
    setRates(set, here);
    if (here.clockAheadMs !== null) set('clock_ahead_seconds', here.clockAheadMs / 1_000, { account });
    for (const key of setClosed(set, account, pace, facts)) stillClosed.add(key);
  }
  for (const key of facts.seen.keys()) if (!stillClosed.has(key)) facts.seen.delete(key);
  for (const { account, count } of await webhooksWaiting(db)) set('webhooks_waiting', count, { account });
}

function setPace(
  set: SetMetric,
  account: string,
  { late, outlook }: StoredPace,
  { ready, now }: { ready: number; now: number },
): void {
  const foreseen = Object.values(late).filter(({ finishBy }) => finishBy > now).length;
  set('batches_late', foreseen, { account, state: 'foreseen' });
  set('queue_seconds', msUntilSent(outlook, ready, now) / 1_000, { account });
}

function setRates(set: SetMetric, { name: account, usage }: AccountHere): void {
  if (usage === null) return;
  for (const requestClass of requestClasses) {
    const { used, limit } = usage(requestClass);
    set('rate_used', used, { account, class: requestClass });
    set('rate_allowed', limit, { account, class: requestClass });
  }
}

/** Returns the keys of the account's reasons in `seen`. */
function setClosed(
  set: SetMetric,
  account: string,
  pace: StoredPace | null,
  {
    known,
    isSending,
    seen,
    now,
  }: { known: AccountsInLedger; isSending: (account: string) => boolean; seen: SeenClosed; now: number },
): string[] {
  const paused = known.pausesOf(account);
  const pauses = stoppingPauses([...paused.keys()], isSending(account));
  const gate = gateOf({ ...pace?.gate, hasLease: known.isWorkedOn(account), pauses }, now);
  return (gate.isOpen ? [] : gate.causes).map(({ why, since }) => {
    const key = `${account} ${why}`;
    const first = seen.get(key) ?? now;
    seen.set(key, first);
    set('account_closed_seconds', secondsSince(since ?? paused.get(why) ?? first, now), { account, reason: why });
    return key;
  });
}
