import { isoTime } from '../core/time/clock.ts';
import type { ThrottleWait } from '../core/time/throttle-wait.ts';
import { overlongText, timeText } from '../reports/sentences/format.ts';
import type { Message, News } from './message.ts';

export function lowBalanceMessage({ account }: News): Message {
  return {
    kind: 'low_balance',
    subject: `The balance of account ${account} is low`,
    lines: [
      `The service says that a wallet of account ${account} is low. Batches pause when it is empty; no row is marked as failed.`,
      `Next:    airbatch balance --account ${account}, and fund it`,
    ],
    facts: { account },
    report: null,
  };
}

export function unreachableMessage({ account, event_id }: News): Message {
  const since = isoTime(Number(event_id.split(':').at(-1)));
  return {
    kind: 'unreachable',
    subject: `The service of account ${account} cannot be reached, or does not answer properly`,
    lines: [
      `Since ${since.slice(0, 16).replace('T', ' ')} UTC the service of account ${account} cannot be reached, or has not answered any payment properly. Until it does, airbatch sends only one row now and then, to test it; then it goes on by itself.`,
      'Next:    airbatch status --watch, and check the network, the base URL and the certificate of the service, and whether a proxy or a firewall answers in its place',
    ],
    facts: { account, since },
    report: null,
  };
}

export function throttledMessage({ account }: News, throttle: ThrottleWait): Message {
  const [since, until] = [isoTime(throttle.since), isoTime(throttle.until)];
  const overlong = overlongText(throttle);
  const untilText = overlong === null ? `until ${timeText(until)}` : `for ${overlong}`;
  const askedAgain =
    overlong === null
      ? 'Nothing of it is sent or asked until then'
      : `It is asked again all the same at ${timeText(until)}: nothing of it is sent or asked until then`;
  return {
    kind: 'told_to_wait',
    subject: `The service has told account ${account} to wait ${untilText}`,
    lines: [
      `The service answers account ${account} with 429 since ${timeText(since)}, and has told it to wait ${untilText}. ${askedAgain}; no row is lost, and then it goes on by itself.`,
      'Next:    ask the service why, since its limits count by the minute. Where it was its mistake: stop airbatch, and start it again a quarter of an hour after it was told, which asks anew.',
    ],
    facts: { account, since, until, retry_after_ms: throttle.saidMs },
    report: null,
  };
}
