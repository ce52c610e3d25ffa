import { z } from 'zod';
import { pageOpenItems } from '../../ledger/reporting/reconciliations.ts';
import { pageSize } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { openItem, openItemJson, requireReconciliation } from './open-item.ts';

/** Lists the open items of a reconciliation, page by page, with what people noted about them. */
export const listOpenItems = defineOperation({
  name: 'list-open-items',
  role: 'audit',
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({
    reconciliation_id: z.string(),
    /** `next` of the previous page. */
    after: z.int().min(0).default(0),
    limit: pageSize(50, 500),
  }),
  result: z.strictObject({
    reconciliation_id: z.string(),
    items: z.array(openItem),
    /** Null after the last page. */
    next: z.int().nullable(),
  }),
  async run({ session }, { reconciliation_id, after, limit }) {
    const { account } = await requireReconciliation(session, reconciliation_id);
    const page = await pageOpenItems(session.db, reconciliation_id, after, limit + 1);
    const shown = page.slice(0, limit);
    const items: z.output<typeof openItem>[] = [];
    for (const one of shown) items.push(await openItemJson(session, account, one));
    return { reconciliation_id, items, next: page.length > limit ? (shown.at(-1)?.item_no ?? null) : null };
  },
});
