import { assert } from '../../core/basics/assert.ts';
import type { Queryable } from '../drivers/database.ts';
import { filledLists, places } from '../drivers/filled-lists.ts';
import { makeInsert } from '../drivers/insert.ts';
import { readOne } from '../drivers/read.ts';

/**
 * An idempotency key, the body that it is bound to, and the facts of its attempts. The key is derived from account, run
 * id, row ref and generation, and is the primary key. So a row is paid once, however many files contain it.
 */
export interface PaymentRecord {
  idempotency_key: string;
  account: string;
  /** The batch and row that bound the key. No other row may send it. */
  batch_id: string;
  row_no: number;
  generation: number;
  reference: string;
  /** The exact bytes that are sent, as UTF-8 text. */
  body: string;
  body_digest: string;
  attempts: number;
  /** Attempts without a definitive refusal: each may have been charged. */
  open_attempts: number;
  first_intent_at: number;
  last_intent_at: number;
  /** Lookups since the last sending. */
  lookups: number;
  /** Lookups since the key became too old to be sent. */
  aged_lookups: number;
  /** Sendings after the first. */
  resends: number;
  /** How many consecutive answers were the same server error. */
  same_errors: number;
  /** JSON `Evidence` (gateway/contract/gateway.ts) of the last answer or failure. */
  last_evidence: string | null;
}

export function findPayment(db: Queryable, idempotencyKey: string): Promise<PaymentRecord | null> {
  return readOne(db, 'SELECT * FROM payments WHERE idempotency_key = ?', [idempotencyKey]);
}

/** Keys in one statement. */
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
 * Few enough that SQLite keeps the undo data of the statement in memory, which it does up to 64 KiB: keys are digests,
 * so nearly every key changes another page. Beyond that, the undo data of the whole transaction goes through a file,
 * with as many pages as the write-ahead log itself.
 */
const paymentsPerStatement = 4;

/** Binds keys. Resolves to how many of them were free; a key that is already bound stays as it is. */
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

/** Binds keys that the transaction has found to be free. */
export async function bindFreeKeys(tx: Queryable, payments: readonly PaymentRecord[]): Promise<void> {
  const bound = await insertPayments(tx, payments);
  assert(bound === payments.length, 'a key that was free at the start of a unit is free at its end');
}

/**
 * Restarts the age of a key that the service has forgotten and under which every attempt was refused. Returns false if
 * another writer has sent it in the meantime.
 */
export async function renewKey(tx: Queryable, payment: PaymentRecord, at: number): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE payments SET first_intent_at = ?, aged_lookups = 0
     WHERE idempotency_key = ? AND attempts = ? AND open_attempts = 0 AND last_intent_at = ?`,
    [at, payment.idempotency_key, payment.attempts, payment.last_intent_at],
  );
  return changed === 1;
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
