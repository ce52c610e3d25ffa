import { findNetwork, products } from '../money/catalog.ts';
import { phaseOf, type Topup } from '../money/topup.ts';
import type { Wallet } from '../money/wallets.ts';
import { type ExactNumber, exactNumber, parseExact } from '../parts/exact.ts';

export const iso = (ms: number): string => new Date(ms).toISOString();

/** The status in Version 2 (spec section 3.1), which has only two final states. */
export function v2StatusOf(topup: Topup, now: number): 'pending' | 'processing' | 'completed' | 'failed' {
  const phase = phaseOf(topup, now);
  return phase === 'pending' || phase === 'processing' || phase === 'completed' ? phase : 'failed';
}

/** What is charged at this moment: nothing after a failure or a refund (spec section 2.2). */
function costNow(topup: Topup, now: number): ExactNumber {
  const isFree = topup.refunded === 1 || v2StatusOf(topup, now) === 'failed';
  return exactNumber(isFree ? '0' : topup.cost);
}

function common(topup: Topup, now: number) {
  const status = v2StatusOf(topup, now);
  const network = findNetwork(topup.network_id);
  return {
    id: topup.id,
    status,
    phone_number: topup.phone_number,
    network: {
      id: topup.network_id,
      name: network?.name ?? '',
      country: network?.country.name ?? '',
      country_code: network?.country.code ?? '',
    },
    amount: { value: exactNumber(topup.amount), currency: topup.currency },
    cost: { value: costNow(topup, now), currency: topup.cost_currency },
    reference: topup.reference,
    created_at: iso(topup.created_at),
    completed_at: status === 'completed' && topup.ends_at !== null ? iso(topup.ends_at) : null,
  };
}

function walletPart(topup: Topup) {
  return {
    id: topup.wallet_id,
    type: topup.cost_currency === 'USD' ? 'global' : 'local',
    currency: topup.cost_currency,
    strategy: topup.strategy,
  };
}

/** A list entry, with these fields only (spec section 2.2). */
export const listView = (topup: Topup, now: number) => ({ ...common(topup, now), wallet: walletPart(topup) });

/** One top-up as in `GET /v2/topups/:id` and in webhooks: all fields but `wallet` and `sms`. */
export function singleView(topup: Topup, now: number) {
  const view = common(topup, now);
  const product = products.find(({ id }) => id === topup.product_id);
  return {
    ...view,
    product_id: topup.product_id === null ? null : String(topup.product_id),
    product_name: product?.name ?? null,
    provider_reference: view.status === 'completed' ? topup.provider_reference : null,
    failure_reason: view.status === 'failed' ? topup.failure_reason : null,
    metadata: parseExact(topup.metadata),
  };
}

/** The answer to a creation: all fields. */
export function createdView(topup: Topup, now: number) {
  const sms = topup.sms === null ? { enabled: false, message: '' } : (JSON.parse(topup.sms) as object);
  return { ...singleView(topup, now), wallet: walletPart(topup), sms };
}

export const walletView = ({ id, currency, balance, type, status, country }: Wallet) => ({
  id,
  currency,
  balance: exactNumber(balance),
  type,
  status,
  allowed_countries: country === null ? ['*'] : [country],
});
