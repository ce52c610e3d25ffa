import { sentAmong } from '../../core/state/row-state.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { SpacedRows } from '../../ledger/accounts/pace.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import {
  type BatchSource,
  type BatchSources,
  endTurn,
  makeBatchSources,
  refill,
  replaceBatches,
  restartReading,
} from './batch-sources.ts';
import { type NumberSpacing, noteSentTo, spacedUntil } from './number-spacing.ts';
import {
  forgetReady,
  makeWaitingRows,
  moveLineUp,
  spacedByBatch,
  takeWaiting,
  type WaitingRow,
  type WaitingRows,
  waitForNumber,
  waitingReady,
} from './waiting-rows.ts';

/**
 * Decides which row is sent next: batches in their order (engine/forecast/sending-order.ts), batches of the same rank
 * in turns, and rows of a batch in file order.
 */
export interface Picker {
  /**
   * Replaces the batches whose rows may be sent. A batch in `rowsAlone` gives no further row once that many of its rows
   * were sent (according to the ledger) or are about to be sent.
   */
  setBatches(batches: readonly BatchRecord[], rowsAlone?: ReadonlyMap<string, number>): void;
  /** How many rows can be taken now, at most `limit`. */
  available(limit: number): Promise<number>;
  /**
   * Takes at most `count` rows to send now. A taken row is not given again before it is settled or put back. Rows in
   * doubt come first, or last with `doubtsLast`.
   */
  take(count: number, doubtsLast?: boolean): Promise<RowRecord[]>;
  /** The outcomes of these taken rows are in the ledger, or the rows were put back. */
  settled(rows: readonly RowRecord[]): void;
  /** A taken row is being sent: the spacing of its number starts now. */
  sending(row: RowRecord): void;
  /** Returns a taken row. It may be taken again from `at` on (epoch ms). */
  putBack(row: RowRecord, at: number): void;
  /** How many ready rows of a batch wait here or are taken; `Infinity` until the whole batch was read. */
  known(batchId: string): number;
  /** Reads the batches again from the beginning, because rows before the reading position may be ready now. */
  rescan(): void;
  /** When the next waiting row is due (epoch ms); null if none waits. */
  nextAt(): number | null;
  /** The rows that wait because their number was paid a moment ago, by batch. */
  spaced(): Map<string, SpacedRows>;
}

export interface PickerOptions {
  /** The least time between two payments to one number (ms); 0 if the service demands none. */
  sameNumberSpacingMs: number;
  /** When any program last sent to this number (epoch ms). */
  lastSendTimeTo: (phoneNumber: string) => Promise<number>;
}

interface PickerState {
  db: Database;
  sources: BatchSources;
  waiting: WaitingRows;
  spacing: NumberSpacing;
  /**
   * The taken rows by batch and row number, because the ledger may still call them ready. Each with the record that was
   * given: a row that was put back may be taken again before its first taker settles it.
   */
  taken: Map<string, Map<number, RowRecord>>;
}

export function makePicker(db: Database, clock: Clock, options: PickerOptions): Picker {
  const state: PickerState = {
    db,
    sources: makeBatchSources(),
    waiting: makeWaitingRows(),
    spacing: {
      spacingMs: options.sameNumberSpacingMs,
      lastSent: new Map(),
      lastSentAt: options.lastSendTimeTo,
      startedAt: clock.now(),
    },
    taken: new Map(),
  };
  const { sources, waiting, spacing } = state;
  let tail: Promise<unknown> = Promise.resolve();
  /** Reading is asynchronous, so takers wait for each other: no row is given to two of them. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = tail.then(work);
    tail = mine.catch(() => undefined);
    return mine;
  };
  const served = () => waiting.entries.filter(({ row }) => sources.byId.has(row.batch_id));
  return {
    setBatches(batches, rowsAlone = new Map()) {
      for (const id of replaceBatches(sources, batches, rowsAlone)) forgetReady(waiting, id);
    },
    // This is asked for every accepted row: what needs no read waits for no turn.
    async available(limit) {
      const isKnown = countAtHand(state, clock.now()) >= limit;
      return isKnown ? limit : inTurn(() => countAvailable(state, limit, clock.now()));
    },
    take: (count, doubtsLast = false) => inTurn(() => takeRows(state, { count, doubtsLast, now: clock.now() })),
    settled(rows) {
      for (const row of rows) if (takenOf(state, row).get(row.row_no) === row) takenOf(state, row).delete(row.row_no);
    },
    sending: (row) => noteSentTo(spacing, row, clock.now()),
    putBack(row, at) {
      takenOf(state, row).delete(row.row_no);
      // A copy, so that settling the rows that were taken with it does not settle it as well.
      waiting.entries.push({ row: { ...row }, at, line: null });
    },
    known(batchId) {
      const source = sources.byId.get(batchId);
      if (!source?.exhausted) return Number.POSITIVE_INFINITY;
      return source.buffer.length + pendingOf(state, batchId).length;
    },
    // In turn: a read that is under way would move the position on again.
    rescan: () =>
      void inTurn(async () => {
        forgetReady(waiting, null);
        restartReading(sources);
      }),
    nextAt: () => served().reduce<number | null>((next, { at }) => Math.min(next ?? at, at), null),
    spaced: () => spacedByBatch(served(), spacing.spacingMs),
  };
}

function takenOf({ taken }: PickerState, { batch_id }: RowRecord): Map<number, RowRecord> {
  const known = taken.get(batch_id);
  if (known) return known;
  const made = new Map<number, RowRecord>();
  taken.set(batch_id, made);
  return made;
}

function isDue({ sources }: PickerState, { row, at }: WaitingRow, now: number): boolean {
  return at <= now && sources.byId.has(row.batch_id);
}

/** The row numbers (in the file) of a batch's ready rows that wait or are taken. */
function pendingOf({ taken, waiting }: PickerState, batchId: string): number[] {
  return [...(taken.get(batchId)?.keys() ?? []), ...waitingReady(waiting, batchId)];
}

/** How many more rows of a batch may be given. */
async function roomOf(state: PickerState, { batch: { batch_id }, rowsAlone }: BatchSource): Promise<number> {
  if (rowsAlone === null) return Number.POSITIVE_INFINITY;
  // During the read of the ledger, a row may be sent and another may be put back. Each is then counted twice rather
  // than not at all.
  const before = pendingOf(state, batch_id);
  const sent = sentAmong(await countRows(state.db, batch_id));
  return Math.max(0, rowsAlone - sent - new Set([...before, ...pendingOf(state, batch_id)]).size);
}

function countDue(state: PickerState, now: number): number {
  const { entries } = state.waiting;
  return entries.length === 0 ? 0 : entries.filter((entry) => isDue(state, entry, now)).length;
}

/** How many rows can certainly be taken now, as far as that is known without a read. */
function countAtHand(state: PickerState, now: number): number {
  let count = countDue(state, now);
  for (const { rowsAlone, buffer } of state.sources.order) if (rowsAlone === null) count += buffer.length;
  return count;
}

async function countAvailable(state: PickerState, limit: number, now: number): Promise<number> {
  let count = countDue(state, now);
  for (const source of state.sources.order) {
    if (count >= limit) break;
    await refill(state.db, source, () => pendingOf(state, source.batch.batch_id));
    if (source.buffer.length > 0) count += Math.min(source.buffer.length, await roomOf(state, source));
  }
  return Math.min(count, limit);
}

async function takeRows(
  state: PickerState,
  { count, doubtsLast, now }: { count: number; doubtsLast: boolean; now: number },
): Promise<RowRecord[]> {
  const { db, waiting, spacing } = state;
  const rows: RowRecord[] = [];
  while (rows.length < count) {
    const next = await takeNext(state, now, doubtsLast);
    if (!next) break;
    const { row } = next;
    if (row.status === 'ready' && takenOf(state, row).has(row.row_no)) {
      // The row is already taken. Its taker does not have the line behind this entry, so the line moves up here.
      await moveLineUp(db, waiting, next, now);
      continue;
    }
    const until = spacing.spacingMs === 0 ? 0 : await spacedUntil(spacing, row, now);
    if (until > now) {
      waitForNumber(waiting, next, until);
      continue;
    }
    noteSentTo(spacing, row, now);
    if (next.line !== null) await moveLineUp(db, waiting, next, now + spacing.spacingMs);
    rows.push(row);
    if (row.status === 'ready') takenOf(state, row).set(row.row_no, row);
  }
  return rows;
}

/** Within a batch, rows that waited go before the others. No row goes before a batch of a higher rank. */
async function takeNext(state: PickerState, now: number, doubtsLast: boolean): Promise<WaitingRow | null> {
  const { sources, waiting } = state;
  const takeInDoubt = () => takeWaiting(waiting, (entry) => entry.row.status !== 'ready' && isDue(state, entry, now));
  // Rows in doubt go first, because their keys grow old.
  const inDoubt = doubtsLast ? null : takeInDoubt();
  if (inDoubt) return inDoubt;
  for (const source of sources.order) {
    const isOwn = ({ row }: WaitingRow) => row.batch_id === source.batch.batch_id && row.status === 'ready';
    const next =
      takeWaiting(waiting, (entry) => isOwn(entry) && isDue(state, entry, now)) ??
      (await takeUnread(state, source, now));
    if (!next) continue;
    endTurn(sources, source);
    return next;
  }
  return takeInDoubt();
}

/** The next ready row of a batch that has not waited yet. A row that is not due starts to wait. */
async function takeUnread(state: PickerState, source: BatchSource, now: number): Promise<WaitingRow | null> {
  for (;;) {
    if (source.buffer.length === 0) await refill(state.db, source, () => pendingOf(state, source.batch.batch_id));
    if (source.buffer.length === 0) return null;
    if (source.rowsAlone !== null && (await roomOf(state, source)) === 0) return null;
    const row = source.buffer.shift();
    if (!row) return null;
    if ((row.next_action_at ?? 0) <= now) return { row, at: now, line: null };
    state.waiting.entries.push({ row, at: row.next_action_at ?? 0, line: null });
  }
}
