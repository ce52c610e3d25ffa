import { z } from 'zod';
import { reportStore } from '../../runtime/upkeep/report-store.ts';
import { folder } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { requireReconciliation } from './open-item.ts';
import { storedReconciliation, storedShape } from './stored-reconciliation.ts';

/** Shows a reconciliation that was made, and its files. */
export const showReconciliation = defineOperation({
  name: 'show-reconciliation',
  role: 'audit',
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({ reconciliation_id: z.string() }),
  result: z.strictObject({
    reconciliation: storedShape,
    /** Null: there are none in the configured place. They were written to another one, or somebody has removed them. */
    reports: z
      .strictObject({ dir: folder, files: z.array(z.strictObject({ name: z.string(), bytes: z.int() })) })
      .nullable(),
  }),
  async run({ session }, { reconciliation_id }) {
    const record = await requireReconciliation(session, reconciliation_id);
    const reports = await reportStore(session, session.config.out).files(record.reconciliation_id);
    return { reconciliation: storedReconciliation(record), reports };
  },
});
