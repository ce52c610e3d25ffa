import { z } from 'zod';
import { cancelUnsent } from '../../engine/batches/batch-commands.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import { folder } from '../base/fields.ts';
import { defineOperation, type OperationContext } from '../base/operation.ts';
import { planJson } from '../base/plan.ts';
import { recordRestore, restored } from '../base/restored.ts';
import { batchResult } from '../working/batch-result.ts';
import { writeEarlierReports } from '../working/missing-reports.ts';
import { whileNothingIsSent } from '../working/nothing-sent.ts';
import { workOn } from '../working/work.ts';
import { decide, importAndPlan, type PlannedFile, unsentBatch, unsentJson } from './batch-of-file.ts';
import { batchInput } from './file-input.ts';

const input = batchInput.extend({
  /** Sends without asking. */
  yes: z.boolean().default(false),
  /** The folder for the reports. If it is left out: the configured one. */
  out: folder.optional(),
  restored,
});

/**
 * Pays a file: checks it, asks, sends every row once, follows the payments until they end, and reports. If the batch
 * waits for a second person, was declined (`cancelled`), or was stopped before it was sent, the result is the unsent
 * batch.
 */
export const runFile = defineOperation({
  name: 'run-file',
  role: 'prepare',
  ledger: 'make',
  asks: ({ yes }) => !yes,
  input,
  result: z.union([batchResult, unsentBatch]),
  async run(context, given) {
    const { session } = context;
    requireRole(session, 'operate');
    return context.withAccount(given.account, async (account) => {
      const file = await whileNothingIsSent(context, () => prepared(context, account, given));
      if (file.batch.status !== 'approved') return unsentJson(context, file.batch, file);
      const { batch_id } = file.batch;
      const work = {
        batchIds: [batch_id],
        out: given.out ?? session.config.out,
        restored: await recordRestore(session, given.restored),
      };
      const [result] = await workOn(context, account, work);
      if (result === undefined) throw new Error('the work on one batch has no result');
      if (!context.signal.aborted) await writeEarlierReports(context);
      return result;
    });
  },
});

/** The batch of the file: approved if it is sent now. */
async function prepared(
  context: OperationContext,
  account: Parameters<typeof importAndPlan>[1],
  given: z.output<typeof input>,
): Promise<PlannedFile> {
  const { actor, ask, signal } = context;
  const { yes, out: _out, restored: _restored, ...read } = given;
  const file = await importAndPlan(context, account, read, yes);
  const { batch, plan, needed } = file;
  const { batch_id } = batch;
  const isAgreed =
    needed !== null || yes || plan.toSend === 0 || (await ask({ kind: 'send', batch_id, plan: planJson(plan) }));
  if (!isAgreed) return { ...file, batch: await cancelUnsent(actor, batch_id, 'declined when asked') };
  const decided = await decide(context, file);
  if (!signal.aborted || decided.status !== 'approved') return { ...file, batch: decided };
  return { ...file, batch: await cancelUnsent(actor, batch_id, 'interrupted before anything was sent') };
}
