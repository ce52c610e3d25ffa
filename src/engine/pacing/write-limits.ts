import pLimit, { type LimitFunction } from 'p-limit';
import type { Database } from '../../ledger/drivers/database.ts';

/** Jobs of all accounts that write their intents at the same time: enough to share commits and keep the disk busy. */
const intentsAtOnceMax = 64;
/** Pages of lists that are applied at the same time, of up to a hundred rows each. */
const pagesAtOnceMax = 8;

/**
 * What all accounts of a ledger write at the same time is limited, because a window begins for all of them at once:
 * with a thousand accounts, sixty thousand rows are due in that instant. Without a limit their intents would wait in
 * line for a minute, and renewals of leases behind them; the leases would expire, and all those rows come into doubt
 * unsent. So the rows wait before their intents are written. An account whose service is slow holds up no other one,
 * because no request is made within the limits.
 */
export interface WriteLimits {
  intents: LimitFunction;
  pages: LimitFunction;
}

const ofLedgers = new WeakMap<Database, WriteLimits>();

export function writeLimits(db: Database): WriteLimits {
  const known = ofLedgers.get(db);
  if (known) return known;
  const limits = { intents: pLimit(intentsAtOnceMax), pages: pLimit(pagesAtOnceMax) };
  ofLedgers.set(db, limits);
  return limits;
}
