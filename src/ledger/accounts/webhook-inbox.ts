import { dayMs } from '../../core/time/clock.ts';
import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';
import { announceWebhook } from './announce.ts';

/** How a webhook was signed: per top-up (spec section 6.1), or as registered (section 6.2). */
export type WebhookScheme = 'callback' | 'registered';

/** The result of handling a webhook. */
export type InboxOutcome =
  /** It carried the whole payment, agreed with the ledger, and ended the row. */
  | 'settled'
  /** The row was looked up because of it, and has the state that the service reports. */
  | 'looked_up'
  /** The row was looked up as often as a webhook requires, and is polled further. */
  | 'still_open'
  /** Money was refunded, and the refund is recorded. */
  | 'refund_noted'
  /** It contradicts the ledger: recorded and reported. */
  | 'contradiction'
  | 'nothing_new'
  /** The service says that a wallet is low (`wallet.low_balance`). */
  | 'low_balance'
  /** It is about the account, not about a payment. */
  | 'account_event'
  /** It is about a payment that this ledger does not have. */
  | 'foreign'
  /** Correctly signed, but in no format of the spec. */
  | 'unreadable';

/** A webhook with a valid signature, stored before it was acknowledged. Times are epoch ms. */
export interface InboxEntry {
  account: string;
  scheme: WebhookScheme;
  /** Identifies a repeated webhook: the event's id, or the SHA-256 (hex) of the signed bytes. */
  message_id: string;
  /** The signed text; null once it is handled, because it names a person. An unreadable body is kept. */
  body: string | null;
  /** SHA-256 (hex) of the body, which proves what was received after the body is deleted. */
  body_digest: string;
  received_at: number;
  /** When it is handled next; null once it is handled. */
  due_at: number | null;
  /** How many lookups it has caused. */
  looks: number;
  handled_at: number | null;
  outcome: InboxOutcome | null;
  /** The row that it is about; null if unknown. */
  batch_id: string | null;
  row_no: number | null;
}

/** Stores a webhook. Returns false, and changes nothing, if it was received before. */
export async function addToInbox(db: Queryable, entry: InboxEntry): Promise<boolean> {
  const ending = 'ON CONFLICT (account, scheme, message_id) DO NOTHING';
  const isNew = (await insertRecord(db, 'inbox', entry, ending)) === 1;
  if (isNew) await announceWebhook(db, entry.account);
  return isNew;
}

/** The account's unhandled webhooks that are due at `now`, the longest due first. */
export function dueInbox(db: Queryable, account: string, now: number, limit: number): Promise<InboxEntry[]> {
  return db.query(
    `SELECT * FROM inbox WHERE account = ? AND due_at IS NOT NULL AND due_at <= ?
     ORDER BY due_at, received_at, scheme, message_id LIMIT ?`,
    [account, now, limit],
  );
}

/** The accounts with a webhook that is due at `now`. */
export async function accountsWithDueWebhooks(db: Queryable, now: number): Promise<Set<string>> {
  const sql = 'SELECT DISTINCT account FROM inbox WHERE due_at IS NOT NULL AND due_at <= ?';
  return new Set((await db.values<[string]>(sql, [now])).map(([account]) => account));
}

/** When the account's next unhandled webhook is due (epoch ms); null if there is none. */
export function nextInboxDueAt(db: Queryable, account: string): Promise<number | null> {
  return readValue(db, 'SELECT MIN(due_at) FROM inbox WHERE account = ? AND due_at IS NOT NULL', [account]);
}

/** Writes the result of handling a webhook. Returns false, and changes nothing, if it is already handled. */
export async function updateInbox(tx: Queryable, entry: InboxEntry): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE inbox SET body = ?, due_at = ?, looks = ?, handled_at = ?, outcome = ?, batch_id = ?, row_no = ?
     WHERE account = ? AND scheme = ? AND message_id = ? AND due_at IS NOT NULL`,
    [
      entry.body,
      entry.due_at,
      entry.looks,
      entry.handled_at,
      entry.outcome,
      entry.batch_id,
      entry.row_no,
      entry.account,
      entry.scheme,
      entry.message_id,
    ],
  );
  return changed === 1;
}

/** For how long received webhooks are recognized: far longer than the service repeats one. */
export const inboxKeptMs = 60 * dayMs;

/**
 * Deletes up to `limit` webhooks that were handled in a stretch of time (epoch ms), the earliest first. Returns when
 * they were handled. `from`: what was deleted before it stays in PostgreSQL's index for a while, and is not read again.
 */
export async function pruneInbox(
  tx: Queryable,
  { from, before }: { from: number; before: number },
  limit: number,
): Promise<number[]> {
  const sql = `DELETE FROM inbox WHERE (account, scheme, message_id) IN
       (SELECT account, scheme, message_id FROM inbox WHERE handled_at >= ? AND handled_at < ?
        ORDER BY handled_at LIMIT ?)
     RETURNING handled_at`;
  return (await tx.query<{ handled_at: number }>(sql, [from, before, limit])).map(({ handled_at }) => handled_at);
}
