import { z } from 'zod';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { attemptsOf, type DeliveryRecord, pageDeliveries } from '../../ledger/outbox/webhook-deliveries.ts';
import { batchId, pageSize, time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { endpointId, requireEndpoint } from './webhook-fields.ts';

export const deliveryNo = z.int().min(1);

const delivery = z.strictObject({
  delivery_no: deliveryNo,
  /** The header `webhook-id`, by which a receiver recognises what it has received before. */
  message_id: z.string(),
  event: z.string(),
  batch_id: batchId.nullable(),
  /** JSON, as it is sent. */
  body: z.string(),
  outcome: z.enum(['waiting', 'delivered', 'failed']),
  created_at: time,
  /** When it is sent next; null if it is not. */
  due_at: time.nullable(),
  attempts: z.array(
    z.strictObject({
      at: time,
      /** The HTTP status; null if there was no answer. */
      status: z.int().nullable(),
      duration_ms: z.int(),
      error: z.string().nullable(),
    }),
  ),
});

/** Lists what was sent to an endpoint, the newest first, with every attempt. */
export const listDeliveries = defineOperation({
  name: 'list-deliveries',
  role: 'admin',
  mayAudit: true,
  ledger: 'read',
  input: z.strictObject({
    endpoint_id: endpointId,
    /** `next` of the previous page. */
    after: deliveryNo.optional(),
    limit: pageSize(50, 200),
  }),
  result: z.strictObject({
    deliveries: z.array(delivery),
    /** Null after the last page. */
    next: deliveryNo.nullable(),
  }),
  async run({ session: { db } }, { endpoint_id, after, limit }) {
    await requireEndpoint(db, endpoint_id);
    const page = await pageDeliveries(db, endpoint_id, after ?? null, limit);
    const next = page.length < limit ? null : (page.at(-1)?.delivery_no ?? null);
    return { deliveries: await Promise.all(page.map((one) => deliveryJson(db, one))), next };
  },
});

async function deliveryJson(db: Queryable, one: DeliveryRecord): Promise<z.output<typeof delivery>> {
  const { delivery_no, message_id, event, batch_id, body, due_at, delivered_at, created_at } = one;
  const attempts = await attemptsOf(db, delivery_no);
  return {
    ...{ delivery_no, message_id, event, batch_id, body },
    outcome: due_at !== null ? 'waiting' : delivered_at !== null ? 'delivered' : 'failed',
    created_at: isoTime(created_at),
    due_at: isoOrNull(due_at),
    attempts: attempts.map(({ at, status, duration_ms, error }) => ({ at: isoTime(at), status, duration_ms, error })),
  };
}
