import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { shownUrl } from '../../core/text/safe-url.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { listEndpoints, saveEndpoint, skipToNow } from '../../ledger/outbox/webhook-endpoints.ts';
import { sealText } from '../../runtime/session/sealed-text.ts';
import { defineOperation } from '../base/operation.ts';
import { endpoint, endpointChoices, endpointJson, newSecret, requireOutside } from './webhook-fields.ts';

/** Each event is stored once for each endpoint. */
const endpointsMax = 50;

/** Makes an endpoint that receives events from now on. Only this result has its secret. */
export const createWebhook = defineOperation({
  name: 'create-webhook',
  role: 'admin',
  ledger: 'make',
  input: z.strictObject({
    url: endpointChoices.url,
    events: endpointChoices.events.default([]),
    accounts: endpointChoices.accounts.default([]),
  }),
  result: endpoint.extend({
    /** With which the receiver checks the signatures: "whsec_" and base64. */
    secret: z.string(),
  }),
  async run({ session }, { url, events, accounts }) {
    requireOutside(session, url);
    const { clock, random, person } = session;
    const [secret, now] = [newSecret(random), clock.now()];
    const endpoint_id = `we_${random.hex(8)}`;
    const sealed = await sealText(session, endpoint_id, secret);
    const made = {
      ...{ endpoint_id, url, secret: sealed, earlier_secret: null, earlier_until: null },
      ...{ enabled: 1, failed_at: null, created_by: person, created_at: now, deleted_at: null },
      events: [...new Set(events)].toSorted(),
      accounts: [...new Set(accounts)].toSorted(),
    };
    await changeAccess(session, async ({ tx, note }) => {
      const others = (await listEndpoints(tx)).length;
      if (others >= endpointsMax)
        throw new AirbatchError('USAGE', `there are ${others} webhook endpoints`, {
          reason: refusal('ENDPOINTS_MAX', { count: others }),
          hint: 'Delete one first.',
        });
      if (others === 0) await skipToNow(tx);
      await saveEndpoint(tx, made);
      await note('webhook.create', { endpoint: made.endpoint_id, url: shownUrl(url) });
    });
    return { ...endpointJson(made, now), secret };
  },
});
