import { z } from 'zod';
import { listEndpoints } from '../../ledger/outbox/webhook-endpoints.ts';
import { defineOperation } from '../base/operation.ts';
import { endpoint, endpointJson } from './webhook-fields.ts';

/** Lists the endpoints of webhooks, the oldest first. There are at most 50. */
export const listWebhooks = defineOperation({
  name: 'list-webhooks',
  role: 'admin',
  mayAudit: true,
  ledger: 'read',
  input: z.strictObject({}),
  result: z.strictObject({ endpoints: z.array(endpoint) }),
  async run({ session: { db, clock } }) {
    return { endpoints: (await listEndpoints(db)).map((one) => endpointJson(one, clock.now())) };
  },
});
