import { z } from 'zod';
import { latestReconciliations } from '../../ledger/reporting/reconciliations.ts';
import { accountName, pageSize } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { visibleAccounts } from '../base/visible.ts';
import { requireReconciliation } from './open-item.ts';
import { storedReconciliation, storedShape } from './stored-reconciliation.ts';

/** Lists the reconciliations that were made, by people and by jobs, the newest first, page by page. */
export const listReconciliations = defineOperation({
  name: 'list-reconciliations',
  role: 'audit',
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({
    /** `next` of the previous page. */
    before: z.string().optional(),
    limit: pageSize(20, 100),
    /** Only those of this account. */
    account: accountName.optional(),
  }),
  result: z.strictObject({
    reconciliations: z.array(storedShape),
    /** Null after the last page. */
    next: z.string().nullable(),
  }),
  async run({ session }, { before, limit, account }) {
    const accounts = account === undefined ? visibleAccounts(session) : [account];
    const from = before === undefined ? null : await requireReconciliation(session, before);
    const page = await latestReconciliations(session.db, { accounts, before: from, limit });
    const next = page.length < limit ? null : (page.at(-1)?.reconciliation_id ?? null);
    return { reconciliations: page.map(storedReconciliation), next };
  },
});
