import { isoTime } from '../../core/time/clock.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import type { CreateOutcome, ReadProblem, RequestClass } from '../../gateway/contract/gateway.ts';
import type { StoredGate } from '../../ledger/accounts/pace.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import { makeAccountThrottle } from './account-throttle.ts';
import { makeOutage, type OutageDeps } from './outage.ts';

/** A 429 as the answer to any request. */
type Throttled = Extract<CreateOutcome | ReadProblem, { kind: 'throttled' }>;

/** Closes and opens the gate of an account according to the service's answers, while the account's runner lives. */
export interface GateKeeper {
  /**
   * A request was answered with 429: nothing of the account is sent or asked until the wait ends, however long it is
   * (invariant I10); after a day, it is tried again. Resolves to the length of the wait (ms) once the wait is durable,
   * so that a restarted program continues to wait. A commit that is started later in the same turn does not become
   * durable earlier.
   */
  throttled(requestClass: RequestClass, answer: Throttled): Promise<number>;
  /** Notes the outcome of a payment. `readyAt` (epoch ms): when its row may be sent again, if nothing was sent. */
  noteOutcome(outcome: CreateOutcome, readyAt: number | undefined): Promise<void>;
  /** How many of this many rows may be sent now: only one while payments go unanswered, to test the service. */
  rowsNow(rows: number): number;
  /** Whether a request that is about to be written must not be: a 429 has closed the gate since it was admitted. */
  isClosed(): boolean;
  /** Whether more consecutive payments went unanswered than chance explains. */
  isUnansweredOften(): boolean;
  /** Whether the service has refused the account's credentials, and was not asked since whether they can still read. */
  isRefused(): boolean;
  setRefused(isRefused: boolean): void;
  /** Continues a wait that the previous program stored. */
  restore(throttle: ThrottleWait | null): void;
  /** The causes that close the gate, for other processes and for the next program. */
  causes(): StoredGate;
}

export interface GateKeeperDeps extends OutageDeps {
  account: string;
  limiter: Pick<Limiter, 'hold' | 'rest' | 'usage' | 'isHeld'>;
}

/** `save` makes the causes durable. */
export function makeGateKeeper(deps: GateKeeperDeps): GateKeeper {
  const { account, limiter, log, save } = deps;
  const throttle = makeAccountThrottle(deps);
  const outage = makeOutage(deps);
  const { isUnansweredOften } = outage;
  let refused = false;
  return {
    async throttled(requestClass, { retryAfterMs, evidence: { code, requestId } }) {
      const { wait, waitMs, isLater, isNewlyLong } = throttle.hold(requestClass, retryAfterMs);
      if (isNewlyLong)
        log.warn(
          'the service makes the account wait for a long time, and airbatch sends nothing until then: ask the service why',
          {
            account,
            since: isoTime(wait.since),
            until: isoTime(wait.until),
            retry_after_ms: wait.saidMs,
            code,
            request_id: requestId,
            request: requestClass,
          },
        );
      if (isLater) await save();
      return waitMs;
    },
    async noteOutcome(outcome, readyAt) {
      await outage.noteOutcome(outcome, readyAt);
      if (outcome.kind === 'accepted' || outcome.kind === 'refused') throttle.end();
    },
    rowsNow(rows) {
      if (limiter.isHeld('creation')) return 0;
      if (rows === 0 || !isUnansweredOften()) return rows;
      outage.rest();
      return 1;
    },
    isClosed: () => limiter.isHeld(),
    isUnansweredOften,
    isRefused: () => refused,
    setRefused(isRefused) {
      refused = isRefused;
    },
    restore: (stored) => void throttle.restore(stored),
    causes: () => ({ throttle: throttle.wait(), unreachableSince: outage.since() }),
  };
}
