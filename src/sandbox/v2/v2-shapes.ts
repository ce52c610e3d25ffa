import { z } from 'zod';
import {
  e164,
  exactDecimal,
  exactInteger,
  isoTime,
  jsonObject,
  money,
  queryFrom,
  queryInteger,
  queryTo,
} from '../http/shapes.ts';

/** The sandbox's options decide which addresses are allowed (callable.ts). */
const callbackUrl = z
  .string()
  .max(2_000)
  .refine((text) => URL.canParse(text), 'must be a URL')
  .meta({ type: 'string', format: 'uri' });

const amount = jsonObject({ value: exactDecimal, currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency code') });

/** `POST /v2/topups`, spec section 4.1. */
export const createTopup = jsonObject({
  phone_number: z.string(),
  network_id: exactInteger,
  amount: amount.optional(),
  product_id: z.string().min(1).max(64).optional(),
  sms: jsonObject({ enabled: z.boolean().default(false), message: z.string().max(459).optional() }).optional(),
  reference: z.string().max(255).optional(),
  callback_url: callbackUrl.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  wallet_mode: z.enum(['auto', 'global', 'local']).default('auto'),
}).refine((body) => (body.amount === undefined) !== (body.product_id === undefined), {
  message: 'exactly one of amount and product_id must be given',
});
export type CreateTopup = z.output<typeof createTopup>;

const topupStatuses = ['pending', 'processing', 'completed', 'failed'] as const;
const perPageMax = 100;

/** `GET /v2/topups`, spec section 4.2. */
export const listTopups = z.object({
  page: queryInteger.refine((text) => Number(text) >= 1, 'must be at least 1').default('1'),
  per_page: queryInteger
    .refine((text) => Number(text) >= 1 && Number(text) <= perPageMax, `must be 1 to ${perPageMax}`)
    .default('20'),
  status: z.enum(topupStatuses).optional(),
  phone_number: z.string().max(20).optional(),
  reference: z.string().max(255).optional(),
  from: queryFrom.optional(),
  to: queryTo.optional(),
  sort: z
    .enum([
      'created_at',
      'completed_at',
      'status',
      'total_usd',
      '-created_at',
      '-completed_at',
      '-status',
      '-total_usd',
    ])
    .default('-created_at'),
});
export type ListTopups = z.output<typeof listTopups>;

/** `GET /v2/catalog/lookup`: the spec does not show it (section 4.6). All parameters narrow the answer. */
export const catalogLookup = z.object({
  phone_number: z.string().max(20).optional(),
  country_code: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a two-letter code')
    .optional(),
  network_id: queryInteger.optional(),
  search: z.string().max(100).optional(),
});
export type CatalogLookup = z.output<typeof catalogLookup>;

/** `POST /enterprise/webhooks`, spec section 4.8. */
export const registerWebhook = jsonObject({
  url: callbackUrl,
  events: z
    .array(
      z.enum([
        'transaction.completed',
        'transaction.failed',
        'transaction.pending',
        'transaction.refunded',
        'wallet.low_balance',
      ]),
    )
    .min(1),
  secret: z.string().min(8).max(255),
});

/** `POST /enterprise/auth/login`: the spec does not show it (section 4.7). */
export const login = jsonObject({ email: z.string().min(1), password: z.string().min(1) });

const metaShape = z.object({ request_id: z.string(), timestamp: isoTime });
const moneyShape = z.object({ value: money, currency: z.string() });
const networkShape = z.object({
  id: z.number().int(),
  name: z.string(),
  country: z.string(),
  country_code: z.string(),
});

const listEntry = z.object({
  id: z.uuid(),
  status: z.enum(topupStatuses),
  phone_number: e164,
  network: networkShape,
  amount: moneyShape,
  cost: moneyShape,
  wallet: z.object({ id: z.string(), type: z.enum(['global', 'local']), currency: z.string(), strategy: z.string() }),
  reference: z.string().nullable(),
  created_at: isoTime,
  completed_at: isoTime.nullable(),
});

const single = listEntry.omit({ wallet: true }).extend({
  product_id: z.string().nullable(),
  product_name: z.string().nullable(),
  provider_reference: z.string().nullable(),
  failure_reason: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
});

const created = single.extend({
  wallet: listEntry.shape.wallet,
  sms: jsonObject({ enabled: z.boolean(), message: z.string() }),
});

const wallet = z.object({
  id: z.string(),
  currency: z.string(),
  balance: money,
  type: z.enum(['global', 'local']),
  status: z.enum(['active', 'inactive']),
  allowed_countries: z.array(z.string()),
});

const envelope = <Data extends z.ZodType>(data: Data) => z.object({ success: z.literal(true), data, meta: metaShape });

/** The shapes of the answers: for the OpenAPI document, and for tests that check every answer. */
export const v2Answers = {
  created: envelope(created),
  list: z.object({
    success: z.literal(true),
    data: z.array(listEntry),
    meta: metaShape.extend({
      pagination: z.object({
        page: z.number().int(),
        per_page: z.number().int(),
        total: z.number().int(),
        total_pages: z.number().int(),
        has_next: z.boolean(),
        has_prev: z.boolean(),
      }),
    }),
  }),
  single: envelope(single),
  balance: envelope(
    z.object({
      available_balance: z.object({ amount: money, currency: z.literal('USD') }),
      wallets: z.array(wallet),
    }),
  ),
  wallet: envelope(wallet),
  catalog: envelope(
    z.object({
      networks: z.array(
        networkShape.extend({
          currency: z.string(),
          amount_min: money,
          amount_max: money,
          prefixes: z.array(z.string()),
        }),
      ),
      products: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          network_id: z.number().int(),
          network_name: z.string(),
          amount: moneyShape,
        }),
      ),
    }),
  ),
  login: envelope(z.object({ access_token: z.string(), company_id: z.string(), expires_at: isoTime })),
  webhook: envelope(z.object({ id: z.uuid(), url: z.string(), events: z.array(z.string()), created_at: isoTime })),
  error: z.object({
    success: z.literal(false),
    error: z.object({ code: z.string(), message: z.string(), statusCode: z.number().int() }),
    meta: metaShape,
  }),
} as const;
