import type { Network, Product } from './catalog.ts';
import type { Wallet } from './wallets.ts';

/** How a top-up ends; a `stuck` one never does. Version 2 calls every outcome but `completed` failed. */
export type Outcome = 'completed' | 'failed' | 'timeout' | 'underlivered' | 'canceled' | 'stuck';

export interface Topup {
  id: string;
  version: 'v2' | 'v1';
  company: string;
  api_key: string | null;
  idempotency_key: string | null;
  phone_number: string;
  network_id: number;
  amount: string;
  currency: string;
  cost: string;
  cost_currency: string;
  cost_usd: string;
  wallet_id: string;
  strategy: string;
  product_id: number | null;
  /** JSON, or null without a message. */
  sms: string | null;
  reference: string | null;
  callback_url: string | null;
  /** The caller's JSON text, unchanged. */
  metadata: string;
  outcome: Outcome;
  failure_reason: string | null;
  provider_reference: string;
  created_at: number;
  processing_at: number;
  /** When it ends (epoch milliseconds); null if it never does. */
  ends_at: number | null;
  /** When its end is reversed: a delivered one is refunded, and a failed one is delivered after all. */
  refund_at: number | null;
  /** 1 once the event `topup.processing` was sent. */
  announced: number;
  /** 1 once its end was booked: the money of a failed one is back in the wallet. */
  booked: number;
  refunded: number;
}

export type Phase = 'pending' | 'processing' | Exclude<Outcome, 'stuck'>;

/** The state of a top-up depends on the time alone, so a stopped or restarted sandbox needs no timers to be right. */
export function phaseOf(topup: Topup, now: number): Phase {
  if (topup.ends_at !== null && now >= topup.ends_at && topup.outcome !== 'stuck') return topup.outcome;
  return now >= topup.processing_at ? 'processing' : 'pending';
}

/**
 * Only a top-up that certainly did not arrive is given back; one that may have arrived is charged (spec section 3.2).
 */
export const isChargeReturned = (outcome: Outcome): boolean => outcome === 'failed' || outcome === 'canceled';

export interface TopupOrder {
  version: 'v2' | 'v1';
  company: string;
  apiKey: string | null;
  idempotencyKey: string | null;
  phoneNumber: string;
  network: Network;
  product: Product | null;
  amount: string;
  wallet: Wallet;
  strategy: string;
  sms: string | null;
  reference: string | null;
  callbackUrl: string | null;
  metadata: string;
}

export interface TopupEvents {
  /** Called when a top-up changes its state, within the transaction that books it. */
  moved(topup: Topup, to: 'created' | 'processing' | 'ended' | 'refunded', at: number): void;
  walletLow(wallet: Wallet, at: number): void;
}

/**
 * Version 2 has one failed state, in which the cost is 0 (spec section 2.2): everything but a full delivery is given
 * back.
 */
export function endOf({ version, outcome }: Topup): Outcome {
  return version === 'v2' && outcome !== 'completed' ? 'failed' : outcome;
}
