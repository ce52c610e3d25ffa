import { AirbatchError, type ErrorCode, errorMessage } from '../../core/basics/errors.ts';
import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { AccountRunner } from '../../engine/account-runner.ts';
import type { RequestClass } from '../../gateway/contract/gateway.ts';
import type { RateUsage } from '../../limiter/limiter.ts';
import type { OpenAccount } from './account.ts';

/** An account that this process works for whenever no other process has it. */
export interface SupervisedAccount {
  readonly name: string;
  /** False while another process has the account, or the ledger cannot be written. */
  isWorking(): boolean;
  /** How much of its rates is used; null while it is not open here. */
  usage(): ((requestClass: RequestClass) => RateUsage) | null;
  /** Works with the account as it is open here; where another process has it, it is opened for the while. */
  use<Result>(work: (account: OpenAccount) => Promise<Result>): Promise<Result>;
  /** Something changed that a person or a job did: look now. */
  nudge(): void;
  /** A webhook was received for it. */
  hint(): void;
  /** Nothing more is sent; resolves when what was in flight has its outcome and the account is given back. */
  stop(): Promise<void>;
  /** Resolves when it was stopped; rejects on trouble that no waiting mends. */
  readonly ended: Promise<void>;
}

export interface SuperviseAccountDeps {
  clock: Clock;
  log: Log;
  /** Opened anew after every trouble. */
  open: () => Promise<OpenAccount>;
  makeRunner: (account: OpenAccount) => AccountRunner;
  /**
   * Told of trouble that only a person mends, each time that it is met; `isTriedAgain`: else nothing more is done for
   * the account.
   */
  onStandstill: (error: unknown, isTriedAgain: boolean) => void;
}

/** How soon an account that another process has is asked for again: its lease is given back, or expires in 15 s. */
const busyRetryMs = 5_000;
/**
 * How soon to go on after trouble with the ledger. A full window of the rate limits (a minute, spec section 8.1): what
 * was sent before counts against nobody's limit any more, and the new limiter knows nothing of it.
 */
const ledgerRetryMs = 60_000;
/** An account that was open for as long was worked for: each step waits 5 s at most for the ledger. */
const workedMs = 60_000;

/** What passes by itself or when a person makes room; everything else ends the process, so that somebody looks. */
const waits: Partial<Record<ErrorCode, number>> = {
  ACCOUNT_BUSY: busyRetryMs,
  FENCED: ledgerRetryMs,
  LEDGER_BUSY: ledgerRetryMs,
  LEDGER_FULL: ledgerRetryMs,
  LEDGER_IO: ledgerRetryMs,
};
/** What of it no time alone mends. */
const forPerson: readonly (ErrorCode | null)[] = ['LEDGER_FULL', 'LEDGER_IO'];
/**
 * What passes within a minute, as a rule: met a second time in a row, it is another program's that somebody must end.
 */
const forPersonIfLasting: readonly (ErrorCode | null)[] = ['LEDGER_BUSY'];

/**
 * Reports trouble with an account, and returns how long to wait until the account is opened again (ms), or null if
 * waiting does not help. The function gets the trouble, and for how long the account was open before it (ms).
 */
function makeTroubles(
  name: string,
  { log, onStandstill }: Pick<SuperviseAccountDeps, 'log' | 'onStandstill'>,
): (error: unknown, openMs: number) => number | null {
  /** What was met the last time, unless the account was worked for since. */
  let lastCode: ErrorCode | null = null;
  return (error, openMs) => {
    const code = error instanceof AirbatchError ? error.code : null;
    const wait = code === null ? undefined : waits[code];
    // What keeps the account from being worked for shows within seconds.
    const isLasting = code === lastCode && openMs < workedMs;
    const isForPerson = forPerson.includes(code) || (isLasting && forPersonIfLasting.includes(code));
    if (wait === undefined || isForPerson) onStandstill(error, wait !== undefined);
    if (wait === undefined) return null;
    // It may last for hours: said once, not at every look.
    if (!isLasting) {
      log.warn('the account cannot be worked for now; it is tried again', {
        account: name,
        code,
        error: errorMessage(error),
      });
    }
    lastCode = code;
    return wait;
  };
}

/**
 * Works for an account until it is stopped. It waits while another process has the account, and opens it again after
 * trouble that passes.
 */
export function superviseAccount(name: string, deps: SuperviseAccountDeps): SupervisedAccount {
  const { clock, open, makeRunner } = deps;
  const stopping = new AbortController();
  let runner: AccountRunner | null = null;
  let opened: OpenAccount | null = null;
  // The account is not closed while somebody works with it.
  const users = new Set<Promise<unknown>>();
  const waitAfter = makeTroubles(name, deps);

  const work = async () => {
    const account = await open();
    try {
      if (stopping.signal.aborted) return;
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
  // Whoever waits for `stop` alone must not end the process by a rejection that nobody hears.
  ended.catch(() => undefined);
  return {
    name,
    isWorking: () => runner?.isWorking() ?? false,
    hint: () => runner?.hint(),
    nudge: () => runner?.nudge(),
    usage: () => opened?.limiter.usage ?? null,
    async use(work) {
      const account = opened;
      if (account !== null) {
        const use = work(account);
        users.add(use);
        return use.finally(() => users.delete(use));
      }
      const own = await open();
      try {
        return await work(own);
      } finally {
        await own.close();
      }
    },
    async stop() {
      stopping.abort();
      runner?.stop();
      await ended.catch(() => undefined);
    },
    ended,
  };
}
