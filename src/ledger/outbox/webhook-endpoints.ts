import type { Queryable } from '../drivers/database.ts';

/** Another program that receives events. Times are epoch ms. */
export interface EndpointRecord {
  endpoint_id: string;
  url: string;
  /** "whsec_" and the key in base64. The ledger has to keep it, because each delivery is signed with it. */
  /** Sealed (runtime/session/sealed-text.ts). */
  secret: string;
  /** The secret before the last change, with which deliveries are also signed until `earlier_until`. */
  earlier_secret: string | null;
  earlier_until: number | null;
  /** 1 or 0. */
  enabled: number;
  /** When airbatch disabled it, because no delivery succeeded for days; null if it did not. */
  failed_at: number | null;
  created_by: string;
  created_at: number;
  deleted_at: number | null;
}

export interface Endpoint extends EndpointRecord {
  /** The kinds of events, and the accounts; empty: all. */
  events: string[];
  accounts: string[];
}

/** All endpoints that are not deleted, the oldest first. */
export async function listEndpoints(db: Queryable): Promise<Endpoint[]> {
  const found = await db.query<EndpointRecord>(
    'SELECT * FROM webhook_endpoints WHERE deleted_at IS NULL ORDER BY created_at, endpoint_id',
  );
  return Promise.all(found.map((one) => withFilters(db, one)));
}

/** Null if there is none, or if it was deleted. */
export async function findEndpoint(db: Queryable, endpointId: string): Promise<Endpoint | null> {
  const [found] = await db.query<EndpointRecord>(
    'SELECT * FROM webhook_endpoints WHERE endpoint_id = ? AND deleted_at IS NULL',
    [endpointId],
  );
  return found ? withFilters(db, found) : null;
}

async function withFilters(db: Queryable, one: EndpointRecord): Promise<Endpoint> {
  const id = [one.endpoint_id];
  const events = await db.query<{ event: string }>('SELECT event FROM webhook_events WHERE endpoint_id = ?', id);
  const accounts = await db.query<{ account: string }>('SELECT account FROM webhook_filters WHERE endpoint_id = ?', id);
  return {
    ...one,
    events: events.map(({ event }) => event).toSorted(),
    accounts: accounts.map(({ account }) => account).toSorted(),
  };
}

/** Stores an endpoint, in place of what was stored of it before. */
export async function saveEndpoint(tx: Queryable, one: Endpoint): Promise<void> {
  await tx.execute('DELETE FROM webhook_endpoints WHERE endpoint_id = ?', [one.endpoint_id]);
  await tx.execute('DELETE FROM webhook_events WHERE endpoint_id = ?', [one.endpoint_id]);
  await tx.execute('DELETE FROM webhook_filters WHERE endpoint_id = ?', [one.endpoint_id]);
  await tx.execute(
    `INSERT INTO webhook_endpoints (endpoint_id, url, secret, earlier_secret, earlier_until, enabled, failed_at,
       created_by, created_at, deleted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[one.endpoint_id, one.url, one.secret, one.earlier_secret, one.earlier_until, one.enabled, one.failed_at],
      ...[one.created_by, one.created_at, one.deleted_at],
    ],
  );
  for (const event of one.events)
    await tx.execute('INSERT INTO webhook_events (endpoint_id, event) VALUES (?, ?)', [one.endpoint_id, event]);
  for (const account of one.accounts)
    await tx.execute('INSERT INTO webhook_filters (endpoint_id, account) VALUES (?, ?)', [one.endpoint_id, account]);
}

/** Disables an endpoint at which nothing arrives. */
export async function disableEndpoint(tx: Queryable, endpointId: string, at: number): Promise<void> {
  await tx.execute('UPDATE webhook_endpoints SET enabled = 0, failed_at = ? WHERE endpoint_id = ?', [at, endpointId]);
}

/** Before the first endpoint: earlier events are not sent. */
export async function skipToNow(tx: Queryable): Promise<void> {
  await tx.execute('DELETE FROM webhook_cursors');
  await tx.execute('INSERT INTO webhook_cursors (batch_id, seq) SELECT batch_id, audit_seq FROM batches');
}
