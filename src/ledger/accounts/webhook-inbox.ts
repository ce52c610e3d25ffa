import { dayMs } from '../../core/time/clock.ts';
import type { Queryable } from '../drivers/database.ts';
import { makeInsert } from '../drivers/insert.ts';

/** How a webhook was signed: per top-up (spec section 6.1), or as registered (section 6.2). */
export type WebhookScheme = 'callback' | 'registered';

/** What became of a webhook. */
export type InboxOutcome =
  /** It carried the whole payment, agreed with the ledger, and ended the row. */
  | 'settled'
  /** The row was looked up because of it, and is as the service says. */
  | 'looked_up'
  /** The row was looked up as often as a hint asks for, and goes on being polled. */
  | 'still_open'
  /** Money was given back, and the row says so. */
  | 'refund_noted'
  /** It said something else than the ledger has: noted and alerted. */
  | 'contradiction'
  | 'nothing_new'
  /** The service says that a wallet is low (`wallet.low_balance`). */
  | 'low_balance'
  /** It speaks of the account and of no payment. */
  | 'account_event'
  /** It speaks of a payment that is not of this ledger. */
  | 'foreign'
  /** Rightly signed, but not in any shape that the specification shows. */
  | 'unreadable';

/** A webhook whose signature was right, kept before it was acknowledged. Times are epoch milliseconds. */
export interface InboxEntry {
  account: string;
  scheme: WebhookScheme;
  /** What it is known by when it comes again: the event's id, or the SHA-256 (hex) of the signed bytes. */
  message_id: string;
  /** The text as it was signed; null once it is handled, since it names a person. One that cannot be read is kept. */
  body: string | null;
  /** SHA-256 (hex) of the body, which proves what was received when the body is gone. */
  body_digest: string;
  received_at: number;
  /** When it is looked at next; null once it is handled. */
  due_at: number | null;
  /** How often a look-up was asked for because of it. */
  looks: number;
  handled_at: number | null;
  outcome: InboxOutcome | null;
  /** The row of ours that it speaks of, where there is one. */
  batch_id: string | null;
  row_no: number | null;
}

const insertEntries = makeInsert<InboxEntry>(
  'inbox',
  [
    'account',
    'scheme',
    'message_id',
    'body',
    'body_digest',
    'received_at',
    'due_at',
    'looks',
    'handled_at',
    'outcome',
    'batch_id',
    'row_no',
  ],
  { ending: 'ON CONFLICT (account, scheme, message_id) DO NOTHING', most: 1 },
);

/** Keeps a webhook. False when it was received before: nothing is changed then. */
export async function addToInbox(db: Queryable, entry: InboxEntry): Promise<boolean> {
  return (await insertEntries(db, [entry])) === 1;
}

/** The account's unhandled webhooks that are due at `now`, the longest due first. */
export function dueInbox(db: Queryable, account: string, now: number, limit: number): Promise<InboxEntry[]> {
  return db.query(
    `SELECT * FROM inbox WHERE account = ? AND due_at IS NOT NULL AND due_at <= ?
     ORDER BY due_at, received_at, scheme, message_id LIMIT ?`,
    [account, now, limit],
  );
}

/** When the account's next unhandled webhook is due (epoch ms), or null where there is none. */
export async function nextInboxDueAt(db: Queryable, account: string): Promise<number | null> {
  const [first] = await db.query<{ at: number | null }>(
    'SELECT MIN(due_at) AS at FROM inbox WHERE account = ? AND due_at IS NOT NULL',
    [account],
  );
  return first?.at ?? null;
}

/** Writes what became of a webhook. False when it was handled already: nothing is changed then. */
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

/** How long it is known which webhooks were received: far longer than the service repeats one. */
export const inboxKeptMs = 60 * dayMs;

/** Drops webhooks that were handled before a time (epoch ms). Returns how many. */
export function pruneInbox(db: Queryable, handledBefore: number): Promise<number> {
  return db.execute('DELETE FROM inbox WHERE handled_at IS NOT NULL AND handled_at < ?', [handledBefore]);
}
