import { errorMessage } from '../../core/basics/errors.ts';
import { shownUrl } from '../../core/text/safe-url.ts';
import { type Kept, keepDoing } from '../../core/time/keep-doing.ts';
import { claimWebhooks } from '../../ledger/outbox/webhook-claim.ts';
import { holdTime } from '../../ledger/schema/lease-table.ts';
import { makeWebhookDelivery } from '../../notify/deliver-webhooks.ts';
import { queueWebhooks } from '../../notify/webhook-events.ts';
import { makeLastingTrouble } from '../logging/log.ts';
import { openText } from '../session/sealed-text.ts';
import type { Session } from '../session/session.ts';

const everyMs = 1_000;
/** How long this process may send webhooks before it claims them again: another one takes over then. */
const claimMs = 30_000;
/** How long running deliveries may take when the program ends. The rest is sent at the next start. */
const lastDeliveriesMs = 5_000;

/**
 * Sends webhooks while the program runs, and holds up nothing else. Of several programs on one ledger, one does it.
 */
export function keepWebhooks(session: Session, accounts: Iterable<string>): Kept {
  const { db, clock, random, config, log } = session;
  const ending = new AbortController();
  const holder = random.hex(8);
  const names = [...accounts];
  const trouble = makeLastingTrouble(log, clock);
  const onError = (error: unknown) =>
    trouble.report('webhooks could not be sent; airbatch tries again', { error: errorMessage(error) });
  const delivery = makeWebhookDelivery({
    ...{ db, clock, random, onError },
    mayBePrivate: config.webhooks.allowPrivateAddresses,
    openSecret: (endpointId, sealed) => openText(session, endpointId, sealed),
    ending: ending.signal,
    onDisabled: ({ endpoint_id, url }) =>
      log.warn('airbatch has disabled a webhook endpoint that accepts no messages', {
        endpoint: endpoint_id,
        url: shownUrl(url),
      }),
  });
  const pass = async () => {
    const now = clock.now();
    const held = await holdTime(db, now);
    if (!(await claimWebhooks(db, holder, held, held + claimMs))) return;
    await queueWebhooks(db, now, names);
    await delivery.begin();
    trouble.over();
  };
  const kept = keepDoing(clock, everyMs, () => pass().catch(onError));
  return {
    async stop() {
      await kept.stop();
      const ended = new AbortController();
      void clock.sleep(lastDeliveriesMs, ended.signal).then(() => ending.abort());
      await delivery.ended();
      ended.abort();
    },
  };
}
