import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../ledger/drivers/database.ts';

/** Jobs of all accounts that write their intents at the same time: enough to share commits and keep the disk busy. */
const intentsAtOnceMax = 64;
/** Pages of lists that are applied at the same time, of up to a hundred rows each. */
const pagesAtOnceMax = 8;

/** Runs `job` when one of the places is free. Jobs that wait go by account, in turns, however many each has. */
export type InTurns = <Result>(account: string, job: () => Promise<Result>) => Promise<Result>;

/**
 * What all accounts of a ledger write at the same time is limited, because a window begins for all of them at once:
 * with a thousand accounts, sixty thousand rows are due in that instant. Without a limit their intents would wait in
 * line for a minute, and renewals of leases behind them; the leases would expire, and all those rows come into doubt
 * unsent. So the rows wait before their intents are written. An account whose service is slow holds up no other one,
 * because no request is made within the limits.
 */
export interface WriteLimits {
  intents: InTurns;
  /**
   * Resolves when no job waits to write its intents, or after `msMax`. Other work would delay the rows that are due,
   * and the windows of all accounts with them.
   */
  noIntentWaits(clock: Pick<Clock, 'sleep'>, msMax: number): Promise<void>;
  pages: LimitFunction;
}

const ofLedgers = new WeakMap<Database, WriteLimits>();

export function writeLimits(db: Database): WriteLimits {
  const known = ofLedgers.get(db);
  if (known) return known;
  const limits = { ...makeIntentLimit(intentsAtOnceMax), pages: pLimit(pagesAtOnceMax) };
  ofLedgers.set(db, limits);
  return limits;
}

/**
 * In one line for all, an account whose window is open would get four turns, and one that first asks for its window
 * would get one.
 */
function makeIntentLimit(atOnceMax: number): Pick<WriteLimits, 'intents' | 'noIntentWaits'> {
  /** The jobs that wait, by account: the account whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;
  let noneWaits: AbortController | null = null;
  const startNext = () => {
    const [next] = waiting;
    if (next === undefined || running === atOnceMax) return;
    const [account, [start, ...others]] = next;
    waiting.delete(account);
    if (others.length > 0) waiting.set(account, others);
    running += 1;
    start?.();
    if (waiting.size > 0) return;
    noneWaits?.abort();
    noneWaits = null;
  };
  return {
    async intents(account, job) {
      await new Promise<void>((start) => {
        waiting.set(account, [...(waiting.get(account) ?? []), start]);
        startNext();
      });
      try {
        return await job();
      } finally {
        running -= 1;
        startNext();
      }
    },
    async noIntentWaits(clock, msMax) {
      if (waiting.size === 0) return;
      noneWaits ??= new AbortController();
      await clock.sleep(msMax, noneWaits.signal);
    },
  };
}
