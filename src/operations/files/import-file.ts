import { z } from 'zod';
import { findings } from '../../intake/check/findings-shape.ts';
import { batchId, batchStatus } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { whileNothingIsSent } from '../working/nothing-sent.ts';
import { importBatch } from './batch-of-file.ts';
import { batchInput } from './file-input.ts';

/** Makes a batch from a file; `submit-batch` then decides about it. */
export const importFile = defineOperation({
  name: 'import-file',
  role: 'prepare',
  ledger: 'make',
  input: batchInput.extend({
    /** The IANA time zone of the person or job that brings the file. If it is left out, this machine's time zone. */
    time_zone: z.string().optional(),
    /**
     * The options with which a person reads a file that corrects this one, if the input does not contain all of them.
     * Null: not known.
     */
    read_with: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .nullable()
      .optional(),
  }),
  result: z.strictObject({
    batch_id: batchId,
    run_id: z.string(),
    status: batchStatus,
    findings,
  }),
  run: (context, input) =>
    context.withAccount(input.account, (account) =>
      whileNothingIsSent(context, async () => {
        const { batch, ...found } = await importBatch(context, account, input, true);
        const { batch_id, run_id, status } = batch;
        return { batch_id, run_id, status, findings: found };
      }),
    ),
});
