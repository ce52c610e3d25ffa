import { AirbatchError } from '../../core/basics/errors.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { manualPause } from '../../ledger/batches/pauses.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { findRow, pageRowsInState, type RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { saveMaximumKnownUntil } from '../dispatch/duplicates.ts';
import { type ApprovedPlan, approvalReason, requireSecondPerson } from '../plan/approval.ts';
import { requestedOnceReleased } from '../plan/preflight.ts';
import {
  makeUnseenHolds,
  notReleasable,
  type PermanentlyHeldRow,
  permanentHold,
  unseenHold,
} from './permanent-holds.ts';

/** Rows that one transaction changes at most, so that it blocks nobody for long. */
const rowsPerUnit = 500;

/** What became of held rows that a person released. */
export interface ReleaseResult {
  released: number;
  /**
   * Rows that stay held: another row has their reference, so they would only be held again, or they were held after
   * the person looked.
   */
  kept: PermanentlyHeldRow[];
}

/**
 * Lets held rows be sent: all of the batch, or those named. A row whose reference another row has stays held; if it is
 * named, nothing is released, and `ROW_NOT_RELEASABLE` is thrown. If the rows were shown before, `seenSeq` is the
 * batch's `audit_seq` at that time, and rows held since then stay held, named or not; null releases whatever is held.
 */
export async function releaseRows(
  actor: Actor,
  batchId: string,
  rowNos: readonly number[],
  seenSeq: number | null = null,
): Promise<ReleaseResult> {
  const batch = await requireBatch(actor.db, batchId);
  const kept: ReleaseResult['kept'] = [];
  const unseen = makeUnseenHolds(seenSeq);
  const released = await changeRows(actor, batchId, rowNos, {
    state: 'held',
    async check(db, current, rows) {
      await requireReleaser(db, current, rows, actor.person);
      await unseen.read(db, current);
    },
    async change(unit, row) {
      if (unseen.has(row.row_no)) {
        kept.push(unseenHold(row));
        return null;
      }
      const hold = await permanentHold(unit.tx, batch, row);
      if (hold === null) {
        await saveMaximumKnownUntil(unit.tx, row);
        return unit.changeRow(row, 'release', { problems: null }, {});
      }
      if (rowNos.length > 0) throw notReleasable(batch, row, hold);
      kept.push({ row: row.row_no, code: hold.code, why: hold.message, suggestion: hold.suggestion });
      return null;
    },
  });
  return { released, kept };
}

/**
 * What is let go after a second person approved, or while he looks, is no part of what he saw: it takes a second
 * person as well. So does what nobody was asked for, once the batch would have needed one from the start with these
 * rows (null: all that are held). Fails with `SECOND_PERSON_NEEDED`.
 */
export async function requireReleaser(
  db: Queryable,
  batch: BatchRecord,
  rows: readonly RowRecord[] | null,
  name: string,
): Promise<void> {
  const policy = storedPolicy(batch.policy);
  const approved = batch.approved_plan === null ? null : (JSON.parse(batch.approved_plan) as ApprovedPlan);
  if (batch.status === 'awaiting_approval' || approved?.asked)
    return requireSecondPerson(policy, batch, name, 'release rows of it');
  if (approved === null || policy.approval.needed === 'never') return;
  const why = approvalReason(policy, await requestedOnceReleased(db, batch.batch_id, rows));
  if (why !== null) requireSecondPerson(policy, batch, name, `release these rows of it: with them, ${why}`);
}

/**
 * Decides that rows are not sent: held ones, or ones not sent yet (`ready`) of a batch that a person has paused; fails
 * with `BATCH_STATE` if nobody has. Returns how many. The row keeps the whole reason until it is forgotten; the chain
 * keeps it without numbers.
 */
export function skipRows(
  actor: Actor,
  batchId: string,
  rowNos: readonly number[],
  why: string,
  state: 'held' | 'ready' = 'held',
): Promise<number> {
  const problem = {
    code: 'SKIPPED_BY_PERSON',
    column: null,
    message: `Skipped by ${actor.person}: ${why}`,
    suggestion: '',
  };
  return changeRows(actor, batchId, rowNos, {
    state,
    check: async (db, batch) => {
      if (state === 'held' || (await manualPause(db, batch)) !== null) return;
      throw new AirbatchError(
        'BATCH_STATE',
        `batch ${batchId} is not paused by a person: its rows may be sent at any moment`,
        {
          hint: `First: airbatch pause ${batchId} --why TEXT`,
        },
      );
    },
    change: (unit, row) =>
      unit.changeRow(row, 'skip', { problems: JSON.stringify([problem]) }, { why: withoutNumbers(why) }),
  });
}

/** What a person decides about rows in one state. */
interface RowDecision {
  state: 'held' | 'ready';
  /**
   * Throws where it may not be decided now, for these rows (null: all in that state); asked within each transaction,
   * since the batch may have moved on.
   */
  check?: (db: Queryable, batch: BatchRecord, rows: readonly RowRecord[] | null) => Promise<void>;
  change: (unit: Unit, row: RowRecord) => Promise<RowRecord | null>;
}

async function changeRows(
  actor: Actor,
  batchId: string,
  rowNos: readonly number[],
  { state, check, change }: RowDecision,
): Promise<number> {
  const batch = await requireBatch(actor.db, batchId);
  const changeAll = async (rows: readonly RowRecord[]) =>
    inUnitOf(actor, async (unit) => {
      await check?.(unit.tx, await requireBatch(unit.tx, batchId), rows);
      let changed = 0;
      for (const row of rows) if (await change(unit, row)) changed += 1;
      return changed;
    });
  if (rowNos.length > 0) return changeAll(await rowsIn(state, actor.db, batchId, rowNos));
  // Before the first of them is let go: else some would be, and the rest not.
  await check?.(actor.db, batch, null);
  let count = 0;
  for (let after = 0; ; ) {
    const rows = await pageRowsInState(actor.db, batchId, state, after, rowsPerUnit);
    if (rows.length === 0) return count;
    after = rows.at(-1)?.row_no ?? after;
    count += await changeAll(rows);
  }
}

/**
 * A row that is in one state: `ROW_UNKNOWN` where there is none of that number, `BATCH_STATE` where it is in another.
 */
export async function requireRow(
  db: Queryable,
  { batchId, rowNo, status }: { batchId: string; rowNo: number; status: RowRecord['status'] },
): Promise<RowRecord> {
  const row = await findRow(db, batchId, rowNo);
  if (row === null) throw new AirbatchError('ROW_UNKNOWN', `batch ${batchId} has no row ${rowNo}`);
  const [is, wanted] = [row.status, status].map((one) => rowStateTexts[one].label);
  if (row.status === status) return row;
  throw new AirbatchError('BATCH_STATE', `row ${rowNo} of batch ${batchId} is ${is}, not ${wanted}`, {
    hint:
      row.status === 'ready' && status === 'held'
        ? `It waits for its turn. To give it up: airbatch pause ${batchId} --why TEXT, then airbatch skip ${batchId} ${rowNo} --unsent --why TEXT`
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
    rows.push(await requireRow(db, { batchId, rowNo, status }));
  }
  return rows;
}
