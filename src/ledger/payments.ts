import type { Queryable } from './database.ts';

/**
 * The binding of an idempotency key to one body, and the facts of its attempts. The key is made of account, run id, row ref
 * and generation, so its primary key is also what lets a row be paid once however many files name it.
 */
export interface PaymentRecord {
  idempotency_key: string;
  account: string;
  /** The batch and row that bound the key, and the only ones that may send it. */
  batch_id: string;
  row_no: number;
  generation: number;
  reference: string;
  /** The exact bytes that are sent, as UTF-8 text. */
  body: string;
  body_digest: string;
  attempts: number;
  /** Attempts that were not answered with a definitive no: any of them may have been charged. */
  open_attempts: number;
  first_intent_at: number;
  last_intent_at: number;
  /** Look-ups since the last send. */
  lookups: number;
  /** Look-ups since the key became too old to be sent. */
  aged_lookups: number;
  /** Sends after the first. */
  resends: number;
  /** How often in a row the same server error came back. */
  same_errors: number;
  /** JSON `Evidence` (gateway/gateway.ts) of the last answer or failure. */
  last_evidence: string | null;
}

export async function findPayment(db: Queryable, idempotencyKey: string): Promise<PaymentRecord | null> {
  const [payment] = await db.query<PaymentRecord>('SELECT * FROM payments WHERE idempotency_key = ?', [idempotencyKey]);
  return payment ?? null;
}

/** Binds a key. False when it is already bound, to whatever. */
export async function insertPayment(tx: Queryable, payment: PaymentRecord): Promise<boolean> {
  const inserted = await tx.execute(
    `INSERT INTO payments (idempotency_key, account, batch_id, row_no, generation, reference, body, body_digest, attempts,
       open_attempts, first_intent_at, last_intent_at, lookups, aged_lookups, resends, same_errors,
       last_evidence)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (idempotency_key) DO NOTHING`,
    [
      payment.idempotency_key,
      payment.account,
      payment.batch_id,
      payment.row_no,
      payment.generation,
      payment.reference,
      payment.body,
      payment.body_digest,
      payment.attempts,
      payment.open_attempts,
      payment.first_intent_at,
      payment.last_intent_at,
      payment.lookups,
      payment.aged_lookups,
      payment.resends,
      payment.same_errors,
      payment.last_evidence,
    ],
  );
  return inserted === 1;
}

/** Writes the facts of a payment's attempts. Its key, body and owner never change. */
export async function updateAttempts(tx: Queryable, payment: PaymentRecord): Promise<void> {
  await tx.execute(
    `UPDATE payments SET attempts = ?, open_attempts = ?, last_intent_at = ?, lookups = ?, aged_lookups = ?, resends = ?, same_errors = ?,
       last_evidence = ?
     WHERE idempotency_key = ?`,
    [
      payment.attempts,
      payment.open_attempts,
      payment.last_intent_at,
      payment.lookups,
      payment.aged_lookups,
      payment.resends,
      payment.same_errors,
      payment.last_evidence,
      payment.idempotency_key,
    ],
  );
}
