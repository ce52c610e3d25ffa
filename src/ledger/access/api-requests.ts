import type { Database, Queryable } from '../drivers/database.ts';
import { insertRecord } from '../drivers/write.ts';

/** A request to the HTTP API that changes something: its sender, its `Idempotency-Key`, and a digest of its content. */
export interface ApiRequest {
  caller: string;
  key: string;
  /** Hex SHA-256 of the method, the path and the body. */
  digest: string;
}

/** The answer to a request, exactly as it was sent. */
export interface ApiAnswer {
  status: number;
  body: string;
  /** The draft or the batch that it is about: erased together with the people of that. Null: it names nobody. */
  about: string | null;
}

/**
 * What the ledger knows of a request: `new` (to be carried out), `answered`, `open` (received before, without an answer
 * yet), or `other` (the key was used for another request).
 */
export type KnownRequest = { kind: 'new' | 'open' | 'other' } | { kind: 'answered'; answer: ApiAnswer };

/** Records a request before it is carried out, so that a repeated one is not carried out again. `at`: epoch ms. */
export function beginApiRequest(db: Database, request: ApiRequest, at: number): Promise<KnownRequest> {
  const { caller, key, digest } = request;
  return db.transact(async (tx) => {
    const record = { caller, idempotency_key: key, request_sha256: digest, received_at: at };
    const ending = 'ON CONFLICT (caller, idempotency_key) DO NOTHING';
    if ((await insertRecord(tx, 'api_requests', record, ending)) === 1) return { kind: 'new' };
    const [known] = await tx.query<{ request_sha256: string; status: number | null } & Omit<ApiAnswer, 'status'>>(
      'SELECT request_sha256, status, body, about FROM api_requests WHERE caller = ? AND idempotency_key = ?',
      [caller, key],
    );
    if (known?.request_sha256 !== digest) return { kind: 'other' };
    const { status, body, about } = known;
    return status === null ? { kind: 'open' } : { kind: 'answered', answer: { status, body, about } };
  });
}

/** Stores the answer to a request. */
export async function answerApiRequest(db: Database, { caller, key }: ApiRequest, answer: ApiAnswer): Promise<void> {
  await db.transact((tx) =>
    tx.execute('UPDATE api_requests SET status = ?, body = ?, about = ? WHERE caller = ? AND idempotency_key = ?', [
      answer.status,
      answer.body,
      answer.about,
      caller,
      key,
    ]),
  );
}

/** Deletes the answers about a draft or a batch whose people are erased: they may have their numbers. */
export async function eraseAnswersAbout(tx: Queryable, id: string): Promise<void> {
  await tx.execute('DELETE FROM api_requests WHERE about = ?', [id]);
}

/** Deletes a request that failed for a temporary reason, so that it can be sent again under the same key. */
export async function dropApiRequest(db: Database, { caller, key }: ApiRequest): Promise<void> {
  await db.transact((tx) =>
    tx.execute('DELETE FROM api_requests WHERE caller = ? AND idempotency_key = ? AND status IS NULL', [caller, key]),
  );
}

/** Deletes up to `limit` requests that were received before a time (epoch ms). Returns how many. */
export function pruneApiRequests(db: Database, before: number, limit: number): Promise<number> {
  return db.transact((tx) =>
    tx.execute(
      `DELETE FROM api_requests WHERE (caller, idempotency_key) IN
         (SELECT caller, idempotency_key FROM api_requests WHERE received_at < ? ORDER BY received_at LIMIT ?)`,
      [before, limit],
    ),
  );
}

/**
 * Deletes up to `limit` answers about drafts and batches whose people are erased, received before a time (epoch ms). A
 * request that was answered after the erasing has stored its answer all the same. Returns how many.
 */
export function pruneAnswersOfErased(db: Database, before: number, limit: number): Promise<number> {
  return db.transact((tx) =>
    tx.execute(
      `DELETE FROM api_requests WHERE (caller, idempotency_key) IN
         (SELECT caller, idempotency_key FROM api_requests WHERE about IS NOT NULL AND received_at < ?
            AND NOT EXISTS (SELECT 1 FROM drafts WHERE draft_id = about AND salt <> '')
            AND NOT EXISTS (SELECT 1 FROM batches WHERE batch_id = about AND forgotten_at IS NULL) LIMIT ?)`,
      [before, limit],
    ),
  );
}
