import { V1Error } from '../http/reply.ts';
import { exactDecimal, faultsIn } from '../http/shapes.ts';
import {
  convert,
  decimalsAllowed,
  findProduct,
  isPhoneNumber,
  type Network,
  networkOf,
  type Product,
} from '../money/catalog.ts';
import { canPay, type Wallet, type Wallets } from '../money/wallets.ts';
import type { SandboxClock } from '../parts/clock.ts';
import { decimalsOf, isLess } from '../parts/exact.ts';
import { magicOf, refusalCodeOf } from '../parts/magic.ts';
import type { Store } from '../parts/store.ts';
import type { SendTopup } from './v1-shapes.ts';

/** The message of each refusal (spec section 7.2). */
const messages: Readonly<Record<number, string>> = {
  5: 'General failure: operator declined',
  20: 'Low balance',
  30: 'Recipient number is invalid or destination unsupported',
  50: 'Repeat recharge to the same number within one minute',
  90: 'extRefId already used',
  150: 'Invalid amount for the product',
  190: 'Customer account could not be located',
  200: 'Customer is not configured for this service provider',
  210: 'Product not found',
  218: 'The product belongs to a different network than the recipient number',
  221: 'Data bundle purchase failed',
  222: 'Number verification failed',
  227: 'Amount is below the minimum allowed',
  228: 'Amount is above the maximum allowed',
  231: 'Invalid source amount: below the minimum threshold',
  234: 'Recharge route temporarily unavailable',
};

export const refusal = (code: number): V1Error => new V1Error(403, code, messages[code] ?? 'Failed');

/** The smallest charge, in dollars (code 231). */
const sourceAmountMinUsd = '0.01';
/**
 * Spec section 8.2: for a minute, the provider blocks a second recharge of the same number with the same amount (code
 * 50).
 */
const repeatMs = 60_000;

export interface V1Order {
  network: Network;
  product: Product | null;
  amount: string;
  wallet: Wallet;
}

/** Checks the order of `POST /adp`, in the order in which the codes of spec section 7.2 can be determined. */
export function checkV1Order(
  { store, clock, wallets }: { store: Store; clock: SandboxClock; wallets: Wallets },
  company: string,
  body: SendTopup,
  passes: (code: number, phoneNumber: string) => boolean,
): V1Order {
  const phoneNumber = `+${body.msisdn}`;
  if (body.extRefId !== undefined && isUsed(store, company, body.extRefId)) throw refusal(90);
  const asked = refusalCodeOf(phoneNumber);
  if (asked !== null && !passes(asked, phoneNumber)) throw refusal(asked);
  const network = networkOf(phoneNumber);
  if (!network || !isPhoneNumber(phoneNumber) || magicOf(phoneNumber) === 'invalid') throw refusal(30);
  const wallet = wallets.list(company, 'v1').find(({ network_id }) => network_id === network.id);
  if (!wallet) throw refusal(200);
  const product = body.productId === undefined ? null : productOf(body.productId.integer() ?? -1, network);
  const amount = product?.amount ?? amountOf(body, product, network);
  if (isLess(convert(amount, network.country.currency, 'USD'), sourceAmountMinUsd)) throw refusal(231);
  if (wasJustRecharged(store, company, { phoneNumber, amount, since: clock.now() - repeatMs })) throw refusal(50);
  const cost = convert(amount, network.country.currency, wallet.currency);
  if (magicOf(phoneNumber) === 'poor' || !canPay(wallet, cost)) throw refusal(20);
  return { network, product, amount, wallet };
}

function productOf(id: number, network: Network): Product {
  const product = findProduct(id);
  if (!product) throw refusal(210);
  if (product.network.id !== network.id) throw refusal(218);
  return product;
}

/** The amount of a custom top-up or an open product; a fixed product ignores it (spec section 4.9). */
function amountOf({ amount: given }: SendTopup, product: Product | null, { country }: Network): string {
  if (given === undefined) throw new V1Error(400, null, 'amount is required');
  const parsed = exactDecimal.safeParse(given);
  if (!parsed.success) throw new V1Error(400, null, `Missing or invalid parameters: amount ${faultsIn(parsed.error)}`);
  const amount = parsed.data.decimal() ?? '0';
  if (decimalsOf(amount) > decimalsAllowed(country.currency)) {
    if (product) throw refusal(150);
    throw new V1Error(400, null, `amount must not have more than ${decimalsAllowed(country.currency)} decimals`);
  }
  if (isLess(amount, country.amountMin)) throw refusal(227);
  if (isLess(country.amountMax, amount)) throw refusal(228);
  return amount;
}

const isUsed = (store: Store, company: string, extRefId: string): boolean =>
  store.one("SELECT 1 FROM topups WHERE company = ? AND reference = ? AND version = 'v1'", company, extRefId) !== null;

/** Another amount is accepted: "wait a minute or change the amount" (spec section 7.2). */
const wasJustRecharged = (
  store: Store,
  company: string,
  { phoneNumber, amount, since }: { phoneNumber: string; amount: string; since: number },
): boolean =>
  store.one(
    `SELECT 1 FROM topups WHERE company = ? AND phone_number = ? AND amount = ? AND created_at > ? AND version = 'v1'
       AND NOT (booked = 1 AND outcome IN ('failed', 'canceled'))`,
    company,
    phoneNumber,
    amount,
    since,
  ) !== null;
