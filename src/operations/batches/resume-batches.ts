import { z } from 'zod';
import { isSameService } from '../../core/identity/service-name.ts';
import { can, openStates, pausesToLookAt } from '../../core/state/batch-state.ts';
import { resumeBatch } from '../../engine/batches/batch-commands.ts';
import { moveService } from '../../engine/batches/moved-service.ts';
import { continueUnlisted } from '../../engine/doubts/lost-payments.ts';
import { type BatchRecord, unfinishedBatches } from '../../ledger/batches/batches.ts';
import { manualPause, openPauses } from '../../ledger/batches/pauses.ts';
import { requireBatch, wrongState } from '../../ledger/batches/require-batch.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import { batchId, folder, reason } from '../base/fields.ts';
import { defineOperation, type OperationContext } from '../base/operation.ts';
import { recordRestore, restored } from '../base/restored.ts';
import { type BatchResult, batchResult } from '../working/batch-result.ts';
import { batchesToReport, rememberPlace, type Unreported } from '../working/missing-reports.ts';
import { reportOn, workOn } from '../working/work.ts';

const needsBatch = 'needs a batch: name it';

const input = z
  .strictObject({
    /** If it is left out: all unfinished batches. Pauses that a person must look at then stay. */
    batch_id: batchId.optional(),
    /** The same service, which knows the sent payments, has moved to another address: the batch continues there. */
    service_moved: z.boolean().default(false),
    /**
     * Why the batch continues without the service's list after a restore, if the list cannot be read. Rows that may
     * repeat a payment are held. Only for people who may approve.
     */
    unlisted: reason.optional(),
    /** The folder for the reports. If it is left out: the folder chosen earlier, or the configured one. */
    out: folder.optional(),
    restored,
  })
  .refine(({ batch_id, service_moved }) => batch_id !== undefined || !service_moved, {
    path: ['service_moved'],
    error: needsBatch,
  })
  .refine(({ batch_id, unlisted }) => batch_id !== undefined || unlisted === undefined, {
    path: ['unlisted'],
    error: needsBatch,
  });
type Input = z.output<typeof input>;

/** Continues interrupted and paused batches, account by account, and writes missing reports. */
export const resumeBatches = defineOperation({
  name: 'resume-batches',
  role: 'operate',
  // If the ledger was lost completely, a person says before any run that it is restored. Then a new ledger is created,
  // which records that.
  ledger: ({ restored, batch_id }) => (restored && batch_id === undefined ? 'make' : 'change'),
  input,
  result: z.strictObject({
    batches: z.array(batchResult),
    /** Batches that stay paused because a person decided so. */
    left_paused: z.array(batchId),
    /** Whether there was nothing to continue with. */
    is_idle: z.boolean(),
  }),
  async run(context, given) {
    const { session, actor, signal } = context;
    const { batch_id, unlisted } = given;
    const isRestored = await recordRestore(session, given.restored);
    const unreported = await batchesToReport(context);
    const { open, paused } = await batchesToResume(session, batch_id, unreported);
    if (unlisted !== undefined && batch_id !== undefined) {
      requireRole(session, 'approve');
      await continueUnlisted(actor, batch_id, unlisted);
    }
    const results: BatchResult[] = [];
    for (const [account, batches] of Map.groupBy(open, ({ account }) => account)) {
      if (signal.aborted) break;
      results.push(...(await resumeAccount(context, account, batches, { ...given, restored: isRestored })));
    }
    const toReport = unreported.filter((one) => batch_id === undefined || one.batchId === batch_id);
    results.push(...(await reportMissing(context, toReport, given.out)));
    return {
      batches: results,
      left_paused: paused.map(({ batch_id }) => batch_id),
      is_idle: open.length + paused.length + results.length === 0,
    };
  },
});

/**
 * The batches to continue, and those that are left paused. A batch that a person has paused continues only if it is
 * named.
 */
async function batchesToResume(
  session: Session,
  batchId: string | undefined,
  unreported: readonly Unreported[],
): Promise<{ open: BatchRecord[]; paused: BatchRecord[] }> {
  if (unreported.some((one) => one.batchId === batchId)) return { open: [], paused: [] };
  if (batchId !== undefined) return { open: [await requireOpen(session, batchId)], paused: [] };
  const [open, paused]: [BatchRecord[], BatchRecord[]] = [[], []];
  for (const batch of await unfinishedBatches(session.db))
    ((await manualPause(session.db, batch)) === null ? open : paused).push(batch);
  return { open, paused };
}

async function requireOpen({ db }: Session, batchId: string): Promise<BatchRecord> {
  const batch = await requireBatch(db, batchId);
  if (openStates.includes(batch.status)) return batch;
  const isUnread = batch.status === 'received' || batch.status === 'validated';
  const hint =
    batch.status === 'awaiting_approval'
      ? `Another person approves it before: airbatch approve ${batchId}`
      : isUnread
        ? 'It was interrupted before anything was sent: run its file again.'
        : `There is nothing left to send of it; "airbatch report ${batchId}" writes its reports.`;
  throw wrongState(batch, '', hint);
}

function resumeAccount(
  context: OperationContext,
  name: string,
  batches: readonly BatchRecord[],
  { batch_id: named, service_moved, out, restored }: Input,
): Promise<BatchResult[]> {
  const { session, actor } = context;
  return context.withAccount(name, async (account) => {
    for (const batch of batches) {
      const { batch_id, status, service } = batch;
      if (service_moved) await moveService(actor, batch_id, account.service);
      // A named batch that was made for another service is left to the runner, which reports it.
      else if (!isSameService(service, account.service)) continue;
      if (!can(status, 'resume')) continue;
      // A batch that stays paused is left to the runner, too: it follows what was sent, and reports the pause.
      const pauses = named === undefined ? await openPauses(session.db, batch) : [];
      if (!pauses.some(({ reason }) => pausesToLookAt.includes(reason))) await resumeBatch(actor, batch_id);
    }
    const batchIds = batches.map(({ batch_id }) => batch_id);
    return workOn(context, account, { batchIds, out: out ?? session.config.out, restored });
  });
}

/**
 * Writes the reports of ended batches that their program did not write because it was killed or could not. They go to
 * the folder chosen by that program, or to the named one.
 */
async function reportMissing(
  context: OperationContext,
  unreported: readonly Unreported[],
  named: string | undefined,
): Promise<BatchResult[]> {
  const { session, emit } = context;
  const results: BatchResult[] = [];
  for (const { batchId, account: name, out: planned } of unreported) {
    if (named !== undefined) await rememberPlace(session, [batchId], named);
    const text = `Batch ${batchId} has ended, and its reports were missing or old: they are written now.`;
    emit({ kind: 'note', text });
    const what = { batchIds: [batchId], out: named ?? planned };
    results.push(...(await context.withAccount(name, (account) => reportOn(context, account, what))));
  }
  return results;
}
