import { z } from 'zod';
import type { ServicePayment } from '../contract/gateway.ts';
import { parseAnswer, read, wireDecimal, wireText, wireTime } from '../transport/wire.ts';
import { v2Payment } from '../v2/v2-wire.ts';

/**
 * The fields of a registered webhook that airbatch uses. The spec does not show the payloads of several events, so
 * every field of `data` may be missing.
 */
export interface RegisteredWebhook {
  /** Used to recognise repeated deliveries. */
  id: string;
  /** The event (spec section 6.2), or one that the spec does not name. */
  type: string;
  /** Epoch milliseconds, or null. */
  at: number | null;
  transactionId: string | null;
  status: string | null;
  /** The idempotency key of the payment, if the webhook names it: for our payments, the key that we sent. */
  idempotencyKey: string | null;
  /** What was charged, as an exact decimal, with its currency. */
  sourceAmount: string | null;
  sourceCurrency: string | null;
}

const registeredShape = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(100),
  timestamp: wireTime,
  data: z
    .object({
      transactionId: wireText,
      status: wireText,
      idempotencyKey: wireText,
      sourceAmount: wireDecimal.nullish().catch(null),
      sourceCurrency: wireText,
    })
    .nullish()
    .catch(null),
});

/**
 * The spec does not show whether `success` is false for a failed top-up: the status decides. A false `success` with any
 * other status is a contradiction.
 */
const callbackShape = z.object({ success: z.boolean(), data: z.unknown() });

/** Reads the verified body of a per-top-up callback: a whole top-up in the V2 envelope; null if it is not one. */
export function readCallback(text: string): ServicePayment | null {
  const parsed = read(callbackShape, parseAnswer(text));
  const payment = parsed && v2Payment(parsed.data, true);
  return payment && (parsed.success || payment.state === 'failed') ? payment : null;
}

/** Reads the verified body of a registered webhook; null if it is not one. */
export function readRegisteredWebhook(text: string): RegisteredWebhook | null {
  const parsed = read(registeredShape, parseAnswer(text));
  if (!parsed) return null;
  const { id, type, timestamp: at, data } = parsed;
  return {
    id,
    type,
    at,
    transactionId: data?.transactionId ?? null,
    status: data?.status ?? null,
    idempotencyKey: data?.idempotencyKey ?? null,
    sourceAmount: data?.sourceAmount ?? null,
    sourceCurrency: data?.sourceCurrency ?? null,
  };
}
