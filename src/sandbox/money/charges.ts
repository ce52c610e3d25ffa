import type { Store } from '../parts/store.ts';
import type { Topup } from './topup.ts';

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
  record(topup: Topup): void;
  returnCharge(topupId: string, at: number): void;
  refund(topupId: string, at: number): void;
  /** Charges a failed top-up again, because it is delivered after all. */
  takeAgain(topupId: string): void;
  entries(): Charge[];
}

const columns = `topup_id AS "topupId", company, reference, idempotency_key AS "idempotencyKey",
  phone_number AS "phoneNumber", amount, currency, cost, cost_currency AS "costCurrency", at,
  given_back_at IS NULL AS live, refunded_at IS NOT NULL AS refunded`;

export function makeChargeLog(store: Store): ChargeLog {
  return {
    record({ id, company, reference, idempotency_key, phone_number, created_at, ...topup }) {
      const { amount, currency, cost, cost_currency } = topup;
      store.insert('charges', {
        ...{ topup_id: id, company, reference, idempotency_key, phone_number },
        ...{ amount, currency, cost, cost_currency, at: created_at },
      });
    },
    returnCharge: (topupId, at) =>
      void store.run('UPDATE charges SET given_back_at = ? WHERE topup_id = ? AND given_back_at IS NULL', at, topupId),
    refund: (topupId, at) =>
      void store.run('UPDATE charges SET refunded_at = ? WHERE topup_id = ? AND refunded_at IS NULL', at, topupId),
    takeAgain: (topupId) => void store.run('UPDATE charges SET given_back_at = NULL WHERE topup_id = ?', topupId),
    entries: () =>
      store
        .all<Charge>(`SELECT ${columns} FROM charges ORDER BY number`)
        .map((charge) => ({ ...charge, live: Boolean(charge.live), refunded: Boolean(charge.refunded) })),
  };
}
