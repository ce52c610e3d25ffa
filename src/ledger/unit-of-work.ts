import { assert } from '../core/assert.ts';
import { type BatchEvent, transition as batchTransition } from '../core/batch-state.ts';
import type { Clock } from '../core/clock.ts';
import { Sums, subtractAmounts } from '../core/money.ts';
import { type RowEvent, type RowState, transition as rowTransition } from '../core/row-state.ts';
import { addToCount, type BatchFields, type BatchRecord, deleteCounts, insertBatch, updateBatch } from './batches.ts';
import { addToCosts } from './costs.ts';
import type { Database, Queryable } from './database.ts';
import {
  type AuditEvent,
  canonicalData,
  chainHash,
  chainHead,
  chainStart,
  type EventData,
  insertEvents,
  moveChainHead,
} from './events.ts';
import { checkFence, type Fence } from './leases.ts';
import {
  deleteRows,
  insertRows,
  type Judgement,
  judgeRow,
  type NewRow,
  type RowFields,
  type RowRecord,
  updateRow,
} from './rows.ts';

/**
 * One durable transaction on the ledger in which every change of state goes through the tables of states, is counted,
 * and leaves an audit event. Nothing else writes states.
 */
export interface Unit {
  readonly tx: Queryable;
  /** The time of everything in this unit, epoch milliseconds. */
  readonly at: number;
  /** The rows that this unit completed or failed, in order: true of the ledger once the unit is durable. */
  readonly ended: readonly RowRecord[];
  /** The rows that this unit wrote, as they are after it, in order. */
  readonly written: readonly RowRecord[];
  addBatch(batch: Omit<BatchRecord, 'audit_seq' | 'audit_head'>, data: EventData): Promise<void>;
  /** Rows of a batch being read: they are counted, and the batch's own event speaks for all of them. */
  addRows(batchId: string, rows: readonly NewRow[]): Promise<void>;
  /**
   * The verdict on a row of a batch being read, once it was compared with others; `from` is the state it was added with.
   */
  judgeRow(from: RowState, row: NewRow, judgement: Judgement): Promise<void>;
  /** Takes up to `limit` rows of a batch out of the ledger that came to nothing while it was being read. True when none are left. */
  discardRows(batchId: string, limit: number): Promise<boolean>;
  /** The row after the change; null when it was no longer as `before` says: nothing was written then. */
  changeRow(before: RowRecord, event: RowEvent, fields: RowFields, data: EventData): Promise<RowRecord | null>;
  /** Facts about a row that do not change its state. Null on a conflict, as with `changeRow`. */
  noteRow(before: RowRecord, fields: RowFields, kind: string | null, data: EventData): Promise<RowRecord | null>;
  /**
   * The batch after the change, as far as it was read before it; null when it was no longer in that state: nothing was written then.
   */
  changeBatch(
    before: BatchRecord,
    event: BatchEvent,
    fields: BatchFields,
    data: EventData,
  ): Promise<BatchRecord | null>;
  /** Facts about a batch that do not change its state. Null on a conflict, as with `changeBatch`. */
  noteBatch(before: BatchRecord, fields: BatchFields): Promise<BatchRecord | null>;
  append(batchId: string, kind: string, data: EventData, rowNo?: number | null): Promise<void>;
}

export interface UnitOptions {
  clock: Clock;
  /** Who acts, for the audit log. */
  actor: string;
  /** Given by a runner: the unit fails with `FENCED` when the account was taken over by another. */
  fence?: Fence;
}

/** Runs `work` in one unit: all of it is durable when the promise resolves, nothing of it when it rejects. */
export function inUnit<Result>(
  db: Database,
  options: UnitOptions,
  work: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  return db.transact(async (tx) => {
    if (options.fence) await checkFence(tx, options.fence);
    const { unit, finish } = openUnit(tx, options);
    const result = await work(unit);
    await finish();
    return result;
  });
}

/** The end of a batch's chain: as this unit found it, and as it leaves it. */
interface Head {
  from: number;
  seq: number;
  hash: string;
}

/** Of one object alone a copy is quick; where anything more is spread into it, it takes several times as long. */
function rowWith(before: RowRecord, status: RowState, fields: RowFields): RowRecord {
  const after = { ...before };
  after.status = status;
  return Object.assign(after, fields);
}

/** Events wait in memory for the end of their unit, or until there are so many: they are inserted many at a time. */
const eventsHeldMax = 480;

function openUnit(tx: Queryable, { clock, actor }: UnitOptions): { unit: Unit; finish: () => Promise<void> } {
  const at = clock.now();
  const counts = new Map<string, Map<string, number>>();
  const costs = new Map<string, Sums>();
  const ended: RowRecord[] = [];
  const written: RowRecord[] = [];
  const heads = new Map<string, Head>();
  const events: AuditEvent[] = [];

  const count = (batchId: string, status: string, delta: number) => {
    const ofBatch = counts.get(batchId) ?? new Map<string, number>();
    counts.set(batchId, ofBatch.set(status, (ofBatch.get(status) ?? 0) + delta));
  };

  const countCost = ({ batch_id, cost, cost_currency }: RowRecord, isBefore: boolean) => {
    if (cost === null || cost_currency === null) return;
    const ofBatch = costs.get(batch_id) ?? new Sums();
    costs.set(batch_id, ofBatch);
    ofBatch.add(cost_currency, isBefore ? subtractAmounts('0', cost) : cost);
  };

  const writeEvents = () => insertEvents(tx, events.splice(0));

  const readHead = async (batchId: string): Promise<Head> => {
    const stored = await chainHead(tx, batchId);
    assert(stored, `no batch ${batchId} to append an event to`);
    const head = { from: stored.seq, seq: stored.seq, hash: stored.hash };
    heads.set(batchId, head);
    return head;
  };

  const link = (head: Head, batchId: string, kind: string, data: EventData, rowNo: number | null) => {
    head.seq += 1;
    const body = canonicalData(data);
    const event = { batch_id: batchId, seq: head.seq, at, actor, kind, row_no: rowNo, body, hash: '' };
    event.hash = chainHash(head.hash, event);
    head.hash = event.hash;
    events.push(event);
  };

  const append: Unit['append'] = async (batchId, kind, data, rowNo = null) => {
    const head = heads.get(batchId) ?? (await readHead(batchId));
    if (events.length >= eventsHeldMax) await writeEvents();
    link(head, batchId, kind, data, rowNo);
  };

  const writeRow = async (before: RowRecord, after: RowRecord, kind: string | null, data: EventData) => {
    if ((await updateRow(tx, before, after)) === 0) return null;
    written.push(after);
    if (before.status !== after.status) {
      count(before.batch_id, before.status, -1);
      count(before.batch_id, after.status, 1);
      if (after.status === 'completed' || after.status === 'failed') ended.push(after);
    }
    // What the service keeps of a payment that failed (V1 `UNDERLIVERED`) stays charged when the row's next generation begins.
    const isSame = before.cost === after.cost && before.cost_currency === after.cost_currency;
    if (!isSame && kind !== 'row.retry') {
      countCost(before, true);
      countCost(after, false);
    }
    if (kind) {
      const head = heads.get(before.batch_id);
      // Nearly always there is nothing to wait for, and this is done at every change of a row.
      if (head && events.length < eventsHeldMax) link(head, before.batch_id, kind, data, before.row_no);
      else await append(before.batch_id, kind, data, before.row_no);
    }
    return after;
  };

  const unit: Unit = {
    tx,
    at,
    ended,
    written,
    append,
    addBatch: async (batch, data) => {
      await insertBatch(tx, { ...batch, audit_seq: 0, audit_head: chainStart });
      await append(batch.batch_id, `batch.${batch.status}`, data);
    },
    addRows: async (batchId, rows) => {
      await insertRows(tx, rows);
      const added = new Map<string, number>();
      for (const { status } of rows) added.set(status, (added.get(status) ?? 0) + 1);
      for (const [status, some] of added) count(batchId, status, some);
    },
    judgeRow: async (from, row, judgement) => {
      const isJudged = await judgeRow(tx, from, row, judgement);
      assert(isJudged, 'nobody else changes a row of a batch that is being read');
      count(row.batch_id, from, -1);
      count(row.batch_id, row.status, 1);
    },
    discardRows: async (batchId, limit) => {
      if ((await deleteRows(tx, batchId, limit)) > 0) return false;
      await deleteCounts(tx, batchId);
      return true;
    },
    changeRow: (before, event, fields, data) => {
      const status = rowTransition(before.status, event);
      const after = rowWith(before, status, fields);
      const told: EventData = { from: before.status, to: status, generation: after.generation };
      if (event === 'complete' || event === 'fail') {
        // What an end cost and when it was, whoever brought it about: a sum of costs is then one of which the chain tells, and a
        // payment cannot be moved into another month.
        told.topup_id = after.topup_id;
        told.cost = after.cost;
        told.cost_currency = after.cost_currency;
        told.service_status = after.service_status;
        told.completed_at = after.completed_at;
      }
      // Nothing is sent here: the row bears when it was.
      if (event === 'doubt' && before.status === 'ready') told.first_sent_at = after.first_sent_at;
      return writeRow(before, after, `row.${event}`, Object.assign(told, data));
    },
    noteRow: (before, fields, kind, data) => writeRow(before, rowWith(before, before.status, fields), kind, data),
    changeBatch: async (before, event, fields, data) => {
      const status = batchTransition(before.status, event);
      if (!(await updateBatch(tx, before, status, fields))) return null;
      await append(before.batch_id, `batch.${event}`, { from: before.status, to: status, ...data });
      return { ...before, ...fields, status };
    },
    noteBatch: async (before, fields) =>
      (await updateBatch(tx, before, before.status, fields)) ? { ...before, ...fields } : null,
  };

  const finish = async () => {
    await writeEvents();
    for (const [batchId, ofBatch] of counts) {
      for (const [status, delta] of ofBatch) if (delta !== 0) await addToCount(tx, batchId, status, delta);
    }
    for (const [batchId, sums] of costs) {
      for (const [currency, delta] of Object.entries(sums.toObject())) {
        if (delta !== '0') await addToCosts(tx, batchId, currency, delta);
      }
    }
    for (const [batchId, { from, seq, hash }] of heads) {
      const moved = await moveChainHead(tx, batchId, from, { seq, hash });
      assert(moved, `the audit chain of batch ${batchId} was moved by somebody else`);
    }
  };
  return { unit, finish };
}
