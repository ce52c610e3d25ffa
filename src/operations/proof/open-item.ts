import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { isoTime } from '../../core/time/clock.ts';
import { findReconciliation, itemKey, notesOf } from '../../ledger/reporting/reconciliation-notes.ts';
import type { OpenItemRecord, ReconciliationRecord } from '../../ledger/reporting/reconciliations.ts';
import { maskReference } from '../../reports/reconcile/masked-reference.ts';
import { type ReconcileItem, reconcileItem } from '../../reports/reconcile/reconciliation.ts';
import type { Session } from '../../runtime/session/session.ts';
import { time } from '../base/fields.ts';
import { rowTextFor } from '../base/row-texts.ts';
import { isVisible } from '../base/visible.ts';

/** A line of a reconciliation about which somebody must do something. */
export const openItem = reconcileItem.extend({
  item_no: z.int(),
  /** What people noted about it, in this or an earlier reconciliation. */
  notes: z.array(z.strictObject({ at: time, person: z.string(), text: z.string() })),
});

/**
 * The line with its notes. References have what the file calls its rows, and notes what people write: both may have a
 * phone number, which nobody who is signed in sees here.
 */
export async function openItemJson(
  session: Session,
  account: string,
  { item_no, item }: OpenItemRecord,
): Promise<z.output<typeof openItem>> {
  const { db, grant } = session;
  const shown = rowTextFor(session);
  const line = JSON.parse(item) as Omit<ReconcileItem, 'next_reason'> & Partial<ReconcileItem>;
  const notes = await notesOf(db, account, itemKey(line));
  return {
    item_no,
    ...line,
    reference: line.reference === null || grant === undefined ? line.reference : maskReference(line.reference),
    // Earlier versions stored the sentence only.
    next_reason: line.next_reason ?? null,
    notes: notes.map(({ noted_at, person, text }) => ({ at: isoTime(noted_at), person, text: shown(text) })),
  };
}

/** A reconciliation of an account that the caller may see. */
export async function requireReconciliation(session: Session, id: string): Promise<ReconciliationRecord> {
  const found = await findReconciliation(session.db, id);
  if (found !== null && isVisible(session, found.account)) return found;
  throw new AirbatchError('USAGE', `there is no reconciliation ${id} in this ledger`, {
    reason: refusal('LINE_UNKNOWN', {}),
  });
}
