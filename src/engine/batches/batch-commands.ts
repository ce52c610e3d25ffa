import { AirbatchError, reasonOf } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { type BatchEvent, can, openStates } from '../../core/state/batch-state.ts';
import { wasSent } from '../../core/state/row-state.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import type { Balance } from '../../gateway/contract/gateway.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import type { EventData } from '../../ledger/audit/events.ts';
import { approvalsOf, deleteApprovals, saveApproval } from '../../ledger/batches/approvals.ts';
import type { BatchFields, BatchRecord } from '../../ledger/batches/batches.ts';
import { clearPauses, manualPause, openPauses } from '../../ledger/batches/pauses.ts';
import { requireBatch, statusHint, wrongState } from '../../ledger/batches/require-batch.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import {
  type ApprovalNeeded,
  type ApprovedPlan,
  approvalNeeded,
  approvalsByOthers,
  checkContent,
  checkPlan,
  planChanged,
  requireSecondPerson,
  requireUnexpired,
  type SecondPersonReason,
} from '../plan/approval.ts';
import { balanceEventData } from '../plan/known-balance.ts';
import type { RequestedTotals } from '../plan/preflight.ts';
import { isSubmitter, readHumans } from '../plan/same-human.ts';
import { lookedAtSpending } from '../plan/spending.ts';
import { cancelRowsLeft } from './cancelled-rows.ts';

/** The facts on which a person approves a batch. */
export interface ApprovalTerms {
  balance: Balance | null;
  /** The plan that the person saw. Null: the person accepts any plan. */
  plan: RequestedTotals | null;
  /** The digest of the rows that the person saw. Null: the person accepts the rows as they are. */
  seenDigest?: string | null;
}

/**
 * Approves a batch. The approval is bound to the digest of the validated rows and to the plan that the person saw. If
 * other people were asked, the submitter cannot approve, and the batch still waits until enough different people have
 * approved the same. The last approval stores the balance read before the first row. If the policy requires other
 * people and nobody was asked (`requestApproval`), nobody can approve. Fails with `BATCH_STATE`, `CONTENT_CHANGED`,
 * `APPROVAL_EXPIRED` or `SECOND_PERSON_NEEDED`.
 */
export async function approve(actor: Actor, batchId: string, terms: ApprovalTerms): Promise<BatchRecord> {
  const { balance, plan, seenDigest = null } = terms;
  const before = await requireBatch(actor.db, batchId);
  requireMove(before, 'approve');
  const asked = before.status === 'awaiting_approval';
  // If nobody else was asked, this program validated the rows a moment ago, so they are not read again.
  const content_sha256 = asked ? await checkContent(actor.db, before, seenDigest) : (before.content_sha256 ?? '');
  const now = await checkPlan(actor.db, before, plan);
  if (!asked) requireNobody(before, now);
  const { toSend: rows, products, sums } = now;
  const approved: ApprovedPlan = { content_sha256, rows, products, sums, asked };
  const approved_plan = JSON.stringify(approved);
  return inUnitOf(actor, async (unit) => {
    const batch = await requireBatch(unit.tx, batchId);
    requireMove(batch, 'approve');
    // Reading all rows takes too long for a transaction. But every change of a row adds an event to the batch's chain.
    if (batch.audit_seq !== before.audit_seq)
      throw planChanged(batch, 'somebody else decided about it at the same time');
    const { given, needed: approvals_needed } = asked
      ? await addApproval(unit, actor, batch, approved)
      : { given: 0, needed: 0 };
    const data = { content_sha256, rows, products, sums: JSON.stringify(sums), approvals_needed };
    if (given < approvals_needed) {
      await unit.append(batchId, 'batch.give_approval', data);
      return writtenBatch(batch, await unit.noteBatch(batch, { approvals_needed }));
    }
    const fields: BatchFields = {
      ...{ approved_by: actor.person, approved_at: unit.at, approved_plan, approvals_needed },
      balance_before: balance === null ? null : JSON.stringify(balance),
    };
    const ofLast = { ...data, ...balanceEventData(balance) };
    return writtenBatch(batch, await unit.changeBatch(batch, 'approve', fields, ofLast));
  });
}

/** Stores a person's approval, with those of others that still count. Returns how many there are and are needed. */
async function addApproval(
  unit: Unit,
  actor: Actor,
  batch: BatchRecord,
  approved: ApprovedPlan,
): Promise<{ given: number; needed: number }> {
  const { content_sha256, rows: toSend, products, sums } = approved;
  const { batch_id } = batch;
  const policy = storedPolicy(batch.policy);
  const plan = { toSend, products, sums };
  await requireSecondPerson(unit.tx, batch, actor, 'approve it');
  requireUnexpired(batch, unit.at);
  const { person, through } = actor;
  const humans = await readHumans(unit.tx, actor);
  const terms = { content_sha256, plan, person, humans };
  const others = approvalsByOthers(batch, await approvalsOf(unit.tx, batch_id), terms);
  await deleteApprovals(unit.tx, batch_id);
  const own = { batch_id, person, through, approved_at: unit.at, content_sha256, plan: JSON.stringify(approved) };
  for (const approval of [...others, own]) await saveApproval(unit.tx, approval);
  return { given: others.length + 1, needed: approvalNeeded(policy, plan)?.approvers ?? 1 };
}

/** Callers ask the policy first. This check ensures that no caller can send a batch that needs a second person. */
function requireNobody({ batch_id, policy }: BatchRecord, plan: RequestedTotals): void {
  const needed = plan.toSend === 0 ? null : approvalNeeded(storedPolicy(policy), plan);
  if (needed !== null)
    throw new AirbatchError(
      'SECOND_PERSON_NEEDED',
      `batch ${batch_id} needs approval by a second person: ${needed.why}`,
      { reason: reasonOf<SecondPersonReason>('APPROVAL_NEEDED') },
    );
}

/** Leaves a batch for other people to approve: `approvers` different ones, none of whom is the submitter. */
export function requestApproval(
  actor: Actor,
  batchId: string,
  { why, reason, approvers }: ApprovalNeeded,
): Promise<BatchRecord> {
  const data = { why: withoutNumbers(why), why_reason: JSON.stringify(reason), approvals_needed: approvers };
  return move(actor, batchId, 'request_approval', (_unit, { content_sha256 }) => ({
    fields: { approvals_needed: approvers },
    data: { ...data, content_sha256 },
  }));
}

/** Decides that a batch waiting for approval is not paid. */
export function rejectBatch(actor: Actor, batchId: string, why: string): Promise<BatchRecord> {
  return cancelWaiting(actor, batchId, () => {
    const rejection = withoutNumbers(why);
    return { fields: { rejection, rejected_by: actor.person }, data: { why: rejection, rejected: 'true' } };
  });
}

/**
 * Takes a batch that waits for approval back, for the person who submitted it. Fails with `ROLE_MISSING` for anybody
 * else.
 */
export function withdrawBatch(actor: Actor, batchId: string, why: string): Promise<BatchRecord> {
  return cancelWaiting(actor, batchId, async ({ tx }, batch) => {
    if (!(await isSubmitter(tx, batch, actor)))
      throw new AirbatchError(
        'ROLE_MISSING',
        `${actor.person} did not submit batch ${batchId}, and cannot withdraw it`,
        {
          reason: refusal('NOT_SUBMITTER', { name: batch.created_by }),
          hint: `${batch.created_by} can withdraw it, and a person who may approve it can reject it.`,
        },
      );
    const rejection = withoutNumbers(why);
    return { fields: { rejection, withdrawn_by: actor.person }, data: { why: rejection, withdrawn: 'true' } };
  });
}

async function cancelWaiting(
  actor: Actor,
  batchId: string,
  change: (unit: Unit, batch: BatchRecord) => Move | Promise<Move>,
): Promise<BatchRecord> {
  requireWaiting(await requireBatch(actor.db, batchId));
  const cancelled = await move(actor, batchId, 'cancel', (unit, batch) => {
    // Another person may have decided about the batch since it was read.
    requireWaiting(batch);
    return change(unit, batch);
  });
  await cancelRowsLeft(actor, { actor: actor.person, through: actor.through });
  return cancelled;
}

/** Fails with `BATCH_STATE` if a batch does not wait for a second person. */
export function requireWaiting(batch: BatchRecord): void {
  if (batch.status === 'awaiting_approval') return;
  throw wrongState(batch, 'it does not wait for approval', statusHint(batch));
}

/**
 * Resumes a paused batch on a person's decision, and clears all of its pauses. Fails with `BATCH_UNKNOWN`, or with
 * `BATCH_STATE` if it is not paused.
 */
export function resumeBatch(actor: Actor, batchId: string): Promise<BatchRecord> {
  return move(actor, batchId, 'resume', async (unit, batch) => {
    const reasons = (await openPauses(unit.tx, batch)).map(({ reason }) => reason);
    if (reasons.includes('service_mismatch')) await clearPauses(unit, { account: batch.account, batch_id: null });
    const looked = reasons.includes('guard_tripped') ? await lookedAtSpending(unit.tx, batch) : {};
    // The batch may have been paused before it started.
    return { fields: { started_at: batch.started_at ?? unit.at, ...looked }, data: {} };
  });
}

/**
 * Pauses a batch until a person resumes it, even if it is already paused for another reason. Requests that are running
 * end. Fails with `BATCH_UNKNOWN`, or with `BATCH_STATE` if a person has already paused the batch, or if it is not
 * approved, running or paused.
 */
export function pauseBatch(actor: Actor, batchId: string, why: string): Promise<BatchRecord> {
  return inUnitOf(actor, async (unit) => {
    const batch = await requireBatch(unit.tx, batchId);
    if (!openStates.includes(batch.status)) throw wrongState(batch, 'it cannot be paused', statusHint(batch));
    if ((await manualPause(unit.tx, batch)) !== null)
      throw new AirbatchError('BATCH_STATE', `batch ${batchId} is paused by a person already`, {
        reason: refusal('BATCH_PAUSED', {}),
        hint: `"airbatch resume ${batchId}" continues it.`,
      });
    return writtenBatch(
      batch,
      await unit.pauseBatch(batch, { reason: 'by_person', why: { text: withoutNumbers(why), reason: null } }),
    );
  });
}

/**
 * Cancels a batch before any of its rows is sent. Fails with `BATCH_STATE` once the batch has started, perhaps in
 * another process, because nobody follows the rows of a cancelled batch. `check`: throws if the batch, as it is now,
 * must stay.
 */
export async function cancelUnsent(
  actor: Actor,
  batchId: string,
  why: string,
  check: (batch: BatchRecord) => void = () => undefined,
): Promise<BatchRecord> {
  const cancelled = await move(actor, batchId, 'cancel', async (unit, batch) => {
    check(batch);
    const states = [...(await countRows(unit.tx, batchId)).keys()];
    if (batch.status === 'running' || batch.started_at !== null || states.some(wasSent))
      throw new AirbatchError('BATCH_STATE', `batch ${batchId} has begun, and can no longer be given up`, {
        reason: refusal('BATCH_IS', { batch_status: batch.status }),
        hint: `Some of its rows may already be sent, also by another program: see "airbatch status ${batchId}".`,
      });
    return { fields: {}, data: { why: withoutNumbers(why) } };
  });
  await cancelRowsLeft(actor, { actor: actor.person, through: actor.through });
  return cancelled;
}

/** The fields that a move sets on its batch, and the data of its event. */
interface Move {
  fields: BatchFields;
  data: EventData;
}

function move(
  actor: Actor,
  batchId: string,
  event: Exclude<BatchEvent, 'pause'>,
  change: (unit: Unit, batch: BatchRecord) => Move | Promise<Move>,
): Promise<BatchRecord> {
  return inUnitOf(actor, async (unit) => {
    const batch = await requireBatch(unit.tx, batchId);
    requireMove(batch, event);
    const { fields, data } = await change(unit, batch);
    return writtenBatch(batch, await unit.changeBatch(batch, event, fields, data));
  });
}

/** The batch after the command. Fails with `BATCH_STATE` if another writer changed it first. */
export function writtenBatch({ batch_id }: BatchRecord, after: BatchRecord | null): BatchRecord {
  if (!after)
    throw new AirbatchError('BATCH_STATE', `batch ${batch_id} changed meanwhile`, {
      reason: refusal('BATCH_CHANGED', {}),
    });
  return after;
}

/** What each event would do to a batch, for the message that says that it cannot. */
const eventTexts: Partial<Record<BatchEvent, string>> = {
  request_approval: 'left for approval',
  approve: 'approved',
  resume: 'resumed',
  cancel: 'given up',
};

function requireMove(batch: BatchRecord, event: BatchEvent): void {
  if (can(batch.status, event)) return;
  throw wrongState(batch, `it cannot be ${eventTexts[event] ?? 'changed'}`, statusHint(batch));
}
