import { allEnded } from '../core/basics/all-ended.ts';
import { assert } from '../core/basics/assert.ts';
import { type BatchEvent, transition as batchTransition, type PauseReason } from '../core/state/batch-state.ts';
import type { Why } from '../core/state/pause-texts.ts';
import { type RowEvent, type RowState, transition as rowTransition } from '../core/state/row-state.ts';
import type { Clock } from '../core/time/clock.ts';
import { announceBatch } from './accounts/announce.ts';
import { addRecentSends, type RecentSends } from './accounts/recent-sends.ts';
import { type ChainWriter, makeChainWriter } from './audit/chain-writer.ts';
import { chainStart, type DataOf, type EventData } from './audit/events.ts';
import { type BatchFields, type BatchRecord, insertBatch, type NewBatch, updateBatch } from './batches/batches.ts';
import { addPause, clearPauses, storedReason } from './batches/pauses.ts';
import { addToCounts, type CountChange, deleteCounts } from './batches/row-counts.ts';
import type { Database, Transaction } from './drivers/database.ts';
import { type CostTotals, makeCostTotals } from './rows/cost-totals.ts';
import { type BatchCost, saveCost } from './rows/costs.ts';
import { deleteRows, insertRows, type Judgement, judgeRow } from './rows/insert-rows.ts';
import type { NewRow, RowRecord } from './rows/rows.ts';
import { type RowFields, updateRow } from './rows/update-row.ts';
import { checkFence, type Fence } from './schema/lease-table.ts';
import { requireNotMoved } from './schema/moves.ts';

/**
 * One durable transaction on the ledger. Every change of state in it follows the transition tables, is counted, and
 * appends an audit event. Nothing else writes states.
 */
export interface Unit {
  readonly tx: Transaction;
  /** The time of everything in this unit (epoch ms). */
  readonly at: number;
  /** The actor, for the audit log. */
  readonly actor: string;
  /** The rows that this unit completed or failed, in order. They are in the ledger once the unit is durable. */
  readonly ended: readonly RowRecord[];
  /** The rows that this unit wrote, with their new values, in order. */
  readonly written: readonly RowRecord[];
  addBatch(batch: Omit<NewBatch, 'audit_seq' | 'audit_head'>, data: EventData): Promise<void>;
  /** Adds rows of a batch that is being read. They are counted; the batch's own event covers all of them. */
  addRows(batchId: string, rows: readonly NewRow[]): Promise<void>;
  /**
   * Records the result of comparing a row of a batch that is being read. `from` is the state with which the row was
   * added.
   */
  judgeRow(from: RowState, row: NewRow, judgement: Judgement): Promise<void>;
  /** Deletes up to `limit` rows of a batch whose reading failed. Returns true when none are left. */
  discardRows(batchId: string, limit: number): Promise<boolean>;
  /**
   * Changes a row's state. Returns the new row; null, and writes nothing, if another writer changed it after `before`.
   */
  changeRow<Event extends RowEvent>(
    before: RowRecord,
    event: Event,
    fields: RowFields,
    data: DataOf<`row.${Event}`>,
  ): Promise<RowRecord | null>;
  /** Changes facts about a row that are not its state. Null on a conflict, as with `changeRow`. */
  noteRow<Kind extends string | null>(
    before: RowRecord,
    fields: RowFields,
    kind: Kind,
    data: DataOf<Kind>,
  ): Promise<RowRecord | null>;
  /**
   * Changes a batch's state. Returns the new batch; null, and writes nothing, if it is no longer in that state. Clears
   * the pauses of a batch that is no longer paused.
   */
  changeBatch(
    before: BatchRecord,
    event: Exclude<BatchEvent, 'pause'>,
    fields: BatchFields,
    data: EventData,
  ): Promise<BatchRecord | null>;
  /** Pauses a batch, or adds a pause to those of a paused one. Null on a conflict, as with `changeBatch`. */
  pauseBatch(before: BatchRecord, pause: Pause, fields?: BatchFields): Promise<BatchRecord | null>;
  /** Changes facts about a batch that are not its state. Null on a conflict, as with `changeBatch`. */
  noteBatch(before: BatchRecord, fields: BatchFields): Promise<BatchRecord | null>;
  append<Kind extends string>(batchId: string, kind: Kind, data: DataOf<Kind>, rowNo?: number | null): Promise<void>;
  /** Counts a request of the runner's account that has ended: see accounts/recent-sends.ts. */
  countSend(): void;
}

/** Why a batch is paused. `why`: what was observed, or what the person said. */
export interface Pause {
  reason: PauseReason;
  why: Why;
}

export interface UnitOptions {
  clock: Clock;
  /** The actor, for the audit log: a part of the program, or a person. */
  actor: string;
  /** The door through which a person acts. It is in the data of each event. */
  through?: string;
  /** A runner's fence: the unit fails with `FENCED` if another runner has taken over the account. */
  fence?: Fence;
  /** The account whose requests are counted, and the length of its rate window. */
  sends?: Pick<RecentSends, 'account' | 'windowMs'>;
}

/** Runs `work` in one unit: all of it is durable when the promise resolves, nothing of it when it rejects. */
export function inUnit<Result>(
  db: Database,
  options: UnitOptions,
  work: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  const how = { concurrent: options.fence !== undefined };
  return db.transact(async (tx) => {
    const pending = makePending(tx, options);
    // A ledger that is moved away has raised its fences. What the work reads first shares a round trip with the check.
    const allowed = options.fence ? checkFence(tx, options.fence) : requireNotMoved(tx);
    const [, result] = await allEnded([allowed, work(openUnit(pending))]);
    const written = writePending(pending, await pending.costs.changed());
    // A runner knows what it has changed.
    if (options.fence) tx.last(written);
    else for (const batchId of await written) await announceBatch(tx, batchId);
    return result;
  }, how);
}

/** The totals that a unit writes at its end: counts and costs are added up in memory first. */
interface Pending {
  tx: Transaction;
  at: number;
  actor: string;
  chain: ChainWriter;
  counts: Map<string, Map<string, number>>;
  costs: CostTotals;
  ended: RowRecord[];
  written: RowRecord[];
  sends: RecentSends | null;
}

function makePending(tx: Transaction, { clock, actor, through, sends }: UnitOptions): Pending {
  const at = clock.now();
  const chain = makeChainWriter(tx, { at, actor, through });
  return {
    ...{ tx, at, actor, chain, counts: new Map(), costs: makeCostTotals(tx), ended: [], written: [] },
    sends: sends ? { ...sends, now: at, count: 0 } : null,
  };
}

function openUnit(pending: Pending): Unit {
  const { tx, at, actor, chain, ended, written } = pending;
  return {
    tx,
    at,
    actor,
    ended,
    written,
    append: async (batchId, kind, data, rowNo = null) => chain.append({ batchId, kind, data, rowNo }),
    countSend() {
      if (pending.sends) pending.sends.count += 1;
    },
    addBatch: async (batch, data) => {
      await insertBatch(tx, { ...batch, audit_seq: 0, audit_head: chainStart });
      await chain.append({ batchId: batch.batch_id, kind: `batch.${batch.status}`, data, rowNo: null });
    },
    addRows: async (batchId, rows) => {
      await insertRows(tx, rows);
      for (const { status } of rows) count(pending, batchId, status, 1);
    },
    judgeRow: async (from, row, judgement) => {
      const isJudged = await judgeRow(tx, from, row, judgement);
      assert(isJudged, 'nobody else changes a row of a batch that is being read');
      count(pending, row.batch_id, from, -1);
      count(pending, row.batch_id, row.status, 1);
    },
    discardRows: async (batchId, limit) => {
      if ((await deleteRows(tx, batchId, limit)) > 0) return false;
      await deleteCounts(tx, batchId);
      return true;
    },
    changeRow: (before, event, fields, data) => changeRow(pending, before, event, { fields, data }),
    noteRow: (before, fields, kind, data) =>
      writeRow(pending, before, rowWith(before, before.status, fields), { kind, data }),
    changeBatch: async (before, event, fields, data) => {
      const after = await changeBatch(pending, before, event, { fields, data });
      if (after !== null && before.status === 'paused') await clearPauses(pending, before);
      return after;
    },
    pauseBatch: (before, pause, fields = {}) => pauseBatch(pending, before, pause, fields),
    noteBatch: async (before, fields) =>
      (await updateBatch(tx, before, before.status, fields)) ? { ...before, ...fields } : null,
  };
}

async function changeBatch(
  pending: Pending,
  before: BatchRecord,
  event: BatchEvent,
  { fields, data }: { fields: BatchFields; data: EventData },
): Promise<BatchRecord | null> {
  const status = batchTransition(before.status, event);
  if (!(await updateBatch(pending.tx, before, status, fields))) return null;
  const changed = { from: before.status, to: status, ...data };
  await pending.chain.append({ batchId: before.batch_id, kind: `batch.${event}`, data: changed, rowNo: null });
  return { ...before, ...fields, status };
}

async function pauseBatch(
  pending: Pending,
  before: BatchRecord,
  { reason, why }: Pause,
  fields: BatchFields,
): Promise<BatchRecord | null> {
  const { account, batch_id, status } = before;
  const data: EventData =
    reason === 'by_person' ? { why: why.text } : { reason, detail: why.text, detail_reason: storedReason(why) };
  if (status !== 'paused') {
    const paused = await changeBatch(pending, before, 'pause', { fields, data });
    if (paused !== null) await addPause(pending, { account, batch_id, reason, why });
    return paused;
  }
  if (!(await updateBatch(pending.tx, before, status, fields))) return null;
  await addPause(pending, { account, batch_id, reason, why });
  // People were already notified that the batch is paused. A further pause by the engine is news to them; a pause by a
  // person is not.
  const event =
    reason === 'by_person'
      ? { kind: 'batch.pause_added', data }
      : { kind: 'batch.pause', data: { from: status, to: status, ...data } };
  await pending.chain.append({ batchId: batch_id, rowNo: null, ...event });
  return { ...before, ...fields };
}

/** Copying one object alone is fast; spreading more objects into the copy takes several times as long. */
function rowWith(before: RowRecord, status: RowState, fields: RowFields): RowRecord {
  const after = { ...before };
  after.status = status;
  return Object.assign(after, fields);
}

function changeRow(
  pending: Pending,
  before: RowRecord,
  event: RowEvent,
  { fields, data }: { fields: RowFields; data: EventData },
): Promise<RowRecord | null> {
  const status = rowTransition(before.status, event);
  const after = rowWith(before, status, fields);
  const facts: EventData = { from: before.status, to: status, generation: after.generation };
  if (event === 'complete' || event === 'fail') {
    // The chain contains the cost and the time of every end, so that costs can be added up from it and no payment can
    // be moved to another month.
    facts.topup_id = after.topup_id;
    facts.cost = after.cost;
    facts.cost_currency = after.cost_currency;
    facts.service_status = after.service_status;
    facts.completed_at = after.completed_at;
  }
  // No `row.send` event precedes this doubt, so this event carries the time of the first sending.
  if (event === 'doubt' && before.status === 'ready') facts.first_sent_at = after.first_sent_at;
  return writeRow(pending, before, after, { kind: `row.${event}`, data: Object.assign(facts, data) });
}

async function writeRow(
  pending: Pending,
  before: RowRecord,
  after: RowRecord,
  { kind, data }: { kind: string | null; data: EventData },
): Promise<RowRecord | null> {
  // The part of a failed payment's charge that the service keeps (V1 `UNDERLIVERED`) stays charged when the row's next
  // generation begins.
  const isSame = before.cost === after.cost && before.cost_currency === after.cost_currency;
  const isCosted = !isSame && kind !== 'row.retry';
  const updating = updateRow(pending.tx, before, after);
  // What the unit adds to is read together with the update.
  if (kind !== null) pending.chain.expect(before.batch_id);
  if (isCosted) pending.costs.expect(before.batch_id);
  if ((await updating) === 0) return null;
  pending.written.push(after);
  if (before.status !== after.status) {
    count(pending, before.batch_id, before.status, -1);
    count(pending, before.batch_id, after.status, 1);
    if (after.status === 'completed' || after.status === 'failed') pending.ended.push(after);
  }
  if (isCosted) pending.costs.replace(before, after);
  if (kind === null) return after;
  const appended = pending.chain.append({ batchId: before.batch_id, kind, data, rowNo: before.row_no });
  // This runs at every change of a row, and there is nearly always nothing to wait for.
  if (appended) await appended;
  return after;
}

function count({ counts }: Pending, batchId: string, status: string, delta: number): void {
  const ofBatch = counts.get(batchId) ?? new Map<string, number>();
  counts.set(batchId, ofBatch.set(status, (ofBatch.get(status) ?? 0) + delta));
}

/** Sends everything before it returns: nothing here depends on what the rest answers. */
async function writePending({ tx, chain, counts, sends }: Pending, costs: readonly BatchCost[]): Promise<string[]> {
  const counted: CountChange[] = [];
  for (const [batch_id, ofBatch] of counts) {
    for (const [status, count] of ofBatch) if (count !== 0) counted.push({ batch_id, status, count });
  }
  const sent = sends && sends.count > 0 ? addRecentSends(tx, sends) : undefined;
  const saved = costs.map((cost) => saveCost(tx, cost));
  const [changed] = await allEnded([chain.flush(), addToCounts(tx, counted), sent, ...saved]);
  return changed;
}
