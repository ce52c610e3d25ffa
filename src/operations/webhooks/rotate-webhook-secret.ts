import { z } from 'zod';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { saveEndpoint } from '../../ledger/outbox/webhook-endpoints.ts';
import { sealText } from '../../runtime/session/sealed-text.ts';
import { defineOperation } from '../base/operation.ts';
import { endpoint, endpointId, endpointJson, newSecret, requireEndpoint } from './webhook-fields.ts';

const hourMs = 3_600_000;

/** Gives an endpoint a new secret. Both sign for a while, so that the receiver can change in its own time. */
export const rotateWebhookSecret = defineOperation({
  name: 'rotate-webhook-secret',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({
    endpoint_id: endpointId,
    /** For how long the secret of today signs as well; 0 if others know it. */
    overlap_hours: z.number().min(0).max(168).default(24),
  }),
  result: endpoint.extend({ secret: z.string() }),
  run: ({ session }, { endpoint_id, overlap_hours }) =>
    changeAccess(session, async ({ tx, at, note }) => {
      const before = await requireEndpoint(tx, endpoint_id);
      const secret = newSecret(session.random);
      const earlier_until = at + overlap_hours * hourMs;
      const sealed = await sealText(session, endpoint_id, secret);
      const after = { ...before, secret: sealed, earlier_secret: before.secret, earlier_until };
      await saveEndpoint(tx, after);
      await note('webhook.rotate', { endpoint: endpoint_id, overlap_hours });
      return { ...endpointJson(after, at), secret };
    }),
});
