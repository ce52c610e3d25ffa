import { z } from 'zod';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { saveEndpoint } from '../../ledger/outbox/webhook-endpoints.ts';
import { defineOperation } from '../base/operation.ts';
import { endpointId, requireEndpoint } from './webhook-fields.ts';

/** Deletes an endpoint. Nothing more is sent to it. */
export const deleteWebhook = defineOperation({
  name: 'delete-webhook',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({ endpoint_id: endpointId }),
  result: z.strictObject({ endpoint_id: endpointId }),
  run: ({ session }, { endpoint_id }) =>
    changeAccess(session, async ({ tx, at, note }) => {
      const before = await requireEndpoint(tx, endpoint_id);
      await saveEndpoint(tx, { ...before, secret: '', earlier_secret: null, enabled: 0, deleted_at: at });
      await note('webhook.delete', { endpoint: endpoint_id });
      return { endpoint_id };
    }),
});
