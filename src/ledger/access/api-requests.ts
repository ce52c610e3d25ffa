import type { Database } from '../drivers/database.ts';

/** A request to the HTTP API that changes something: who sent it, its `Idempotency-Key`, and what it asks for. */
export interface ApiRequest {
  caller: string;
  key: string;
  /** Hex SHA-256 of the method, the path and the body. */
  digest: string;
}

/** The answer to a request, as it was sent. */
export interface ApiAnswer {
  status: number;
  body: string;
}

/**
 * What is known of a request: `new` (it is to be carried out), `answered`, `open` (it was received before and has no
 * answer yet), or `other` (the key was used for another request).
 */
export type KnownRequest = { kind: 'new' | 'open' | 'other' } | { kind: 'answered'; answer: ApiAnswer };

/** Notes a request before it is carried out, so that the same one is carried out once. `at`: epoch ms. */
export function beginApiRequest(db: Database, request: ApiRequest, at: number): Promise<KnownRequest> {
  const { caller, key, digest } = request;
  return db.transact(async (tx) => {
    const added = await tx.execute(
      `INSERT INTO api_requests (caller, idempotency_key, request_sha256, received_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (caller, idempotency_key) DO NOTHING`,
      [caller, key, digest, at],
    );
    if (added === 1) return { kind: 'new' };
    const [known] = await tx.query<{ request_sha256: string; status: number | null; body: string | null }>(
      'SELECT request_sha256, status, body FROM api_requests WHERE caller = ? AND idempotency_key = ?',
      [caller, key],
    );
    if (known?.request_sha256 !== digest) return { kind: 'other' };
    if (known.status === null) return { kind: 'open' };
    return { kind: 'answered', answer: { status: known.status, body: known.body ?? '' } };
  });
}

/** Keeps the answer to a request. */
export async function answerApiRequest(db: Database, { caller, key }: ApiRequest, answer: ApiAnswer): Promise<void> {
  await db.transact((tx) =>
    tx.execute('UPDATE api_requests SET status = ?, body = ? WHERE caller = ? AND idempotency_key = ?', [
      answer.status,
      answer.body,
      caller,
      key,
    ]),
  );
}

/** Forgets a request that met trouble which passes, so that it can be sent again under the same key. */
export async function dropApiRequest(db: Database, { caller, key }: ApiRequest): Promise<void> {
  await db.transact((tx) =>
    tx.execute('DELETE FROM api_requests WHERE caller = ? AND idempotency_key = ? AND status IS NULL', [caller, key]),
  );
}

/** Forgets up to `limit` requests that were received before a time (epoch ms); returns how many. */
export function pruneApiRequests(db: Database, before: number, limit: number): Promise<number> {
  return db.transact((tx) =>
    tx.execute(
      `DELETE FROM api_requests WHERE (caller, idempotency_key) IN
         (SELECT caller, idempotency_key FROM api_requests WHERE received_at < ? ORDER BY received_at LIMIT ?)`,
      [before, limit],
    ),
  );
}
