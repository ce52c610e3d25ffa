import { z } from 'zod';
import type { PaymentRequest } from '../contract/gateway.ts';
import { numberText, rawNumber } from '../transport/exact-json.ts';
import { wireDecimal, wireInteger, wireNumber, wireText, wordLengthMax } from '../transport/wire.ts';

/**
 * The body of `POST /adp` (spec section 4.9). Always ASYNC, which answers at once: a SYNC answer holds the connection
 * for ten seconds, and if it is lost, the row is in doubt. Version 1 has no text for the SMS, no webhooks and no
 * network id: the route follows from the number, or from the product.
 */
export function v1Body(order: PaymentRequest): string {
  // JSON omits undefined members.
  return JSON.stringify({
    msisdn: order.phoneNumber.replace(/^\+/, ''),
    amount: order.amount === null ? undefined : rawNumber(order.amount.value),
    productId: order.productId === null ? undefined : wireProductId(order.productId),
    extRefId: order.reference,
    processingMode: 'ASYNC',
    sendSMS: order.smsMessage === null ? undefined : true,
  });
}

/** A product id is a number in Version 1. Any other text is sent unchanged, and the service refuses that row. */
function wireProductId(productId: string): unknown {
  return /^(0|[1-9][0-9]{0,14})$/.test(productId) ? Number(productId) : productId;
}

/** Spec section 2.4. The balance endpoints carry no `code`. */
export const v1EnvelopeShape = z.object({
  message: z.string(),
  statusCode: wireInteger,
  code: wireInteger.nullish(),
});

/** A recipient's number, as a text or (from a careless sender) a number; always converted to E.164 with "+". */
const msisdnShape = z
  .union([z.string(), wireNumber])
  .transform((value) => (typeof value === 'string' ? value : numberText(value)))
  .pipe(z.string().regex(/^\+?[0-9]{4,20}$/))
  .transform((digits) => `+${digits.replace(/^\+/, '')}`);

const wireToken = z.string().min(1).max(wordLengthMax);

/**
 * The fields of a transaction that airbatch uses (spec section 2.5), as `POST /adp` answers: without number and
 * reference.
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
/** Whether an answer shows a payment at all. */
export const v1AnyPaymentShape = z.object({ data: z.object({ transactionId: z.string().min(1) }) });

/** Transactions of a lookup carry their number, so that it can be compared. */
export const v1TransactionsShape = z.object({ data: z.array(transactionShape.extend({ msisdn: msisdnShape })) });

/** Spec section 2.6: balances by network, without a currency. */
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
