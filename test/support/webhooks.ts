import { createHmac } from 'node:crypto';

const hex = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex');

/** A top-up as the service shows it in a callback (spec section 6.1). */
export interface CallbackTopup {
  id: string;
  status: string;
  reference: string | null;
  phone_number?: string;
  amount?: { value: number; currency: string };
  cost?: { value: number; currency: string } | null;
  product_id?: string | null;
  failure_reason?: string | null;
  provider_reference?: string | null;
  created_at?: string;
  completed_at?: string | null;
}

export function callbackBody(topup: CallbackTopup): string {
  const data = {
    phone_number: '+254712000001',
    network: { id: 1, name: 'One', country: 'Kenya', country_code: 'KE' },
    amount: { value: 101, currency: 'KES' },
    cost: { value: 1, currency: 'USD' },
    product_id: null,
    product_name: null,
    provider_reference: topup.status === 'completed' ? 'p-1' : null,
    failure_reason: topup.status === 'failed' ? 'declined' : null,
    metadata: {},
    created_at: '2026-11-20T09:00:00.000Z',
    completed_at: topup.status === 'completed' ? '2026-11-20T09:10:00.000Z' : null,
    ...topup,
  };
  return JSON.stringify({ success: true, data, meta: { request_id: 'r-1', timestamp: '2026-11-20T09:10:00.000Z' } });
}

/** The headers of a callback sent at `now` (epoch ms). */
export function callbackHeaders(body: string, key: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  return {
    'content-type': 'application/json',
    'x-webhook-event': 'topup.completed',
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': hex(`${timestamp}.${body}`, key),
  };
}

/** The body of a registered webhook (spec section 6.2). */
export function registeredBody(
  id: string,
  type: string,
  data: { transactionId?: string; idempotencyKey?: string; sourceAmount?: number; sourceCurrency?: string } = {},
): string {
  return JSON.stringify({
    id,
    type,
    timestamp: '2026-11-20T09:10:00.000Z',
    data: { status: type.split('.')[1], ...data },
  });
}

export function registeredHeaders(body: string, secret: string): Record<string, string> {
  return { 'content-type': 'application/json', 'x-service-signature': hex(body, secret) };
}
