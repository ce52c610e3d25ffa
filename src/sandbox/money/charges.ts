import type { Store } from '../parts/store.ts';

/**
 * One line of the charge log: written when money leaves a wallet, marked when it comes back. It is separate from the
 * top-ups, and shares no code with any client: it judges whether somebody was paid twice.
 */
export interface Charge {
  topupId: string;
  company: string;
  reference: string | null;
  idempotencyKey: string | null;
  /** E.164 with "+". */
  phoneNumber: string;
  /** Decimals, as texts. */
  amount: string;
  currency: string;
  cost: string;
  costCurrency: string;
  /** Epoch milliseconds. */
  at: number;
  /**
   * False once the top-up has failed and the money is back. A refund after delivery does not count, since the airtime
   * was delivered.
   */
  live: boolean;
  refunded: boolean;
}

export interface ChargeLog {
  record(charge: Omit<Charge, 'live' | 'refunded'>): void;
  returnCharge(topupId: string, at: number): void;
  refund(topupId: string, at: number): void;
  /** Charges a failed top-up again, because it is delivered after all. */
  takeAgain(topupId: string): void;
  entries(): Charge[];
}

interface ChargeRecord {
  topup_id: string;
  company: string;
  reference: string | null;
  idempotency_key: string | null;
  phone_number: string;
  amount: string;
  currency: string;
  cost: string;
  cost_currency: string;
  at: number;
  given_back_at: number | null;
  refunded_at: number | null;
}

export function makeChargeLog(store: Store): ChargeLog {
  return {
    record({ topupId, company, reference, idempotencyKey, phoneNumber, amount, currency, cost, costCurrency, at }) {
      store.insert('charges', {
        topup_id: topupId,
        company,
        reference,
        idempotency_key: idempotencyKey,
        phone_number: phoneNumber,
        amount,
        currency,
        cost,
        cost_currency: costCurrency,
        at,
      });
    },
    returnCharge: (topupId, at) =>
      void store.run('UPDATE charges SET given_back_at = ? WHERE topup_id = ? AND given_back_at IS NULL', at, topupId),
    refund: (topupId, at) =>
      void store.run('UPDATE charges SET refunded_at = ? WHERE topup_id = ? AND refunded_at IS NULL', at, topupId),
    takeAgain: (topupId) => void store.run('UPDATE charges SET given_back_at = NULL WHERE topup_id = ?', topupId),
    entries: () => store.all<ChargeRecord>('SELECT * FROM charges ORDER BY number').map(chargeOf),
  };
}

function chargeOf(record: ChargeRecord): Charge {
  return {
    topupId: record.topup_id,
    company: record.company,
    reference: record.reference,
    idempotencyKey: record.idempotency_key,
    phoneNumber: record.phone_number,
    amount: record.amount,
    currency: record.currency,
    cost: record.cost,
    costCurrency: record.cost_currency,
    at: record.at,
    live: record.given_back_at === null,
    refunded: record.refunded_at !== null,
  };
}
