import type { Queryable } from '../drivers/database.ts';
import { filledLists, places } from '../drivers/filled-lists.ts';
import { makeInsert } from '../drivers/insert.ts';

/**
 * The binding of an idempotency key to one body, and the facts of its attempts. The key is made of account, run id,
 * row ref and generation, so its primary key is also what lets a row be paid once however many files name it.
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

/** Keys that one statement asks for. */
const keysPerQuery = 16;
const findManySql = `SELECT * FROM payments WHERE idempotency_key IN (${places(keysPerQuery)})`;

/** The payments that these keys are bound to, by key. */
export async function findPayments(
  db: Queryable,
  idempotencyKeys: readonly string[],
): Promise<Map<string, PaymentRecord>> {
  const found = new Map<string, PaymentRecord>();
  for (const keys of filledLists(idempotencyKeys, keysPerQuery)) {
    for (const payment of await db.query<PaymentRecord>(findManySql, keys)) {
      found.set(payment.idempotency_key, payment);
    }
  }
  return found;
}

/**
 * So few that what SQLite keeps to undo the statement stays in memory, of which it takes 64 KiB: keys are digests, so
 * nearly each of them changes another page. Past that, all of the transaction's undo goes through a file, as many
 * pages as the write-ahead log itself.
 */
const paymentsPerStatement = 4;

/** Binds keys; resolves to how many of them were free. One that is already bound, to whatever, stays as it is. */
export const insertPayments = makeInsert<PaymentRecord>(
  'payments',
  [
    'idempotency_key',
    'account',
    'batch_id',
    'row_no',
    'generation',
    'reference',
    'body',
    'body_digest',
    'attempts',
    'open_attempts',
    'first_intent_at',
    'last_intent_at',
    'lookups',
    'aged_lookups',
    'resends',
    'same_errors',
    'last_evidence',
  ],
  { ending: 'ON CONFLICT (idempotency_key) DO NOTHING', most: paymentsPerStatement },
);

/** Writes the facts of a payment's attempts. Its key, body and owner never change. */
/**
 * Begins the age of a key anew, of which every attempt was refused, and which the service has forgotten. Returns false
 * where somebody has sent it meanwhile.
 */
export async function renewKey(tx: Queryable, payment: PaymentRecord, at: number): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE payments SET first_intent_at = ?, aged_lookups = 0
     WHERE idempotency_key = ? AND attempts = ? AND open_attempts = 0 AND last_intent_at = ?`,
    [at, payment.idempotency_key, payment.attempts, payment.last_intent_at],
  );
  return changed === 1;
}

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
