import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { findOpenItem, insertNote, itemKey } from '../../ledger/reporting/reconciliation-notes.ts';
import type { ReconcileItem } from '../../reports/reconcile/reconciliation.ts';
import { reason } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { openItem, openItemJson, requireReconciliation } from './open-item.ts';

/** Keeps a note on an open item of a reconciliation. Its text, without phone numbers, is in the chain of access. */
export const noteOpenItem = defineOperation({
  name: 'note-open-item',
  role: 'operate',
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({ reconciliation_id: z.string(), item_no: z.int().min(1), note: reason }),
  result: openItem,
  async run({ session }, { reconciliation_id, item_no, note: text }) {
    const { account } = await requireReconciliation(session, reconciliation_id);
    const found = await findOpenItem(session.db, reconciliation_id, item_no);
    if (found === null)
      throw new AirbatchError('USAGE', `reconciliation ${reconciliation_id} has no open item ${item_no}`, {
        reason: refusal('LINE_UNKNOWN', {}),
      });
    const line = JSON.parse(found.item) as ReconcileItem;
    const { bucket, batch_id, row, topup_id } = line;
    await changeAccess(session, async ({ tx, at, person, note }) => {
      await insertNote(tx, { account, item_key: itemKey(line), noted_at: at, person, text });
      const about = { account, reconciliation_id, item_no, bucket, batch_id, row, topup_id };
      await note('reconciliation.note', { ...about, note: withoutNumbers(text) });
    });
    return openItemJson(session, account, found);
  },
});
