import { AirbatchError } from '../../core/basics/errors.ts';
import { isSameService } from '../../core/identity/service-name.ts';
import { can } from '../../core/state/batch-state.ts';
import { batchIs } from '../../core/state/state-words.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { requireBatch, resumeBatch } from '../../engine/batches/batch-commands.ts';
import { manualPause } from '../../engine/batches/manual-pause.ts';
import { moveService } from '../../engine/batches/moved-service.ts';
import { continueUnlisted } from '../../engine/doubts/lost-payments.ts';
import { type BatchRecord, unfinishedBatches } from '../../ledger/batches/batches.ts';
import { withAccount } from '../../runtime/accounts/with-account.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import type { CommandContext } from '../base/command.ts';
import { worstExitCode } from '../base/exit-codes.ts';
import { reasonText } from '../base/reason-text.ts';
import { saysRestored } from '../base/restored.ts';
import { closingLines, jsonResult } from '../running/closing.ts';
import { batchesWithoutReports, rememberPlace, type Unreported } from '../running/missing-reports.ts';
import { reportOn, type WorkResult, workOn } from '../running/work.ts';
import { outOf, withLedger, withSession } from '../session/session.ts';

/** `airbatch resume [BATCH]`: carries on with what was interrupted or paused, account by account. */
export function execute(
  context: CommandContext,
  [batchId]: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const serviceMoved = options.serviceMoved === true;
  const unlisted = options.unlisted === undefined ? null : reasonText('--unlisted', options.unlisted);
  if (serviceMoved && batchId === undefined) throw new AirbatchError('USAGE', '--service-moved needs a batch: name it');
  if (unlisted !== null && batchId === undefined) throw new AirbatchError('USAGE', '--unlisted needs a batch: name it');
  // One whose ledger was lost altogether says so before anything is run: then one is made, which notes it.
  const opened = options.restored === true && batchId === undefined ? withSession : withLedger;
  return opened(context, async (session) => {
    requireRole(session, 'operate');
    const restored = await saysRestored(session, options.restored);
    const out = outOf(context, session, options.out);
    const unreported = await batchesWithoutReports(session);
    const isUnreported = unreported.some((one) => one.batchId === batchId);
    const open =
      batchId === undefined
        ? await unfinishedBatches(session.db)
        : isUnreported
          ? []
          : [await requireOpen(session, batchId)];
    const left: BatchRecord[] = [];
    const batches: BatchRecord[] = [];
    for (const batch of open) {
      // What a person stopped goes on when a person means that very batch.
      const isLeft = batchId === undefined && (await manualPause(session.db, batch)) !== null;
      (isLeft ? left : batches).push(batch);
    }
    if (unlisted !== null && batchId !== undefined) {
      requireRole(session, 'approve');
      await continueUnlisted(session, batchId, unlisted);
    }
    const results: WorkResult[] = [];
    for (const name of new Set(batches.map(({ account }) => account))) {
      const ofAccount = batches.filter(({ account }) => account === name);
      results.push(
        ...(await resumeAccount(context, session, name, ofAccount, {
          out,
          restored,
          serviceMoved,
        })),
      );
    }
    const toReport = batchId === undefined ? unreported : unreported.filter((one) => one.batchId === batchId);
    results.push(...(await reportMissing(context, session, toReport, options.out === undefined ? null : out)));
    for (const { batch_id } of left)
      context.terminal.error(
        `Batch ${batch_id} stays paused, as a person decided: "airbatch resume ${batch_id}" continues it.\n`,
      );
    if (context.json) context.terminal.print(jsonLine({ batches: results.map(jsonResult) }));
    else if (open.length === 0 && results.length === 0)
      context.terminal.error(
        `Nothing to resume: no batch is approved, interrupted or paused ("airbatch status").\n${restored ? 'Recorded that the ledger was restored: every row is looked up at the service before it is sent.\n' : ''}`,
      );
    else
      for (const result of results) {
        if (results.length > 1) context.terminal.error(`\nBatch      ${result.summary.batch_id}`);
        context.terminal.error(closingLines(context.terminal, result, context.cwd));
      }
    return worstExitCode(results.map(({ exitCode }) => exitCode));
  });
}

/**
 * The reports of batches that have ended, which the program that worked on them was killed before, or could not write:
 * where that one was to write them, or in the folder that the command names.
 */
async function reportMissing(
  context: CommandContext,
  session: Session,
  unreported: readonly Unreported[],
  named: string | null,
): Promise<WorkResult[]> {
  const results: WorkResult[] = [];
  for (const { batchId, out: planned } of unreported) {
    const out = named ?? planned;
    if (named !== null) await rememberPlace(session, [batchId], named);
    const { account: name } = await requireBatch(session.db, batchId);
    context.terminal.error(`Batch ${batchId} has ended, and its reports were missing or old: they are written now.\n`);
    results.push(
      ...(await withAccount(session, name, (account) =>
        reportOn(context, session, account, { batchIds: [batchId], out }),
      )),
    );
  }
  return results;
}

async function requireOpen({ db }: Session, batchId: string): Promise<BatchRecord> {
  const batch = await requireBatch(db, batchId);
  if (!['approved', 'running', 'paused'].includes(batch.status)) {
    const isUnread = batch.status === 'received' || batch.status === 'validated';
    const hint =
      batch.status === 'awaiting_approval'
        ? `Another person approves it before: airbatch approve ${batchId}`
        : isUnread
          ? 'It was interrupted before anything was sent: run its file again.'
          : `There is nothing left to send of it; "airbatch report ${batchId}" writes its reports.`;
    throw new AirbatchError('BATCH_STATE', `batch ${batchId} ${batchIs(batch)}`, { hint });
  }
  return batch;
}

function resumeAccount(
  context: CommandContext,
  session: Session,
  name: string,
  batches: readonly BatchRecord[],
  { serviceMoved, ...options }: { out: string; restored: boolean; serviceMoved: boolean },
): Promise<WorkResult[]> {
  return withAccount(session, name, async (account) => {
    for (const { batch_id, status, service } of batches) {
      if (serviceMoved) await moveService(session, batch_id, account.service);
      // One that was made for another service is left to the runner, which says so.
      else if (!isSameService(service, account.service)) continue;
      if (can(status, 'resume')) await resumeBatch(session, batch_id);
    }
    return await workOn(context, session, account, { batchIds: batches.map(({ batch_id }) => batch_id), ...options });
  });
}
