import { z } from 'zod';
import { digitsOnly, exactInteger, jsonObject, money, queryInteger } from '../http/shapes.ts';

/** `POST /adp`, spec section 4.9. */
export const sendTopup = jsonObject({
  msisdn: z.string().regex(/^[1-9][0-9]{6,14}$/, 'must be a number in international format without +'),
  /** Validated later: a fixed product ignores the amount, whatever it is. */
  amount: z.unknown().optional().meta({ type: 'number', exclusiveMinimum: 0 }),
  extRefId: z.string().min(1).max(255).optional(),
  productId: exactInteger.optional(),
  processingMode: z.enum(['SYNC', 'ASYNC']).default('SYNC'),
  sendSMS: z.boolean().default(false),
});
export type SendTopup = z.output<typeof sendTopup>;

/** `GET /adp/transactions`, spec section 4.13: at least one parameter; several are combined with AND. */
export const findTransactions = z.object({
  transaction_Id: z.string().min(1).max(64).optional(),
  msisdn: z.string().min(1).max(20).optional(),
  extRefId: z.string().min(1).max(255).optional(),
});
export type FindTransactions = z.output<typeof findTransactions>;

/** `GET /adp/products`, spec section 4.12. */
export const listProducts = z.object({ serviceId: queryInteger });

const states = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'TIMEOUT', 'UNDERLIVERED', 'CANCELED'] as const;

const created = z.object({
  transactionId: z.uuid(),
  state: z.enum(states),
  amount: money,
  effectiveAmount: z.string(),
  currency: z.string(),
  wallet: z.object({ currency: z.string(), amount: z.string(), fxRate: z.string().nullable() }),
  provider: z.object({ transaction_id: z.string().nullable(), reference_code: z.string().nullable() }),
});

const transaction = created.extend({
  status: z.boolean(),
  msisdn: digitsOnly,
  network: z.string(),
  country: z.string(),
  TopupAmount: money,
  extRefId: z.string().nullable(),
  accountId: z.uuid(),
});

const product = z.object({
  productId: z.number().int(),
  amount: money.nullable(),
  product_name: z.string(),
  service: z.string(),
  provider_name: z.string(),
  product_type: z.enum(['FIXED_PRODUCT', 'OPEN_PRODUCT']),
});

const account = z.object({
  accountId: z.uuid(),
  serviceName: z.string(),
  serviceCountry: z.string(),
  balance: money,
});

const plain = { message: z.string(), statusCode: z.number().int() };
const coded = { ...plain, code: z.number().int() };

/** The shapes of the answers (spec section 2.4); balances have no code. */
export const v1Answers = {
  created: z.object({ ...coded, data: created }),
  transactions: z.object({ ...coded, data: z.array(transaction) }),
  balances: z.object({ ...plain, data: z.array(account) }),
  balance: z.object({ ...plain, data: account }),
  services: z.object({ ...coded, data: z.array(z.object({ serviceId: z.number().int(), providerName: z.string() })) }),
  products: z.object({ ...coded, data: z.array(product) }),
  product: z.object({ ...coded, data: product }),
  error: z.object({ ...plain, code: z.number().int().optional() }),
} as const;
