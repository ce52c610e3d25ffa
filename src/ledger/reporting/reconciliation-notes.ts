import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';
import type { OpenItemRecord, ReconciliationRecord } from './reconciliations.ts';

/** What a person noted about an open item. It is kept for the same item of later reconciliations, too. */
export interface ItemNote {
  account: string;
  /** The item's own names, the same in every reconciliation: see `itemKey`. */
  item_key: string;
  note_no: number;
  /** Epoch ms. */
  noted_at: number;
  person: string;
  text: string;
}

/** The names of an item that stay the same from one reconciliation to the next. */
export function itemKey(item: { bucket: string; reference: string | null; topup_id: string | null }): string {
  return JSON.stringify([item.bucket, item.reference, item.topup_id]);
}

export function findReconciliation(db: Queryable, id: string): Promise<ReconciliationRecord | null> {
  return readOne(db, 'SELECT * FROM reconciliations WHERE reconciliation_id = ?', [id]);
}

export function findOpenItem(db: Queryable, id: string, itemNo: number): Promise<OpenItemRecord | null> {
  return readOne(db, 'SELECT * FROM reconciliation_items WHERE reconciliation_id = ? AND item_no = ?', [id, itemNo]);
}

/** The notes on an item, the oldest first. */
export function notesOf(db: Queryable, account: string, key: string): Promise<ItemNote[]> {
  return db.query('SELECT * FROM reconciliation_notes WHERE account = ? AND item_key = ? ORDER BY note_no', [
    account,
    key,
  ]);
}

export async function insertNote(tx: Queryable, note: Omit<ItemNote, 'note_no'>): Promise<void> {
  const { length } = await notesOf(tx, note.account, note.item_key);
  await insertRecord(tx, 'reconciliation_notes', { ...note, note_no: length + 1 });
}
