import { z } from 'zod';
import type { PaymentRequest } from '../contract/gateway.ts';
import { numberText, rawNumber } from '../transport/exact-json.ts';
import { wireDecimal, wireInteger, wireNumber, wireText, wordLengthMax } from '../transport/wire.ts';

/**
 * The body of `POST /adp` (spec section 4.9). Always ASYNC: a SYNC answer holds a connection for ten seconds, and one
 * that is lost is a doubt, while ASYNC answers at once. Version 1 has no text for the SMS, no webhooks and no network
 * id: the number alone decides the route, or the product does.
 */
export function v1Body(order: PaymentRequest): string {
  // JSON leaves out what is undefined.
  return JSON.stringify({
    msisdn: order.phoneNumber.replace(/^\+/, ''),
    amount: order.amount === null ? undefined : rawNumber(order.amount.value),
    productId: order.productId === null ? undefined : wireProductId(order.productId),
    extRefId: order.reference,
    processingMode: 'ASYNC',
    sendSMS: order.smsMessage === null ? undefined : true,
  });
}

/**
 * A product id is a number here. Anything else is sent as it is: the service knows it not, and says so for that row.
 */
function wireProductId(productId: string): unknown {
  return /^(0|[1-9][0-9]{0,14})$/.test(productId) ? Number(productId) : productId;
}

/** Spec section 2.4. The balance endpoints carry no `code`. */
export const v1EnvelopeShape = z.object({
  message: z.string(),
  statusCode: wireInteger,
  code: wireInteger.nullish(),
});

/** A recipient's number: a text, or what a careless writer made of it; always E.164 with "+" here. */
const msisdnShape = z
  .union([z.string(), wireNumber])
  .transform((value) => (typeof value === 'string' ? value : numberText(value)))
  .pipe(z.string().regex(/^\+?[0-9]{4,20}$/))
  .transform((digits) => `+${digits.replace(/^\+/, '')}`);

const wireToken = z.string().min(1).max(wordLengthMax);

/**
 * A transaction as far as it is relied on (spec section 2.5), as `POST /adp` answers it: without number and reference.
 */
const transactionShape = z.object({
  transactionId: wireToken,
  state: wireToken,
  msisdn: msisdnShape.nullish(),
  amount: wireDecimal,
  currency: z.string().min(1),
  effectiveAmount: wireDecimal.nullish().catch(null),
  extRefId: z.string().nullish(),
  wallet: z
    .object({ currency: z.string().min(1), amount: wireDecimal.nullish() })
    .nullish()
    .catch(null),
  provider: z.object({ transaction_id: wireText, reference_code: wireText }).nullish().catch(null),
});
export type V1Transaction = z.output<typeof transactionShape>;

export const v1CreatedShape = z.object({ data: transactionShape });
/** Whether an answer shows any payment at all. */
export const v1AnyPaymentShape = z.object({ data: z.object({ transactionId: z.string().min(1) }) });

/** Looked-up transactions name their number, so that it can be compared. */
export const v1TransactionsShape = z.object({ data: z.array(transactionShape.extend({ msisdn: msisdnShape })) });

/** Spec section 2.6: balances by network, in no named currency. */
export const v1BalancesShape = z.object({
  data: z.array(
    z.object({
      accountId: z.string().min(1),
      serviceName: z.string(),
      serviceCountry: z.string().nullish(),
      balance: wireDecimal,
    }),
  ),
});

export const v1ServicesShape = z.object({
  data: z.array(z.object({ serviceId: wireInteger, providerName: z.string().min(1) })),
});

export const v1ProductsShape = z.object({
  data: z.array(
    z.object({
      productId: wireInteger,
      amount: wireDecimal.nullish(),
      product_name: z.string(),
      provider_name: z.string().nullish(),
      product_type: z.string(),
    }),
  ),
});
