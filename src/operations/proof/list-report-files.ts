import { z } from 'zod';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { reportPlace } from '../../ledger/reporting/report-places.ts';
import { reportName } from '../../reports/versions/folders.ts';
import { reportStore } from '../../runtime/upkeep/report-store.ts';
import { batchId, folder, time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** Lists the files of a batch's reports: of the current version, of earlier ones, and of masked ones. */
export const listReportFiles = defineOperation({
  name: 'list-report-files',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId }),
  result: z.strictObject({
    batch_id: batchId,
    /** The current version first, then earlier ones; those with masked numbers at the end. */
    folders: z.array(
      z.strictObject({
        /** The path of a folder, or an address in a bucket. */
        dir: folder,
        /** Whether phone numbers and names are unreadable. */
        is_masked: z.boolean(),
        /** Null before the batch has ended, or without a signature. */
        version: z.int().nullable(),
        as_of: time.nullable(),
        files: z.array(z.strictObject({ name: z.string(), bytes: z.int() })),
      }),
    ),
  }),
  async run({ session }, { batch_id }) {
    const { db, config } = session;
    await requireBatch(db, batch_id);
    const store = reportStore(session, (await reportPlace(db, batch_id)) ?? config.out);
    const folders = await Promise.all(
      [false, true].map(async (mask) => {
        const found = await store.folders(reportName(batch_id, { mask }));
        return found.map(({ keptAs: _, ...one }) => ({ ...one, is_masked: mask }));
      }),
    );
    return { batch_id, folders: folders.flat() };
  },
});
