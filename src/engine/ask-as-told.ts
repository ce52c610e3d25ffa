import type { Clock } from '../core/clock.ts';
import { longWaitMs, type ToldWait, waitMsOf } from '../core/told-wait.ts';
import type { ReadProblem, RequestClass } from '../gateway/gateway.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { longHold } from './long-hold.ts';

type Throttled = Extract<ReadProblem, { kind: 'throttled' }>;

/** Who asks beside the account's runner, under its limiter. */
export interface Asking {
  limiter: Pick<Limiter, 'admit' | 'hold' | 'usage'>;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Told of a wait before it begins; once a minute where one question is told to wait again and again. */
  onWait?: ((told: ToldWait) => void) | undefined;
}

/** A service that tells to wait for a second again and again is one trouble: a person is told of it again after so long. */
const toldEveryMs = 60_000;

/** A request beside those of the account's runner was told to wait for so long (ms): nothing of the account is sent or asked meanwhile. */
export function holdAsTold(
  { limiter, clock }: { limiter: Pick<Limiter, 'hold'>; clock: Pick<Clock, 'now'> },
  requestClass: RequestClass,
  saidMs: number,
  lastedMs = 0,
): ToldWait {
  const at = clock.now();
  const waitMs = waitMsOf(saidMs, lastedMs);
  limiter.hold(requestClass, waitMs);
  return { since: at - lastedMs, at, saidMs, until: at + waitMs };
}

/** In place of an answer for which the account would have to wait long: it was told so in answer to something else. */
export function notAsked(retryAfterMs: number): Throttled {
  const message = 'the service tells the account to wait';
  return {
    kind: 'throttled',
    retryAfterMs,
    evidence: { httpStatus: null, code: 'told_to_wait', message, requestId: null },
  };
}

/**
 * Asks a question beside the account's runner. Told to wait, the whole account waits, and it is asked again then; where that takes a quarter of
 * an hour or more, in one answer or in short ones one after another, it is not, and the account goes on waiting.
 */
export async function askAsTold<Outcome extends { kind: string }>(
  { limiter, clock, onWait = () => undefined }: Asking,
  requestClass: RequestClass,
  ask: () => Promise<Outcome>,
): Promise<Outcome | Throttled> {
  let throttledSince: number | null = null;
  const giveUpAt = clock.monotonic() + longWaitMs;
  let toldAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const until = longHold({ limiter, clock }, requestClass);
    if (until !== null) return notAsked(until - clock.now());
    const outcome = await limiter.admit(requestClass, ask);
    if (!isThrottled(outcome)) return outcome;
    throttledSince ??= clock.monotonic();
    const lastedMs = clock.monotonic() - throttledSince;
    const told = holdAsTold({ limiter, clock }, requestClass, outcome.retryAfterMs, lastedMs);
    if (clock.monotonic() - toldAt >= toldEveryMs) {
      onWait(told);
      toldAt = clock.monotonic();
    }
    if (clock.monotonic() + Math.max(outcome.retryAfterMs, told.until - told.at) >= giveUpAt) return outcome;
  }
}

function isThrottled(outcome: { kind: string }): outcome is Throttled {
  return outcome.kind === 'throttled';
}
