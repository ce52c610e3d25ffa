import { z } from 'zod';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { approve, requestApproval } from '../../engine/batches/batch-commands.ts';
import { type ApprovalNeeded, approvalNeeded } from '../../engine/plan/approval.ts';
import type { Preflight } from '../../engine/plan/preflight.ts';
import type { IntakeResult } from '../../intake/intake.ts';
import { jobOf } from '../../ledger/actor.ts';
import type { BatchRecord, ReadWith } from '../../ledger/batches/batches.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { makeBatch } from '../../runtime/upkeep/make-batch.ts';
import { planOf } from '../../runtime/upkeep/plan-batch.ts';
import { hasWorker } from '../base/account-now.ts';
import { batchId, batchStatus, isWorkedOn, stableReason } from '../base/fields.ts';
import { comingTime } from '../base/input-times.ts';
import type { OperationContext } from '../base/operation.ts';
import { planJson, plannedFinish, plannedFinishJson } from '../base/plan.ts';
import { type BatchInput, readWithOf, settingsWith } from './file-input.ts';

/** A batch that was made from a file, and has sent nothing. */
export const unsentBatch = plannedFinish.extend({
  batch_id: batchId,
  run_id: z.string(),
  status: batchStatus,
  content_sha256: z.string().nullable(),
  /** Why a second person must approve it; null if that is not needed. */
  approval_needed: z.string().nullable(),
  /** Says the same as `approval_needed`. */
  approval_reason: stableReason,
  /** How many different people must approve it; 0 if that is not needed. */
  approvals_needed: z.int(),
  /** Rows that would be sent, and rows that are held. */
  to_send: z.int(),
  held: z.int(),
  is_worked_on: isWorkedOn,
});
export type UnsentBatch = z.output<typeof unsentBatch>;

/** A batch that was made from a file, and its plan. */
export interface PlannedFile {
  batch: BatchRecord;
  plan: Preflight;
  /** Null if nobody must approve it, or if nothing would be paid. */
  needed: ApprovalNeeded | null;
}

/** Makes a batch from the file, and reports how much of it has been read. `isUnseen`: nobody sees how it was read. */
export function importBatch(
  { session, emit, signal, nameOf }: OperationContext,
  account: OpenAccount,
  input: BatchInput & { read_with?: ReadWith | null | undefined; time_zone?: string | undefined },
  isUnseen: boolean,
): Promise<IntakeResult> {
  const { file, run_id, priority, finish_by, sheet, time_zone, read_with = readWithOf(input) } = input;
  const job = jobOf(session);
  // A slot may be run so late that its finish time is over.
  const finishBy = comingTime(nameOf('finish_by'), finish_by, job === null ? session.clock.now() : 0);
  emit({ kind: 'account', account: account.name, is_rehearsal: account.isSandbox });
  return makeBatch(session, account, {
    ...{ file, job, priority, finishBy, isUnseen, signal },
    runId: run_id ?? null,
    sheetIsNamed: sheet !== undefined,
    settings: settingsWith(session.config.intake, input),
    policy: session.config.policy,
    readWith: read_with,
    ...(time_zone === undefined ? {} : { timeZone: time_zone }),
    onProgress: ({ bytes, bytesTotal, rows }) => emit({ kind: 'reading', bytes, bytes_total: bytesTotal, rows }),
  });
}

/** Plans what the batch would do. */
export async function planBatch(
  { session }: OperationContext,
  account: OpenAccount,
  batch: BatchRecord,
): Promise<PlannedFile> {
  const plan = await planOf(session, account, batch);
  const needed = plan.toSend > 0 ? approvalNeeded(storedPolicy(batch.policy), plan) : null;
  return { batch, plan, needed };
}

/** Makes a batch from the file, and reports how it was read and what it would do. */
export async function importAndPlan(
  context: OperationContext,
  account: OpenAccount,
  input: BatchInput,
  isUnseen: boolean,
): Promise<PlannedFile> {
  const { batch, ...found } = await importBatch(context, account, input, isUnseen);
  const planned = await planBatch(context, account, batch);
  const { batch_id, run_id, service, status } = batch;
  context.emit({
    kind: 'planned',
    batch: { batch_id, run_id, account: account.name, service, status },
    plan: planJson(planned.plan),
    findings: found,
  });
  return planned;
}

/** Approves the batch, or lets it wait for a second person. */
export function decide(
  { actor }: OperationContext,
  { batch: { batch_id }, plan, needed }: PlannedFile,
): Promise<BatchRecord> {
  return needed === null
    ? approve(actor, batch_id, { balance: plan.balance, plan })
    : requestApproval(actor, batch_id, needed);
}

export async function unsentJson(
  { session }: OperationContext,
  { batch_id, run_id, status, content_sha256, account }: BatchRecord,
  { plan, needed }: Omit<PlannedFile, 'batch'>,
): Promise<UnsentBatch> {
  return {
    ...{
      batch_id,
      run_id,
      status,
      content_sha256,
      approval_needed: needed?.why ?? null,
      approval_reason: needed?.reason ?? null,
      approvals_needed: needed?.approvers ?? 0,
    },
    ...plannedFinishJson(plan),
    to_send: plan.toSend,
    held: plan.counts.held ?? 0,
    is_worked_on: await hasWorker(session, account),
  };
}
