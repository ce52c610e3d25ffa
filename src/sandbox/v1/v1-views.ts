import { findNetwork, type Product, rate } from '../money/catalog.ts';
import { isChargeReturned, type Phase, phaseOf, type Topup } from '../money/topup.ts';
import type { Wallet } from '../money/wallets.ts';
import { exactNumber } from '../parts/exact.ts';

/** The states of Version 1 (spec section 3.2). */
const v1States: Readonly<Record<Phase, string>> = {
  pending: 'PENDING',
  processing: 'PROCESSING',
  completed: 'SUCCESS',
  failed: 'FAILED',
  timeout: 'TIMEOUT',
  underlivered: 'UNDERLIVERED',
  canceled: 'CANCELED',
};

/** The envelope of a lookup that found one record (spec section 4.13). */
export const lookupCodes: Readonly<Record<Phase, { code: number; message: string }>> = {
  completed: { code: 1, message: 'Top-up successful' },
  pending: { code: 10, message: 'Operation pending and being processed' },
  processing: { code: 10, message: 'Operation pending and being processed' },
  failed: { code: 5, message: 'Top-up operation failed' },
  underlivered: { code: 5, message: 'Top-up operation failed' },
  timeout: { code: 160, message: 'Transaction timed out' },
  canceled: { code: 170, message: 'Transaction cancelled' },
};

/** The data of an answer to `POST /adp`. Deducted amounts are texts, as the spec allows (section 2.5). */
export function sentView(topup: Topup, now: number) {
  const phase = phaseOf(topup, now);
  const isFree = topup.refunded === 1 || (phase !== 'pending' && phase !== 'processing' && isChargeReturned(phase));
  const deducted = isFree ? '0' : topup.cost;
  const isDelivered = phase === 'completed';
  return {
    transactionId: topup.id,
    state: v1States[phase],
    amount: exactNumber(topup.amount),
    effectiveAmount: deducted,
    currency: topup.currency,
    wallet: {
      currency: topup.cost_currency,
      amount: deducted,
      fxRate: topup.cost_currency === topup.currency ? null : rate(topup.cost_currency, topup.currency),
    },
    provider: {
      transaction_id: isDelivered ? topup.provider_reference : null,
      reference_code: isDelivered ? topup.provider_reference.slice(2) : null,
    },
  };
}

/** A record of `GET /adp/transactions`. */
export function transactionView(topup: Topup, now: number) {
  const network = findNetwork(topup.network_id);
  const sent = sentView(topup, now);
  return {
    ...sent,
    status: sent.state === 'SUCCESS',
    msisdn: topup.phone_number.replace(/^\+/, ''),
    network: network?.name ?? '',
    country: network?.country.name ?? '',
    TopupAmount: sent.amount,
    extRefId: topup.reference,
    accountId: topup.wallet_id,
  };
}

export const accountView = ({ id, network_id, balance }: Wallet) => {
  const network = findNetwork(network_id ?? -1);
  return {
    accountId: id,
    serviceName: network?.name ?? '',
    serviceCountry: network?.country.name ?? '',
    balance: exactNumber(balance),
  };
};

export const productView = ({ id, name, network, amount }: Product) => ({
  productId: id,
  amount: amount === null ? null : exactNumber(amount),
  product_name: name,
  service: network.name,
  provider_name: network.name,
  product_type: amount === null ? 'OPEN_PRODUCT' : 'FIXED_PRODUCT',
});
