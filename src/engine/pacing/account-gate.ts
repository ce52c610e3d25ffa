import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import { type StoredGate, storedPace } from '../../ledger/accounts/pace.ts';
import { openPausesOfAccount } from '../../ledger/batches/pauses.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { findLease } from '../../ledger/schema/leases.ts';

/** The pauses that stop every batch of an account; those that need a look at the payments come first. */
export const accountPauses = ['service_mismatch', 'credentials_rejected', 'insufficient_balance'] as const;
export type AccountPause = (typeof accountPauses)[number];

/** Why nothing is sent from an account. */
export type GateReason = 'ledger_unusable' | 'no_lease' | AccountPause | 'throttled' | 'unreachable';

/** One reason why an account's gate is closed. Times are epoch ms. */
export interface GateCause {
  why: GateReason;
  /** Null where it is not known. */
  since: number | null;
  /** When it ends by itself; null where a person or the service must end it. */
  until: number | null;
  /** Of `throttled`. */
  throttle: ThrottleWait | null;
}

/**
 * Whether an account may send now. If not: why, the cause that must end first; until when, which is null where a cause
 * does not end by itself at a known time; and all causes.
 */
export type AccountGate =
  | { isOpen: true }
  | { isOpen: false; why: GateReason; until: number | null; causes: GateCause[] };

/** What can close an account's gate. What is left out does not. */
export interface GateCauses extends Partial<StoredGate> {
  /** Whether the ledger can be used: not if its file was moved, replaced or cannot be written. */
  isLedgerUsable?: boolean;
  /** Whether a program has the account's lease: without it nobody sends. */
  hasLease?: boolean;
  pauses?: readonly AccountPause[];
}

/**
 * Combines the causes. First comes what only a person mends, since waiting for the others is in vain until then. A
 * service that throttles is there, so that comes before an outage.
 */
export function gateOf(causes: GateCauses, now: number): AccountGate {
  const { isLedgerUsable = true, hasLease = true, pauses = [], throttle = null, unreachableSince = null } = causes;
  const found: GateCause[] = [];
  const add = (why: GateReason, fields: Partial<GateCause> = {}) =>
    found.push({ why, since: null, until: null, throttle: null, ...fields });
  if (!isLedgerUsable) add('ledger_unusable');
  if (!hasLease) add('no_lease');
  for (const why of accountPauses) if (pauses.includes(why)) add(why);
  if (throttle !== null && throttle.until > now)
    add('throttled', { since: throttle.since, until: throttle.until, throttle });
  if (unreachableSince !== null) add('unreachable', { since: unreachableSince });
  const [first] = found;
  if (first === undefined) return { isOpen: true };
  const ends = found.map(({ until }) => until);
  const until = ends.reduce((last, end) => (last === null || end === null ? null : Math.max(last, end)));
  return { isOpen: false, why: first.why, until, causes: found };
}

/** The cause of this kind that keeps a gate closed, whether or not it comes first; null if there is none. */
export function causeOf(gate: AccountGate, why: GateReason): GateCause | null {
  return gate.isOpen ? null : (gate.causes.find((cause) => cause.why === why) ?? null);
}

/** Whether it is known when the account sends again. */
export function isForeseeable(gate: AccountGate): boolean {
  return gate.isOpen || gate.until !== null;
}

/** The gate of an account, as the ledger shows it. */
export async function readGate(db: Queryable, account: string, now: number): Promise<AccountGate> {
  const lease = await findLease(db, account);
  const pace = await storedPace(db, account, now);
  const hasLease = lease !== null && lease.expires_at > now;
  return gateOf({ ...pace?.gate, hasLease, pauses: await accountPausesOf(db, account) }, now);
}

/** The pauses that stop every batch of the account. */
export async function accountPausesOf(db: Queryable, account: string): Promise<AccountPause[]> {
  const reasons = (await openPausesOfAccount(db, account)).map(({ reason }) => reason);
  return accountPauses.filter((why) => reasons.includes(why));
}
