import { AirbatchError, reasonOf } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { type HeldGroup, isInGroup } from '../../core/duplicates/held-group.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { openStates } from '../../core/state/batch-state.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { manualPause } from '../../ledger/batches/pauses.ts';
import { requireBatch, wrongState } from '../../ledger/batches/require-batch.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { pagesInState, type RowRecord, requireRow } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { noteMaximumReleased } from '../dispatch/duplicates.ts';
import {
  type ApprovalNeeded,
  type ApprovedPlan,
  approvalNeeded,
  requireSecondPerson,
  type SecondPersonReason,
} from '../plan/approval.ts';
import { requestedOnceReleased } from '../plan/preflight.ts';
import { renewApprovalsNeeded, voidApprovals } from '../plan/void-approvals.ts';
import {
  makeUnseenHolds,
  notReleasable,
  type PermanentlyHeldRow,
  permanentHold,
  unseenHold,
} from './permanent-holds.ts';

/** The most rows that one transaction changes, so that it does not delay other writers for long. */
const rowsPerUnit = 500;

/** The result of a release. */
export interface ReleaseResult {
  released: number;
  /**
   * Rows that stay held: another row has their reference, so they would be held again, or they were held after the
   * person looked.
   */
  kept: PermanentlyHeldRow[];
}

/** Which rows a person decides about: the named ones (none named: all), or a group of held rows. */
export type RowChoice = readonly number[] | HeldGroup;

/**
 * Releases held rows: all of the batch, a group, or the named ones. A row whose reference another row has stays held.
 * If such a row is named, nothing is released, and `ROW_NOT_RELEASABLE` is thrown. If the person saw the held rows
 * first, `seenSeq` is the batch's `audit_seq` at that time, and rows held since then stay held, named or not. With
 * null, all of them are released.
 */
export async function releaseRows(
  actor: Actor,
  batchId: string,
  choice: RowChoice,
  seenSeq: number | null = null,
): Promise<ReleaseResult> {
  const batch = await requireBatch(actor.db, batchId);
  const kept: ReleaseResult['kept'] = [];
  const unseen = makeUnseenHolds(seenSeq);
  const released = await changeRows(actor, batchId, choice, {
    state: 'held',
    async check(db, current, rows) {
      await requireReleaser(db, current, rows, actor);
      await unseen.read(db, current);
    },
    async change(unit, row) {
      if (unseen.has(row.row_no)) {
        kept.push(unseenHold(row));
        return null;
      }
      const hold = await permanentHold(unit.tx, batch, row);
      if (hold === null) {
        await noteMaximumReleased(unit.tx, row);
        return unit.changeRow(row, 'release', { problems: null }, {});
      }
      if (isNamed(choice)) throw notReleasable(batch, row, hold);
      kept.push({ row: row.row_no, code: hold.code, why: hold.message, suggestion: hold.suggestion });
      return null;
    },
  });
  return { released, kept };
}

/**
 * Rows that are released after a second person approved, or while that person looks, are not part of what the second
 * person saw: releasing them needs a second person as well. So does a release that makes the batch large enough to need
 * a second person, if nobody was asked. A release that takes the batch above a tier for more people than have approved
 * it is refused, because one person would decide for several. `rows`: those to release; null: all held rows. Fails with
 * `SECOND_PERSON_NEEDED`.
 */
export async function requireReleaser(
  db: Queryable,
  batch: BatchRecord,
  rows: readonly RowRecord[] | null,
  actor: Pick<Actor, 'person' | 'otherNames'>,
): Promise<void> {
  const policy = storedPolicy(batch.policy);
  const { approval } = policy;
  const approved = batch.approved_plan === null ? null : (JSON.parse(batch.approved_plan) as ApprovedPlan);
  // While a batch waits, the release makes these people approve it again, and as many as it then needs.
  const isAsked = batch.status === 'awaiting_approval' || approved?.asked === true;
  if (isAsked) await requireSecondPerson(db, batch, actor, 'release rows of it');
  if (approved === null || approval.needed === 'never' || (isAsked && approval.tiers.length === 0)) return;
  const needed = approvalNeeded(policy, await requestedOnceReleased(db, batch.batch_id, rows));
  if (needed === null) return;
  if (needed.approvers > Math.max(1, batch.approvals_needed)) throw aboveTier(batch, needed);
  if (!isAsked)
    await requireSecondPerson(db, batch, actor, `release these rows of it: with them, ${needed.why}`, 'OWN_RELEASE');
}

function aboveTier({ batch_id }: BatchRecord, { approvers, why }: ApprovalNeeded): AirbatchError {
  return new AirbatchError(
    'SECOND_PERSON_NEEDED',
    `to release these rows of batch ${batch_id} takes approval by ${approvers} people: with them, ${why}`,
    {
      reason: reasonOf<SecondPersonReason>('TIER_RELEASE', { approvers }),
      hint: `Release fewer rows. Or skip them, and run the file again: they are then a batch of their own, which ${approvers} people approve if the policy asks for it.`,
    },
  );
}

/**
 * Skips rows: held rows, or `ready` rows of a batch that a person has paused. Fails with `BATCH_STATE` if no person has
 * paused it. `seenSeq`: as for `releaseRows`. Returns how many were skipped. The row keeps the whole reason until it is
 * forgotten; the chain keeps the reason without numbers.
 */
export function skipRows(
  actor: Actor,
  batchId: string,
  choice: RowChoice,
  why: string,
  { state = 'held', seenSeq = null }: { state?: 'held' | 'ready'; seenSeq?: number | null } = {},
): Promise<number> {
  const unseen = makeUnseenHolds(seenSeq);
  const problem = {
    code: 'SKIPPED_BY_PERSON',
    column: null,
    message: `Skipped by ${actor.person}: ${why}`,
    suggestion: '',
  };
  return changeRows(actor, batchId, choice, {
    state,
    check: async (db, batch) => {
      await unseen.read(db, batch);
      if (state === 'held' || (await manualPause(db, batch)) !== null) return;
      if (!openStates.includes(batch.status)) throw wrongState(batch, 'nothing more of it is sent');
      throw new AirbatchError(
        'BATCH_STATE',
        `batch ${batchId} is not paused by a person: its rows may be sent at any moment`,
        {
          reason: refusal('BATCH_NOT_PAUSED', {}),
          hint: `First: airbatch pause ${batchId} --why TEXT`,
        },
      );
    },
    change: async (unit, row) =>
      unseen.has(row.row_no)
        ? null
        : unit.changeRow(row, 'skip', { problems: JSON.stringify([problem]) }, { why: withoutNumbers(why) }),
  });
}

/** A person's decision about rows in one state. */
interface RowDecision {
  state: 'held' | 'ready';
  /**
   * Throws if the decision is not allowed now for these rows (null: all in that state). Called in each transaction,
   * because the batch may have changed.
   */
  check: (db: Queryable, batch: BatchRecord, rows: readonly RowRecord[] | null) => Promise<void>;
  change: (unit: Unit, row: RowRecord) => Promise<RowRecord | null>;
}

/** Whether a person has named single rows. */
function isNamed(choice: RowChoice): choice is readonly number[] {
  return 'length' in choice && choice.length > 0;
}

async function changeRows(
  actor: Actor,
  batchId: string,
  choice: RowChoice,
  { state, check, change }: RowDecision,
): Promise<number> {
  const batch = await requireBatch(actor.db, batchId);
  const changeAll = async (rows: readonly RowRecord[]) =>
    inUnitOf(actor, async (unit) => {
      await check(unit.tx, await requireBatch(unit.tx, batchId), rows);
      let changed = 0;
      for (const row of rows) if (await change(unit, row)) changed += 1;
      const why: EventWhy =
        changed === 1 ? 'the state of 1 row has changed' : `the state of ${changed} rows has changed`;
      if (changed > 0) await voidApprovals(unit, batchId, why);
      return changed;
    });
  let count = 0;
  if (isNamed(choice)) count = await changeAll(await rowsIn(state, actor.db, batchId, choice));
  else {
    // Checked before the first row changes, so that either all rows change or none.
    const group = 'length' in choice ? null : choice;
    await check(actor.db, batch, group && (await rowsOfGroup(actor.db, batchId, group)));
    for await (const rows of pagesInState(actor.db, batchId, state, rowsPerUnit)) {
      const wanted = group === null ? rows : rows.filter((row) => isInGroup(row, group));
      if (wanted.length > 0) count += await changeAll(wanted);
    }
  }
  await renewApprovalsNeeded(actor, batchId);
  return count;
}

/** The held rows of a group. */
export async function rowsOfGroup(db: Queryable, batchId: string, group: HeldGroup): Promise<RowRecord[]> {
  const found: RowRecord[] = [];
  for await (const rows of pagesInState(db, batchId, 'held', rowsPerUnit))
    found.push(...rows.filter((row) => isInGroup(row, group)));
  return found;
}

/**
 * Returns a row that is in the given state. Fails with `ROW_UNKNOWN` if the batch has no row with this number, and with
 * `BATCH_STATE` if the row is in another state.
 */
export async function requireRowInState(
  db: Queryable,
  { batchId, rowNo, status }: { batchId: string; rowNo: number; status: RowRecord['status'] },
): Promise<RowRecord> {
  const row = await requireRow(db, batchId, rowNo);
  const [is, wanted] = [row.status, status].map((one) => rowStateTexts[one].label);
  if (row.status === status) return row;
  throw new AirbatchError('BATCH_STATE', `row ${rowNo} of batch ${batchId} is ${is}, not ${wanted}`, {
    reason: refusal('ROW_IS', { row: rowNo, row_status: row.status, wanted_status: status }),
    hint:
      row.status === 'ready' && status === 'held'
        ? `It waits for its turn. To skip it: airbatch pause ${batchId} --why TEXT, then airbatch skip ${batchId} ${rowNo} --unsent --why TEXT`
        : `See "airbatch status ${batchId}" for where the batch stands.`,
  });
}

async function rowsIn(
  status: RowDecision['state'],
  db: Database,
  batchId: string,
  rowNos: readonly number[],
): Promise<RowRecord[]> {
  const rows: RowRecord[] = [];
  for (const rowNo of rowNos) {
    rows.push(await requireRowInState(db, { batchId, rowNo, status }));
  }
  return rows;
}
