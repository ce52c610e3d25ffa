import { type Random, withJitter } from '../../core/basics/random.ts';
import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { CreateOutcome } from '../../gateway/contract/gateway.ts';
import { unusableText } from '../../gateway/transport/answers.ts';
import type { Limiter } from '../../limiter/limiter.ts';

/** Stops an account while its service is unreachable or does not answer payments properly. */
export interface Outage {
  /**
   * Notes the outcome of a payment. `readyAt` (epoch ms): when its row may be sent again, if nothing was sent. After
   * many consecutive unanswered payments the account stops sending, because each further payment would become a doubt.
   * Reads continue, because they may be answered.
   */
  noteOutcome(outcome: CreateOutcome, readyAt: number | undefined): Promise<void>;
  /** Whether more consecutive payments went unanswered than chance explains. */
  isUnansweredOften(): boolean;
  /** The next row waits until the row that tests the service has its outcome. */
  rest(): void;
  /**
   * Since when the service is unreachable or answers no payment (epoch ms); null if it has answered the last payment.
   */
  since(): number | null;
}

/**
 * This many consecutive unanswered payments mean an outage. If one in ten is lost by chance, that many in a row happen
 * once in ten billion times.
 */
const unansweredMax = 10;
const unansweredWaitMsMin = 1_000;

export interface OutageDeps {
  limiter: Pick<Limiter, 'hold' | 'rest'>;
  clock: Pick<Clock, 'now'>;
  random: Random;
  log: Log;
  /** The longest wait between attempts while the service is unreachable. */
  unreachableWaitMsMax: number;
  /** Makes it durable that an outage has begun or ended. */
  save: () => Promise<void>;
}

export function makeOutage({ limiter, clock, random, log, unreachableWaitMsMax, save }: OutageDeps): Outage {
  let unanswered = 0;
  let since: number | null = null;
  let waitsUntil = Number.NEGATIVE_INFINITY;
  const isUnansweredOften = () => unanswered >= unansweredMax;
  /** As long as the outage has lasted, up to a maximum. */
  const waitMs = () => {
    const lastedMs = since === null ? 0 : clock.now() - since;
    return withJitter(Math.min(Math.max(lastedMs, unansweredWaitMsMin), unreachableWaitMsMax), random);
  };

  /** Stops sending, and reading too if no connection was possible. Logs one warning for an outage. */
  const waitForService = async (until: number, { kind, evidence }: CreateOutcome) => {
    const now = clock.now();
    if (now >= waitsUntil)
      log.warn(`${unusableText(evidence)}; airbatch tries again`, {
        code: evidence.code,
        http_status: evidence.httpStatus,
        request_id: evidence.requestId,
      });
    waitsUntil = Math.max(waitsUntil, until);
    const ms = Math.max(0, until - now);
    if (kind === 'not_sent') limiter.hold('creation', ms);
    else limiter.rest('creation', ms);
    if (since !== null) return;
    since = now;
    await save();
  };

  const noteAnswersAgain = async () => {
    if (since === null) return;
    log.info('the service answers again', { unreached_ms: clock.now() - since });
    since = null;
    waitsUntil = Number.NEGATIVE_INFINITY;
    await save();
  };

  return {
    async noteOutcome(outcome, readyAt) {
      if (isUnanswered(outcome)) {
        unanswered += 1;
        if (isUnansweredOften()) await waitForService(clock.now() + waitMs(), outcome);
      } else if (outcome.kind === 'throttled') {
        // A 429 shows that something answers, perhaps only a proxy. It does not show that payments would be answered.
        if (!isUnansweredOften()) await noteAnswersAgain();
      } else if (outcome.kind === 'not_sent') {
        // The other rows would not be sent either, so the whole account waits instead of every row.
        if (readyAt !== undefined) await waitForService(readyAt, outcome);
      } else {
        // One row has tested the service and got an answer, so the others need not wait.
        if (isUnansweredOften()) limiter.rest('creation', 0);
        unanswered = 0;
        if (since !== null) await noteAnswersAgain();
      }
    },
    isUnansweredOften,
    rest: () => limiter.rest('creation', waitMs()),
    since: () => since,
  };
}

/**
 * Whether the connection was lost, also in the middle of an answer, or something other than the service answered (a
 * redirect, an HTML page with any status). Such an outcome says nothing about the row itself.
 */
function isUnanswered(outcome: CreateOutcome): boolean {
  return outcome.kind === 'in_doubt' && !outcome.isInOrder;
}
