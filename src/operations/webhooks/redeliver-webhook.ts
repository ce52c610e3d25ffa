import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { findDelivery, sendAgain } from '../../ledger/outbox/webhook-deliveries.ts';
import { triedForMs } from '../../notify/webhook-events.ts';
import { defineOperation } from '../base/operation.ts';
import { deliveryNo } from './list-deliveries.ts';
import { endpointId, requireEndpoint } from './webhook-fields.ts';

/** Sends a delivery again, with the same id and body. */
export const redeliverWebhook = defineOperation({
  name: 'redeliver-webhook',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({ endpoint_id: endpointId, delivery_no: deliveryNo }),
  result: z.strictObject({ endpoint_id: endpointId, delivery_no: deliveryNo }),
  run: ({ session }, { endpoint_id, delivery_no }) =>
    changeAccess(session, async ({ tx, at, note }) => {
      const { enabled } = await requireEndpoint(tx, endpoint_id);
      const found = await findDelivery(tx, delivery_no);
      if (found?.endpoint_id !== endpoint_id)
        throw new AirbatchError('WEBHOOK_UNKNOWN', `the endpoint ${endpoint_id} has no delivery ${delivery_no}`);
      if (enabled === 0)
        throw new AirbatchError('USAGE', `the endpoint ${endpoint_id} is disabled`, {
          reason: refusal('ENDPOINT_DISABLED', {}),
          hint: 'Enable it first.',
        });
      await sendAgain(tx, delivery_no, at, at + triedForMs);
      await note('webhook.redeliver', { endpoint: endpoint_id, delivery: delivery_no });
      return { endpoint_id, delivery_no };
    }),
});
