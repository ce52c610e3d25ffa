import { isoOrNull, isoTime } from '../core/time/clock.ts';
import { gateWithout, readGate } from '../engine/pacing/account-gate.ts';
import { presentKind } from '../ledger/audit/event-kinds.ts';
import { countRows } from '../ledger/batches/row-counts.ts';
import type { Database, Queryable } from '../ledger/drivers/database.ts';
import {
  addDelivery,
  type BatchWithNews,
  batchesWithNews,
  eventsOfKinds,
  lastGate,
  saveCursor,
  saveGate,
} from '../ledger/outbox/webhook-deliveries.ts';
import { type Endpoint, listEndpoints } from '../ledger/outbox/webhook-endpoints.ts';
import { costsOfBatch } from '../ledger/rows/costs.ts';

/** What a webhook can be about. */
export const webhookEvents = [
  'batch.received',
  'batch.awaiting_approval',
  'batch.approved',
  'batch.rejected',
  'batch.running',
  'batch.paused',
  'batch.completed',
  'batch.cancelled',
  'row.in_doubt',
  'row.held',
  'account.closed',
  'account.open',
  'report.published',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** How long a delivery is tried again (ms). */
export const triedForMs = 3 * 86_400_000;

const eventOfKind: Readonly<Record<string, WebhookEvent>> = {
  'batch.received': 'batch.received',
  'batch.request_approval': 'batch.awaiting_approval',
  'batch.approve': 'batch.approved',
  'batch.reject': 'batch.rejected',
  'batch.start': 'batch.running',
  'batch.resume': 'batch.running',
  'batch.pause': 'batch.paused',
  'batch.complete': 'batch.completed',
  'batch.cancel': 'batch.cancelled',
  'row.doubt': 'row.in_doubt',
  'row.hold': 'row.held',
  'batch.report': 'report.published',
};
const kinds = Object.keys(eventOfKind);

/** How many batches, and how many events of one, a pass reads: it holds up no other transaction for long. */
const batchesMax = 100;
const eventsMax = 500;

/**
 * Makes the deliveries of what has happened since the last pass, from the audit chains and the gates of accounts. Each
 * is durable together with the place up to which the chain was read, so none is lost and none is made twice.
 */
export async function queueWebhooks(db: Database, now: number, accounts: Iterable<string>): Promise<void> {
  const endpoints = await listEndpoints(db);
  if (endpoints.length === 0) return;
  for (const batch of await batchesWithNews(db, batchesMax)) {
    await db.transact(async (tx) => {
      const events = await eventsOfKinds(tx, batch, kinds, eventsMax);
      for (const event of events) await addOfBatch(tx, endpoints, batch, event, now);
      const last = events.at(-1);
      await saveCursor(tx, batch.batch_id, events.length < eventsMax || !last ? batch.audit_seq : last.seq);
    });
  }
  for (const account of accounts) await addOfAccount(db, endpoints, account, now);
}

async function addOfBatch(
  tx: Queryable,
  endpoints: readonly Endpoint[],
  { batch_id, account, run_id }: BatchWithNews,
  { seq, at, kind, row_no, body }: { seq: number; at: number; kind: string; row_no: number | null; body: string },
  now: number,
): Promise<void> {
  const said = JSON.parse(body) as Record<string, string | number | boolean | null>;
  const known = eventOfKind[presentKind(kind)];
  const event = known === 'batch.cancelled' && said.rejected ? 'batch.rejected' : known;
  const wanting = endpoints.filter((one) => wants(one, event, account));
  if (event === undefined || wanting.length === 0) return;
  const about = { batch_id, run_id, account };
  const data =
    row_no !== null
      ? { ...about, row: row_no, status: said.to ?? null }
      : event === 'report.published'
        ? { ...about, version: said.version ?? null }
        : {
            ...about,
            status: said.to ?? (event === 'batch.received' ? 'received' : null),
            reason: event === 'batch.paused' ? (said.reason ?? 'by_person') : null,
            rows: Object.fromEntries(await countRows(tx, batch_id)),
            charged: Object.fromEntries(await costsOfBatch(tx, batch_id)),
          };
  await add(tx, wanting, { event, account, batch_id, id: `${batch_id}:${seq}`, at, data }, now);
}

/** A gate that nobody's lease closes says nothing: the program that sends webhooks may just have started. */
async function addOfAccount(db: Database, endpoints: readonly Endpoint[], account: string, now: number): Promise<void> {
  const gate = gateWithout(await readGate(db, account, now), 'no_lease');
  const { isOpen } = gate;
  const before = await lastGate(db, account);
  if (before === isOpen) return;
  await db.transact(async (tx) => {
    await saveGate(tx, account, isOpen);
    const event = isOpen ? 'account.open' : 'account.closed';
    if (before === null && isOpen) return;
    const wanting = endpoints.filter((one) => wants(one, event, account));
    const [reasons, until] = isOpen ? [[], null] : [gate.causes.map(({ why }) => why), gate.until];
    const data = { account, reasons, until: isoOrNull(until) };
    await add(tx, wanting, { event, account, batch_id: null, id: `${account}:${now}`, at: now, data }, now);
  });
}

function wants({ enabled, events, accounts }: Endpoint, event: string | undefined, account: string): boolean {
  if (enabled === 0 || event === undefined) return false;
  return (events.length === 0 || events.includes(event)) && (accounts.length === 0 || accounts.includes(account));
}

/** A message for each endpoint: the one same body, as Standard Webhooks has it. */
async function add(
  tx: Queryable,
  endpoints: readonly Endpoint[],
  about: { event: WebhookEvent; account: string; batch_id: string | null; id: string; at: number; data: object },
  now: number,
): Promise<void> {
  const { event, account, batch_id, id, at, data } = about;
  const body = JSON.stringify({ type: event, timestamp: isoTime(at), data });
  for (const { endpoint_id } of endpoints)
    await addDelivery(tx, {
      ...{ endpoint_id, message_id: id, event, account, batch_id, body },
      ...{ created_at: now, give_up_at: now + triedForMs },
    });
}
