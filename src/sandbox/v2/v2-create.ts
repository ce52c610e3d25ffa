import { V2Error } from '../http/reply.ts';
import {
  decimalsAllowed,
  findNetwork,
  findProduct,
  isPhoneNumber,
  type Network,
  type Product,
} from '../money/catalog.ts';
import type { TopupOrder } from '../money/topup.ts';
import type { Topups } from '../money/topups.ts';
import { canPay, type Wallet, type Wallets } from '../money/wallets.ts';
import { decimalsOf, isLess } from '../parts/exact.ts';
import { magicOf } from '../parts/magic.ts';
import type { CreateTopup } from './v2-shapes.ts';

/** Checks the order of `POST /v2/topups` against the catalog. Throws the `V2Error` that refuses it. */
export function checkOrder(body: CreateTopup): { network: Network; product: Product | null; amount: string } {
  const { phone_number: phoneNumber } = body;
  const network = findNetwork(body.network_id.integer() ?? -1);
  if (!network) throw new V2Error(404, 'NETWORK_NOT_FOUND', 'This network is not supported.');
  const isValid = isPhoneNumber(phoneNumber) && magicOf(phoneNumber) !== 'invalid';
  if (!isValid || !phoneNumber.startsWith(`+${network.country.callingCode}`)) {
    throw new V2Error(400, 'INVALID_PHONE_NUMBER', `The number is not valid for ${network.name}.`);
  }
  if (body.product_id !== undefined) return { network, ...productOf(body.product_id, network) };
  return { network, product: null, amount: amountOf(body, network) };
}

function productOf(productId: string, network: Network): { product: Product; amount: string } {
  const product = /^[0-9]{1,9}$/.test(productId) ? findProduct(Number(productId)) : undefined;
  if (!product || product.amount === null) {
    throw new V2Error(404, 'PRODUCT_NOT_FOUND', 'This product does not exist or is no longer sold.');
  }
  if (product.network.id !== network.id) {
    throw new V2Error(400, 'PRODUCT_NETWORK_MISMATCH', `The product is of ${product.network.name}.`);
  }
  return { product, amount: product.amount };
}

function amountOf({ amount: given }: CreateTopup, network: Network): string {
  const { currency, amountMin, amountMax, name } = network.country;
  const amount = given?.value.decimal() ?? '0';
  if (given?.currency !== currency)
    throw new V2Error(400, 'CURRENCY_MISMATCH', `Amounts in ${name} are in ${currency}.`);
  if (decimalsOf(amount) > decimalsAllowed(currency)) {
    throw new V2Error(400, 'INVALID_AMOUNT', `${currency} has ${decimalsAllowed(currency)} decimals.`);
  }
  if (isLess(amount, amountMin)) throw new V2Error(400, 'AMOUNT_TOO_SMALL', `The least is ${amountMin} ${currency}.`);
  if (isLess(amountMax, amount)) throw new V2Error(400, 'AMOUNT_TOO_LARGE', `The most is ${amountMax} ${currency}.`);
  return amount;
}

/** Rules 2 and 3 of spec section 4.1: which wallet pays. A local wallet never pays for another country. */
export function chooseWallet(
  { wallets, topups }: { wallets: Wallets; topups: Topups },
  company: string,
  { network, amount, mode }: { network: Network; amount: string; mode: CreateTopup['wallet_mode'] },
): { wallet: Wallet; strategy: string } {
  const { code, currency } = network.country;
  const active = wallets.list(company, 'v2').filter(({ status }) => status === 'active');
  const global = active.filter(({ type }) => type === 'global');
  const local = active.filter(({ type, country }) => type === 'local' && country === code);
  if (mode === 'local' && local.length === 0) {
    throw new V2Error(400, 'WALLET_TYPE_UNAVAILABLE', `There is no local wallet for ${network.country.name}.`);
  }
  const candidates = mode === 'global' ? global : mode === 'local' ? local : [...global, ...local];
  const wallet = candidates.find((candidate) => canPay(candidate, topups.costOf(amount, currency, candidate)));
  if (!wallet) throw new V2Error(402, 'INSUFFICIENT_BALANCE', 'The wallet balance is too low.');
  return { wallet, strategy: strategies[mode] };
}

/** The spec names two strategies (section 2.2); `global` is named in the same way. */
const strategies = {
  auto: 'AUTO_USD_PRIMARY',
  local: 'LOCAL_EXPLICIT_SELECTION',
  global: 'GLOBAL_EXPLICIT_SELECTION',
} as const;

/** The parts of an order that are stored unchanged. */
export function keptParts(body: CreateTopup): Pick<TopupOrder, 'sms' | 'reference' | 'callbackUrl' | 'metadata'> {
  const { sms } = body;
  return {
    sms: sms === undefined ? null : JSON.stringify({ enabled: sms.enabled, message: sms.message ?? '' }),
    reference: body.reference ?? null,
    callbackUrl: body.callback_url ?? null,
    metadata: JSON.stringify(body.metadata ?? {}),
  };
}
