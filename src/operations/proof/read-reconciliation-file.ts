import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { noteCompleteNumbers } from '../access/complete-numbers.ts';
import { defineOperation, performIn } from '../base/operation.ts';
import { showReconciliation } from './show-reconciliation.ts';

/** Files with the references of payments, in which a file of recipients may have put phone numbers. */
const withReferences = /^reconciliation\.(csv|xlsx|html)$/;

/**
 * A file of a reconciliation. Those with the references of payments are for people who work on batches, and the log of
 * access keeps who has read them; the others have masked copies.
 */
export const readReconciliationFile = defineOperation({
  name: 'read-reconciliation-file',
  role: 'audit',
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({ reconciliation_id: z.string(), file: z.string() }),
  result: z.strictObject({
    file_name: z.string(),
    media_type: z.string(),
    bytes: z.int(),
    /** Where it lies on this machine, or in a bucket: over HTTP the answer is the file itself. */
    path: z.string(),
  }),
  async run({ session }, { reconciliation_id, file }) {
    const { reports } = await performIn(
      session,
      showReconciliation,
      { nameOf: (field) => field },
      { reconciliation_id },
    );
    const found = reports?.files.find(({ name }) => name === file);
    if (reports === null || found === undefined)
      throw new AirbatchError('USAGE', `reconciliation ${reconciliation_id} has no file "${file}"`, {
        reason: refusal('LINE_UNKNOWN', {}),
      });
    if (withReferences.test(file)) await noteCompleteNumbers(session, { reconciliation_id, file });
    const { name, bytes } = found;
    const media_type = 'application/octet-stream';
    return { file_name: `${reconciliation_id}-${name}`, media_type, bytes, path: `${reports.dir}/${name}` };
  },
});
