import { z } from 'zod';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { writtenReports } from '../../reports/versions/version-shape.ts';
import { anchorFinished } from '../../runtime/upkeep/anchoring.ts';
import { keepReports } from '../../runtime/upkeep/report-store.ts';
import { batchId, folder } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** Writes the reports of a batch from the ledger again. Versions that were published before are kept. */
export const writeReports = defineOperation({
  name: 'write-reports',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    /** If it is left out: the configured folder. */
    out: folder.optional(),
    /** Makes phone numbers and names unreadable. */
    mask: z.boolean().default(false),
  }),
  result: writtenReports,
  async run({ session }, { batch_id, out, mask }) {
    await requireBatch(session.db, batch_id);
    await anchorFinished(session);
    return keepReports(session, batch_id, out ?? session.config.out, { mask });
  },
});
