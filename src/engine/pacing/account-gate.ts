import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import { type StoredGate, storedPace } from '../../ledger/accounts/pace.ts';
import { openPausesOfAccount } from '../../ledger/batches/pauses.ts';
import { countRowsSending } from '../../ledger/batches/row-counts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { findHeldLease } from '../../ledger/schema/lease-table.ts';

/** The pauses that stop every batch of an account, in order: first those that require a look at the payments. */
export const accountPauses = ['service_mismatch', 'credentials_rejected', 'insufficient_balance'] as const;
export type AccountPause = (typeof accountPauses)[number];

/** Why an account sends nothing. */
export const gateReasons = ['ledger_unusable', 'no_lease', ...accountPauses, 'throttled', 'unreachable'] as const;
export type GateReason = (typeof gateReasons)[number];

/** One reason why an account's gate is closed. Times are epoch ms. */
export interface GateCause {
  why: GateReason;
  /** Null if unknown. */
  since: number | null;
  /** When the cause ends by itself; null if a person or the service must end it. */
  until: number | null;
  /** For `throttled`; otherwise null. */
  throttle: ThrottleWait | null;
}

/**
 * Whether an account may send now. If not: `why`, the cause that must end first; `until`, null if a cause does not end
 * by itself at a known time; and all causes.
 */
export type AccountGate =
  | { isOpen: true }
  | { isOpen: false; why: GateReason; until: number | null; causes: GateCause[] };

/** The facts that can close an account's gate. A fact that is left out does not close it. */
export interface GateCauses extends Partial<StoredGate> {
  /** Whether the ledger can be used: false if its file was moved or replaced, or cannot be written. */
  isLedgerUsable?: boolean;
  /** Whether a program has the account's lease: without it nobody sends. */
  hasLease?: boolean;
  pauses?: readonly AccountPause[];
}

/**
 * Combines the causes. Causes that only a person can end come first, because waiting for the others is useless until
 * then. Throttling comes before an outage, because a service that throttles can be reached.
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
  return gateBy(found);
}

/** The gate that these causes close. The first one must end first. */
function gateBy(causes: GateCause[]): AccountGate {
  const [first] = causes;
  if (first === undefined) return { isOpen: true };
  const ends = causes.map(({ until }) => until);
  const until = ends.reduce((last, end) => (last === null || end === null ? null : Math.max(last, end)));
  return { isOpen: false, why: first.why, until, causes };
}

/** The gate as it is without causes of this kind. */
export function gateWithout(gate: AccountGate, why: GateReason): AccountGate {
  return gate.isOpen ? gate : gateBy(gate.causes.filter((cause) => cause.why !== why));
}

/** The cause of this kind among all causes that keep a gate closed; null if there is none. */
export function causeOf(gate: AccountGate, why: GateReason): GateCause | null {
  return gate.isOpen ? null : (gate.causes.find((cause) => cause.why === why) ?? null);
}

/** Whether it is known when the account sends again. */
export function isForeseeable(gate: AccountGate): boolean {
  return gate.isOpen || gate.until !== null;
}

/** The gate of an account according to the ledger. */
export async function readGate(db: Queryable, account: string, now: number): Promise<AccountGate> {
  const lease = await findHeldLease(db, account, now);
  const pace = await storedPace(db, account, now);
  return gateOf({ ...pace?.gate, hasLease: lease !== null, pauses: await accountPausesOf(db, account) }, now);
}

/** The pauses that stop every batch of the account. */
export async function accountPausesOf(db: Queryable, account: string): Promise<AccountPause[]> {
  const reasons = (await openPausesOfAccount(db, account)).map(({ reason }) => reason);
  if (reasons.length === 0) return [];
  const sending = [...(await countRowsSending(db, account)).values()];
  return stoppingPauses(
    reasons,
    sending.some((counts) => counts.has('ready')),
  );
}

/**
 * Those of an account's pauses that stop every batch of it. If another batch is being sent (it was approved later, or
 * resumed), a lack of money or credentials stops only the paused ones.
 */
export function stoppingPauses(reasons: readonly string[], isSending: boolean): AccountPause[] {
  return accountPauses.filter((why) => reasons.includes(why) && (why === 'service_mismatch' || !isSending));
}
