import { z } from 'zod';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { writeReports as write } from '../../reports/reports.ts';
import { sessionSigning } from '../../runtime/session/session.ts';
import { anchorFinished } from '../../runtime/upkeep/anchoring.ts';
import { batchId, folder } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { writtenReports } from '../base/report-version.ts';

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
    const { db, config } = session;
    await requireBatch(db, batch_id);
    await anchorFinished(session);
    const signing = await sessionSigning(session);
    return write(db, batch_id, out ?? config.out, { signing, mask, readableByGroup: config.readableByGroup });
  },
});
