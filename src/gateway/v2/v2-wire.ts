import { z } from 'zod';
import { sha256 } from '../../core/identity/ids.ts';
import type { Money } from '../../core/money/money.ts';
import type { PaymentRequest, ServicePayment, UnreadableEntry } from '../contract/gateway.ts';
import type { ServiceError } from '../transport/answers.ts';
import { rawNumber } from '../transport/exact-json.ts';
import {
  isText,
  isWord,
  read,
  readable,
  readDecimal,
  readInteger,
  readText,
  readTime,
  wireDecimal,
  wireInteger,
} from '../transport/wire.ts';
import { v2State } from './v2-outcomes.ts';

export type WalletMode = 'auto' | 'global' | 'local';

/** The body of `POST /v2/topups` (spec section 4.1). The same order always gives the same text. */
export function v2Body(order: PaymentRequest, walletMode: WalletMode): string {
  const { amount, smsMessage } = order;
  // JSON omits undefined members.
  return JSON.stringify({
    phone_number: order.phoneNumber,
    network_id: order.networkId,
    product_id: amount === null ? order.productId : undefined,
    amount: amount === null ? undefined : { value: rawNumber(amount.value), currency: amount.currency },
    sms: smsMessage === null ? undefined : { enabled: true, message: smsMessage === '' ? undefined : smsMessage },
    reference: order.reference,
    callback_url: order.callbackUrl ?? undefined,
    wallet_mode: walletMode,
  });
}

/** Spec section 2.1. An error counts as the service's own only in this shape. */
const errorShape = z.object({
  success: z.literal(false),
  error: z.object({ code: z.string().min(1), message: z.string().catch('') }),
});

/** The service's own error in an answer, or null. Nearly all answers are successes, and skip the check of the shape. */
export function v2Error(json: unknown): ServiceError | null {
  return isObject(json) && json.success === false ? (read(errorShape, json)?.error ?? null) : null;
}

/** Whether an answer shows a payment, readable or not; only a success should (spec section 2.1). */
export function v2ShowsPayment(json: unknown): boolean {
  return isObject(json) && isObject(json.data) && isText(json.data.id);
}

/** The request id, if the answer has one; no decision depends on it. */
export function v2RequestId(json: unknown): string | null {
  const meta = isObject(json) ? json.meta : null;
  return isObject(meta) ? readText(meta.request_id) : null;
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null;
}

/**
 * The `data` of a success (spec section 2.1), or undefined if the answer is not a success. Nearly every answer of a run
 * passes through here and the functions below. They are written by hand, because a schema checker makes several objects
 * for each field.
 */
export function v2Data(json: unknown): unknown {
  return isObject(json) && json.success === true ? json.data : undefined;
}

/**
 * A top-up (spec section 2.2) for the engine, or null if a field that airbatch needs is wrong or missing. `full` is
 * false for a list entry.
 */
export function v2Payment(topup: unknown, full: boolean): ServicePayment | null {
  if (!isObject(topup)) return null;
  const { id, status, phone_number: phoneNumber, cost: charged } = topup;
  const { reference = null, product_id: productId = null } = topup;
  if (!isWord(id) || !isWord(status) || !isWord(phoneNumber)) return null;
  if (!isTextOrNull(reference) || !isTextOrNull(productId)) return null;
  const isCharged = charged !== undefined && charged !== null;
  const amount = v2Money(topup.amount);
  const cost = isCharged ? v2Money(charged) : null;
  if (amount === null || (cost === null && isCharged)) return null;
  const { state, unknownStatus } = v2State(status);
  return {
    topupId: id,
    serviceStatus: status,
    state,
    unknownStatus,
    reference,
    phoneNumber,
    amount,
    cost,
    productId,
    providerReference: readText(topup.provider_reference),
    // The service gives a text for a failure, but no code.
    failureCode: null,
    failureReason: readText(topup.failure_reason),
    createdAt: readTime(topup.created_at),
    completedAt: readTime(topup.completed_at),
    full,
  };
}

/**
 * Whether a malformed entry of the list may be a payment under this reference, in whatever state: it does not name
 * another reference.
 */
export function v2HidesPaymentOf(entry: unknown, reference: string): boolean {
  if (v2Payment(entry, false) !== null) return false;
  return !isObject(entry) || !isText(entry.reference) || entry.reference === reference;
}

const isE164 = /^\+[0-9]{7,15}$/;

/** The readable fields of a malformed entry of the list; null if the entry is a regular top-up. */
export function v2Unreadable(entry: unknown): UnreadableEntry | null {
  if (v2Payment(entry, false) !== null) return null;
  const { id, status, reference, phone_number: phoneNumber, created_at: createdAt } = isObject(entry) ? entry : {};
  const legible = {
    reference: isText(reference) ? reference : null,
    // A number in another form would not match any row.
    phoneNumber: isWord(phoneNumber) && isE164.test(phoneNumber) ? phoneNumber : null,
    createdAt: readTime(createdAt),
    hasFailed: isWord(status) && v2State(status).state === 'failed',
  };
  return { ...legible, topupId: isWord(id) ? id : `entry-${sha256(textOf(entry, legible)).slice(0, 16)}` };
}

/** The entry as JSON; if it is nested too deeply for that, its readable fields. */
function textOf(entry: unknown, legible: object): string {
  try {
    return JSON.stringify(entry);
  } catch {
    return JSON.stringify(legible);
  }
}

function v2Money(money: unknown): Money | null {
  if (!isObject(money) || !isWord(money.currency)) return null;
  const value = readDecimal(money.value);
  return value === null ? null : { value, currency: money.currency };
}

function isTextOrNull(value: unknown): value is string | null {
  return typeof value === 'string' || value === null;
}

/** A page of the list. Its entries are read one by one, so that one malformed entry does not hide the others. */
export interface V2Page {
  entries: readonly unknown[];
  total: number;
  hasNext: boolean;
}

/** The page in an answer, or null if there is none. */
export function v2Page(json: unknown): V2Page | null {
  const entries = v2Data(json);
  const meta = isObject(json) ? json.meta : null;
  const pagination = isObject(meta) ? meta.pagination : null;
  if (!Array.isArray(entries) || !isObject(pagination)) return null;
  const total = readInteger(pagination.total);
  const { has_next: hasNext } = pagination;
  return total === null || typeof hasNext !== 'boolean' ? null : { entries, total, hasNext };
}

const moneyShape = readable(v2Money, 'is no amount of money');

function success<Data extends z.ZodType>(data: Data) {
  return z.object({ success: z.literal(true), data });
}

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
 * The spec does not show `GET /v2/catalog/lookup` (section 4.6): this is the shape of this project's sandbox. A network
 * or product needs an id and a name; everything else may be missing.
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
