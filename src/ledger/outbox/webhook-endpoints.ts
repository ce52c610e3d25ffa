import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { makeValueTable, saveRecord } from '../drivers/write.ts';

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
  const sql = 'SELECT * FROM webhook_endpoints WHERE endpoint_id = ? AND deleted_at IS NULL';
  const found = await readOne<EndpointRecord>(db, sql, [endpointId]);
  return found ? withFilters(db, found) : null;
}

const eventsTable = makeValueTable('webhook_events', 'endpoint_id', 'event');
const accountsTable = makeValueTable('webhook_filters', 'endpoint_id', 'account');

async function withFilters(db: Queryable, one: EndpointRecord): Promise<Endpoint> {
  const { endpoint_id: id } = one;
  return { ...one, events: await eventsTable.read(db, id), accounts: await accountsTable.read(db, id) };
}

/** Stores an endpoint, in place of what was stored of it before. */
export async function saveEndpoint(tx: Queryable, { events, accounts, ...endpoint }: Endpoint): Promise<void> {
  await saveRecord(tx, 'webhook_endpoints', ['endpoint_id'], endpoint);
  await eventsTable.write(tx, endpoint.endpoint_id, events);
  await accountsTable.write(tx, endpoint.endpoint_id, accounts);
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
