import { z } from 'zod';
import type { ServiceError } from './answers.ts';
import { rawNumber } from './exact-json.ts';
import type { PaymentOrder, ServicePayment } from './gateway.ts';
import { v2State } from './v2-outcomes.ts';
import { read, wireDecimal, wireInteger, wireText, wireTime } from './wire.ts';

export type WalletMode = 'auto' | 'global' | 'local';

/** The body of `POST /v2/topups` (spec section 4.1). The same order always gives the same text. */
export function v2Body(order: PaymentOrder, walletMode: WalletMode): string {
  const { amount, smsMessage } = order;
  return JSON.stringify({
    phone_number: order.phoneNumber,
    network_id: order.networkId,
    ...(amount === null
      ? { product_id: order.productId }
      : { amount: { value: rawNumber(amount.value), currency: amount.currency } }),
    ...(smsMessage === null ? {} : { sms: { enabled: true, ...(smsMessage === '' ? {} : { message: smsMessage }) } }),
    reference: order.reference,
    ...(order.callbackUrl === null ? {} : { callback_url: order.callbackUrl }),
    wallet_mode: walletMode,
  });
}

/** Spec section 2.1. An error counts as the service's own word only in this shape. */
const errorShape = z.object({
  success: z.literal(false),
  error: z.object({ code: z.string().min(1), message: z.string().catch('') }),
});

/** The service's own error in an answer, or null. Nearly all answers are successes, for which the shape need not be tried. */
export function v2Error(json: unknown): ServiceError | null {
  return isObject(json) && json.success === false ? (read(errorShape, json)?.error ?? null) : null;
}

/** The request id, where an answer has one; nothing depends on it. */
export function v2RequestId(json: unknown): string | null {
  const meta = isObject(json) ? json.meta : null;
  const id = isObject(meta) ? meta.request_id : null;
  return typeof id === 'string' && id !== '' ? id : null;
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null;
}

const moneyShape = z.object({ value: wireDecimal, currency: z.string().min(1) });

/** A top-up as far as it is relied on (spec section 2.2): list entries and full representations alike. */
export const v2TopupShape = z.object({
  id: z.string().min(1),
  status: z.string().min(1),
  phone_number: z.string().min(1),
  amount: moneyShape,
  cost: moneyShape.nullish(),
  product_id: z.string().nullish(),
  reference: z.string().nullish(),
  provider_reference: wireText,
  failure_reason: wireText,
  created_at: wireTime,
  completed_at: wireTime,
});
export type V2Topup = z.output<typeof v2TopupShape>;

/** A top-up as the engine takes it; `full` where it is no list entry. */
export function v2Payment(topup: V2Topup, full: boolean): ServicePayment {
  return {
    topupId: topup.id,
    serviceStatus: topup.status,
    ...v2State(topup.status),
    reference: topup.reference ?? null,
    phoneNumber: topup.phone_number,
    amount: topup.amount,
    cost: topup.cost ?? null,
    productId: topup.product_id ?? null,
    providerReference: topup.provider_reference,
    // The service gives no code for a failure, only words.
    failureCode: null,
    failureReason: topup.failure_reason,
    createdAt: topup.created_at,
    completedAt: topup.completed_at,
    full,
  };
}

function success<Data extends z.ZodType>(data: Data) {
  return z.object({ success: z.literal(true), data });
}

/** The answer to a creation must name what was asked for, so that it can be checked. */
export const v2CreatedShape = success(v2TopupShape.extend({ reference: z.string().min(1) }));
export const v2TopupAnswerShape = success(v2TopupShape);

/** Entries are read one by one, so that a strange one of another program does not hide the rest of the page. */
export const v2ListShape = success(z.array(z.unknown())).extend({
  meta: z.object({ pagination: z.object({ total: wireInteger, has_next: z.boolean() }) }),
});

/** Spec section 2.3. */
export const v2BalanceShape = success(
  z.object({
    available_balance: z.object({ amount: wireDecimal, currency: z.string().min(1) }),
    wallets: z.array(
      z.object({
        id: z.string().min(1),
        currency: z.string().min(1),
        balance: wireDecimal,
        type: z.string(),
        status: z.string(),
      }),
    ),
  }),
);

/**
 * `GET /v2/catalog/lookup` (spec section 4.6) is not shown: this is the shape of this project's sandbox. A network or product
 * is read wherever it has an id and a name; everything else about it may be missing.
 */
export const v2CatalogShape = success(
  z.object({
    networks: z.array(
      z
        .object({
          id: wireInteger,
          name: z.string().min(1),
          country: z.string().default(''),
          country_code: z.string().default(''),
          currency: z.string().nullish(),
        })
        .transform(({ id, name, country, country_code, currency }) => ({
          networkId: id,
          name,
          countryCode: country_code,
          countryName: country,
          currency: currency ?? null,
        })),
    ),
    products: z
      .array(
        z
          .object({
            id: z.string().min(1),
            name: z.string().min(1),
            network_id: wireInteger,
            network_name: z.string().default(''),
            amount: moneyShape.nullish(),
          })
          .transform(({ id, name, network_id, network_name, amount }) => ({
            productId: id,
            name,
            networkId: network_id,
            networkName: network_name,
            amount: amount ?? null,
          })),
      )
      .default([]),
  }),
);
