import { AirbatchError, type ErrorCode, errorMessage } from '../../core/basics/errors.ts';
import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { AccountRunner } from '../../engine/account-runner.ts';
import type { RequestClass } from '../../gateway/contract/gateway.ts';
import { LimiterStopped, type RateUsage } from '../../limiter/limiter.ts';
import type { OpenAccount } from './account.ts';

/** An account that this process works for whenever no other process holds it. */
export interface SupervisedAccount {
  /** When it was last opened here (epoch ms): a batch that ended before was ended by another runner. */
  openedAt(): number;
  readonly name: string;
  /** False while another process holds the account, or while the ledger cannot be written. */
  isWorking(): boolean;
  /** How much of its rate limits is used; null while the account is not open here. */
  usage(): ((requestClass: RequestClass) => RateUsage) | null;
  /** How far this machine's clock is ahead of the service's; null until the service has answered here. */
  clockAheadMs(): number | null;
  /**
   * Does work with the account that is open here. If another process holds the account, opens it for the duration of
   * the work.
   */
  use<Result>(work: (account: OpenAccount) => Promise<Result>): Promise<Result>;
  /** A person or a job has changed something: look at the batches now. */
  nudge(): void;
  /** A webhook for the account has arrived. */
  hint(): void;
  /** Ends what is in flight, and opens the account again: its credentials have changed. */
  reopen(): void;
  /** Since when the service answers nothing here (monotonic ms); null if it has answered, or was not asked since. */
  silentSince(): number | null;
  /** Stops sending. Resolves when every request in flight has its outcome and the lease is released. */
  stop(): Promise<void>;
  /** Once it is stopped: breaks off the requests in flight, whose rows come into doubt. */
  breakOff(): void;
  /** Resolves when the account was stopped; rejects on an error that does not pass by itself. */
  readonly ended: Promise<void>;
}

export interface SuperviseAccountDeps {
  clock: Clock;
  log: Log;
  /** Called again after each error that passes. */
  open: () => Promise<OpenAccount>;
  makeRunner: (account: OpenAccount) => AccountRunner;
  /** Whether several machines share the ledger: then an account is opened again within seconds. */
  isShared: boolean;
  /**
   * Called for each error that needs a person, each time it occurs. If `isTriedAgain` is false, this process does
   * nothing more for the account.
   */
  onStandstill: (error: unknown, isTriedAgain: boolean) => void;
}

/** How soon to ask again for an account that another process holds. Its lease is released, or expires in 15 s. */
const busyRetryMs = 5_000;
/**
 * How soon to continue after an error of the ledger: a full window of the rate limits (a minute, spec section 8.1).
 * Requests from before then no longer count against any limit, which matters because the new limiter does not know of
 * them.
 */
const ledgerRetryMs = 60_000;
/** An account that was open for this long was worked for: each step waits at most 5 s for the ledger. */
const workedMs = 60_000;

/** How soon the account is opened again after an error, and when a person is notified of it. */
interface Patience {
  retryMs: number;
  /** `if lasting`: when it has occurred for a minute. Then another program causes it, and a person must end it. */
  notifies: 'never' | 'at once' | 'if lasting';
}

/**
 * Errors that pass by themselves, or when a person frees space. Every other error ends the process, so that a person
 * looks at it.
 */
const passing: Partial<Record<ErrorCode, Patience>> = {
  ACCOUNT_BUSY: { retryMs: busyRetryMs, notifies: 'never' },
  FENCED: { retryMs: ledgerRetryMs, notifies: 'never' },
  LEDGER_BUSY: { retryMs: ledgerRetryMs, notifies: 'if lasting' },
  LEDGER_FULL: { retryMs: ledgerRetryMs, notifies: 'at once' },
  LEDGER_IO: { retryMs: ledgerRetryMs, notifies: 'at once' },
};

/** How soon an account that was just placed on this machine is tried again: its last holder releases it in seconds. */
const placedRetryMs = 500;
/** How soon a database that could not be reached is tried again. */
const databaseRetryMs = 5_000;

/**
 * The same for a database on a server, which is often away for seconds. All accounts lose it together, so people are
 * notified of it once (serving/placing.ts). `LEDGER_SYNC`: the next program that takes the account sees what was
 * committed.
 */
const passingIfShared: typeof passing = {
  ACCOUNT_BUSY: { retryMs: placedRetryMs, notifies: 'never' },
  FENCED: { retryMs: placedRetryMs, notifies: 'never' },
  LEDGER_BUSY: { retryMs: databaseRetryMs, notifies: 'never' },
  LEDGER_FULL: { retryMs: databaseRetryMs, notifies: 'at once' },
  LEDGER_IO: { retryMs: databaseRetryMs, notifies: 'never' },
  LEDGER_SYNC: { retryMs: databaseRetryMs, notifies: 'never' },
};
/**
 * Any other error of one account. It must not end the process: each machine would take the account over, and end as
 * well. Other errors of the ledger concern all accounts.
 */
const ofOneAccount: Patience = { retryMs: ledgerRetryMs, notifies: 'at once' };

/** Null if waiting does not help. */
function patienceWith(code: ErrorCode | null, isShared: boolean): Patience | null {
  if (!isShared) return (code && passing[code]) ?? null;
  return (code && passingIfShared[code]) ?? (code?.startsWith('LEDGER_') ? null : ofOneAccount);
}

/**
 * Reports an error of an account. Returns how long to wait until the account is opened again (ms), or null if waiting
 * does not help. The function gets the error, and for how long the account was open before it (ms).
 */
function makeTroubles(
  name: string,
  { log, onStandstill, isShared }: Pick<SuperviseAccountDeps, 'log' | 'onStandstill' | 'isShared'>,
): (error: unknown, openMs: number) => number | null {
  /** The code of the previous error, unless the account was worked for since then. */
  let lastCode: ErrorCode | null = null;
  return (error, openMs) => {
    const code = error instanceof AirbatchError ? error.code : null;
    const patience = patienceWith(code, isShared);
    // An error that keeps the account from being worked for shows within seconds.
    const isLasting = code === lastCode && openMs < workedMs;
    const isForPerson = patience?.notifies === 'at once' || (isLasting && patience?.notifies === 'if lasting');
    if (patience === null || isForPerson) onStandstill(error, patience !== null);
    if (patience === null) return null;
    // The error may last for hours, so it is logged once and not at every attempt.
    if (!isLasting) {
      log.warn('airbatch cannot work for the account now; it tries again', {
        account: name,
        code,
        error: errorMessage(error),
      });
    }
    lastCode = code;
    return patience.retryMs;
  };
}

/** Works with the account that is open here, and keeps it open meanwhile; else opens it for this work. */
async function useAccount<Result>(
  name: string,
  work: (account: OpenAccount) => Promise<Result>,
  {
    opened,
    users,
    open,
  }: { opened: OpenAccount | null; users: Set<Promise<unknown>>; open: () => Promise<OpenAccount> },
): Promise<Result> {
  if (opened !== null) {
    const use = work(opened).catch((error: unknown) => {
      // The account was handed over, or is opened again with other credentials: what waited for a request was not sent.
      if (!(error instanceof LimiterStopped)) throw error;
      throw new AirbatchError('ACCOUNT_BUSY', `the account "${name}" was just left to another program`, {
        hint: 'Try again.',
        cause: error,
      });
    });
    users.add(use);
    return use.finally(() => users.delete(use));
  }
  const own = await open();
  try {
    return await work(own);
  } finally {
    await own.close();
  }
}

function clockAheadMs(opened: OpenAccount | null, clock: Pick<Clock, 'now'>): number | null {
  const serviceTime = opened?.gateway.serviceTime() ?? null;
  return serviceTime === null ? null : clock.now() - serviceTime;
}

/**
 * Works for an account until it is stopped. Waits while another process holds the account, and opens it again after
 * errors that pass.
 */
export function superviseAccount(name: string, deps: SuperviseAccountDeps): SupervisedAccount {
  const { clock, open, makeRunner } = deps;
  const stopping = new AbortController();
  let runner: AccountRunner | null = null;
  let opened: OpenAccount | null = null;
  let openedAt = clock.now();
  /** Set if the account must be opened again, although it is just being opened. */
  let isStale = false;
  // The account stays open while any caller works with it.
  const users = new Set<Promise<unknown>>();
  const waitAfter = makeTroubles(name, deps);

  const work = async () => {
    isStale = false;
    openedAt = clock.now();
    const account = await open();
    try {
      if (stopping.signal.aborted || isStale) return;
      opened = account;
      runner = makeRunner(account);
      await runner.run(Number.POSITIVE_INFINITY);
    } finally {
      runner = null;
      opened = null;
      await Promise.allSettled(users);
      await account.close();
    }
  };

  const keep = async () => {
    while (!stopping.signal.aborted) {
      const begunAt = clock.monotonic();
      try {
        await work();
      } catch (error) {
        const waitMs = waitAfter(error, clock.monotonic() - begunAt);
        if (waitMs === null) throw error;
        await clock.sleep(waitMs, stopping.signal);
      }
    }
  };

  const ended = keep();
  // A caller may wait only for `stop`. Then a rejection of `ended` that nobody handles must not end the process.
  ended.catch(() => undefined);
  return {
    name,
    openedAt: () => openedAt,
    isWorking: () => runner?.isWorking() ?? false,
    hint: () => runner?.hint(),
    nudge: () => runner?.nudge(),
    usage: () => opened?.limiter.usage ?? null,
    clockAheadMs: () => clockAheadMs(opened, clock),
    use: (work) => useAccount(name, work, { opened, users, open }),
    reopen() {
      isStale = true;
      runner?.stop();
    },
    silentSince: () => opened?.silentSince() ?? null,
    async stop() {
      stopping.abort();
      runner?.stop();
      await ended.catch(() => undefined);
    },
    breakOff: () => opened?.breakOff(),
    ended,
  };
}
