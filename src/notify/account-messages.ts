import { isoTime } from '../core/time/clock.ts';
import type { ThrottleWait } from '../core/time/throttle-wait.ts';
import { overlongText, timeText } from '../reports/sentences/format.ts';
import type { Message, News } from './message.ts';

export function lowBalanceMessage({ account }: News): Message {
  return {
    kind: 'low_balance',
    subject: `The balance of account ${account} is low`,
    lines: [
      `The service says that a wallet of account ${account} has little money left. When it is empty, batches pause, and no row is marked as failed.`,
      `Next:    airbatch balance --account ${account}, then add money`,
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
      `Since ${since.slice(0, 16).replace('T', ' ')} UTC, airbatch cannot reach the service of account ${account}, or gets no proper answer to a payment. Until the service answers, airbatch tries only one row from time to time. Then it continues by itself.`,
      'Next:    airbatch status --watch, and check the network, the address (base URL) and certificate of the service, and whether a proxy or firewall blocks it',
    ],
    facts: { account, since },
    report: null,
  };
}

export function throttledMessage({ account }: News, throttle: ThrottleWait): Message {
  const [since, until] = [isoTime(throttle.since), isoTime(throttle.until)];
  const overlong = overlongText(throttle);
  const untilText = overlong === null ? `until ${timeText(until)}` : `for ${overlong}`;
  const pauseText =
    overlong === null
      ? 'Until then, airbatch sends nothing for this account.'
      : `That is too long: airbatch tries again at ${timeText(until)}, and sends nothing for this account until then.`;
  return {
    kind: 'throttled',
    subject: `The service makes account ${account} wait ${untilText}`,
    lines: [
      `The service has refused all requests of account ${account} since ${timeText(since)} (HTTP 429), and makes it wait ${untilText}. ${pauseText} No row is lost. Then airbatch continues by itself.`,
      'Next:    ask the service why: its limits are for one minute each. If it was a mistake of the service, stop airbatch, and start it again 15 minutes after the wait began.',
    ],
    facts: { account, since, until, retry_after_ms: throttle.saidMs },
    report: null,
  };
}

/** To the administrators: a program of theirs no longer learns what happens. */
export function webhookMessage({ event_id, webhookUrl = '' }: News, consoleUrl: string | null): Message {
  const [, endpoint = ''] = event_id.split(':');
  const since = isoTime(Number(event_id.split(':').at(-1)));
  return {
    kind: 'webhook_disabled',
    subject: 'A webhook endpoint is disabled: nothing arrives there',
    lines: [
      `The endpoint ${webhookUrl} has not accepted a message for three days, or has answered that it is gone for good. Since ${timeText(since)}, airbatch sends it nothing. Payments are not affected.`,
      `Next:    repair the receiver, then airbatch webhooks enable ${endpoint}. Messages that it has missed can be sent again.`,
    ],
    facts: { endpoint, url: webhookUrl, since },
    report: null,
    ...(consoleUrl !== null && { open: `${consoleUrl}/settings/webhooks/${endpoint}` }),
  };
}
