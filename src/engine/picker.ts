import type { Clock } from '../core/clock.ts';
import { sentAmong } from '../core/row-state.ts';
import { type BatchRecord, countRows } from '../ledger/batches.ts';
import type { Database } from '../ledger/database.ts';
import type { SpacedRows } from '../ledger/pace.ts';
import { findRow, pageRowsInState, type RowRecord } from '../ledger/rows.ts';
import { sendingOrder } from './sending-order.ts';

/** Rows of a batch that are read ahead: enough that reading is rare, few enough that memory does not grow with the file. */
const readAheadRows = 200;

/** Decides which row is sent next: by the order of its batch (sending-order.ts), in turns where that is the same, in file order within one. */
export interface Picker {
  /**
   * The batches whose rows may be sent. A batch that is no longer among them gives no more rows. Of one that is named in `rowsAlone` no
   * further row is given out once so many were sent, by the ledger, or are about to be.
   */
  setBatches(batches: readonly BatchRecord[], rowsAlone?: ReadonlyMap<string, number>): void;
  /** How many rows could be taken now, counted no further than `limit`. */
  available(limit: number): Promise<number>;
  /**
   * At most `count` rows to send now; each is given out once until it is settled or put back. Those in doubt go before the others, or after
   * them with `doubtsLast`.
   */
  take(count: number, doubtsLast?: boolean): Promise<RowRecord[]>;
  /** The ledger says what became of rows that were taken, or they were put back. */
  settled(rows: readonly RowRecord[]): void;
  /** A row that was taken is sent just now: what is to be spaced counts from here, not from when it was taken. */
  sending(row: RowRecord): void;
  /** A row that was taken comes back, to be given out again from `at` (epoch ms) on. */
  putBack(row: RowRecord, at: number): void;
  /** How many ready rows of a batch wait here or are given out; `Infinity` as long as not all of the batch was read. */
  known(batchId: string): number;
  /** Rows may have become ready behind the place up to which the batches were read. */
  rescan(): void;
  /** When the next row that was put back is due (epoch ms), or null where none waits. */
  nextAt(): number | null;
  /** The rows that wait because their number was paid a moment ago, by batch, as far as they were read. */
  spaced(): Map<string, SpacedRows>;
}

interface Source {
  batch: BatchRecord;
  buffer: RowRecord[];
  cursor: number;
  exhausted: boolean;
  rowsAlone: number | null;
}

/** A row that is given out from `at` (epoch ms) on. */
interface Waiting {
  row: RowRecord;
  at: number;
  /** The rows of its batch that follow it to the same number, by their numbers in the file; null where none is to stand behind it. */
  line: number[] | null;
}

export interface PickerOptions {
  /** Payments to one number are this far apart; 0 where the service does not mind. */
  sameNumberSpacingMs: number;
  /** When this number was last sent to, by whichever program (epoch ms). */
  lastSentTo: (phoneNumber: string) => Promise<number>;
}

export function makePicker(db: Database, clock: Clock, options: PickerOptions): Picker {
  const sources = new Map<string, Source>();
  // In the order in which they go; of those that take turns, who was served goes to the end.
  let order: Source[] = [];
  let waiting: Waiting[] = [];
  // Rows that were given out, by batch, and that the ledger may still call ready: whoever reads it anew is not given them a second time.
  // Each with the record that was given out: one that was put back may be another's by the time its first taker settles what it took.
  const out = new Map<string, Map<number, RowRecord>>();
  // A file may name one number a hundred thousand times. Of a batch one row to each number waits, and the others stand in line
  // behind it: they are read again when it is their turn, and nobody who looks for what is due goes through them.
  const lines = new Map<string, number[]>();
  const lastSent = new Map<string, number>();
  const startedAt = clock.now();
  let tail: Promise<unknown> = Promise.resolve();

  /** Reading is asynchronous, so takers queue: no row is given to two of them. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = tail.then(work);
    tail = mine.catch(() => undefined);
    return mine;
  };

  const refill = async (source: Source): Promise<void> => {
    if (source.buffer.length > 0 || source.exhausted) return;
    const page = await pageRowsInState(db, source.batch.batch_id, 'ready', source.cursor, readAheadRows);
    source.buffer = page;
    source.cursor = page.at(-1)?.row_no ?? source.cursor;
    source.exhausted = page.length < readAheadRows;
  };

  const isDue = ({ row, at }: Waiting, now: number) => at <= now && sources.has(row.batch_id);

  const spacedUntil = async ({ phone_number }: RowRecord, now: number): Promise<number> => {
    const { sameNumberSpacingMs, lastSentTo } = options;
    if (phone_number === null) return 0;
    // Only at first can something that this picker does not know of be recent enough to matter.
    const isNew = now - startedAt < sameNumberSpacingMs;
    const last = lastSent.get(phone_number) ?? (isNew ? await lastSentTo(phone_number) : 0);
    return last + sameNumberSpacingMs;
  };

  const noteSent = (row: RowRecord, now: number): void => {
    if (options.sameNumberSpacingMs === 0) return;
    lastSent.delete(row.phone_number ?? '');
    lastSent.set(row.phone_number ?? '', now);
    // Entries stand in the order in which they were sent, so that the old ones are at the front.
    for (const [number, at] of lastSent) {
      if (at + options.sameNumberSpacingMs > now) break;
      lastSent.delete(number);
    }
  };

  const takeWaiting = (isNext: (entry: Waiting) => boolean): Waiting | null => {
    const index = waiting.findIndex(isNext);
    return index < 0 ? null : (waiting.splice(index, 1)[0] ?? null);
  };

  const outOf = ({ batch_id }: RowRecord): Map<number, RowRecord> => {
    const known = out.get(batch_id);
    if (known) return known;
    const made = new Map<number, RowRecord>();
    out.set(batch_id, made);
    return made;
  };
  const lineName = ({ batch_id, phone_number }: RowRecord) => `${batch_id} ${phone_number}`;

  /** Keeps a row whose number was sent to a moment ago. One in doubt, whose key grows old, is the next to that number. */
  const keepApart = ({ row, line: known }: Waiting, until: number): void => {
    if (row.status !== 'ready') {
      waiting.unshift({ row, at: until, line: null });
      return;
    }
    const before = known === null ? lines.get(lineName(row)) : undefined;
    if (before) {
      before.push(row.row_no);
      return;
    }
    const line = known ?? [];
    lines.set(lineName(row), line);
    waiting.push({ row, at: until, line });
  };

  /** The first of a line was given out: the next that is still to be sent waits in its place. */
  const moveUp = async ({ row: first, line }: Waiting, at: number): Promise<void> => {
    if (line === null) return;
    for (let rowNo = line.shift(); rowNo !== undefined; rowNo = line.shift()) {
      const row = await findRow(db, first.batch_id, rowNo);
      if (row?.status === 'ready') {
        waiting.push({ row, at: Math.max(at, row.next_action_at ?? 0), line });
        return;
      }
    }
    lines.delete(lineName(first));
  };

  /** Whoever reads a batch from its beginning finds in the ledger what is ready; what is in doubt is known here alone. */
  const forgetReady = (batchId: string | null): void => {
    waiting = waiting.filter(({ row }) => {
      const isKept = row.status === 'in_doubt' || (batchId !== null && row.batch_id !== batchId);
      if (isKept) return true;
      lines.delete(lineName(row));
      return false;
    });
  };

  /** The ready rows of a batch that wait here, or are given out, by their numbers in the file. */
  const pendingOf = (batchId: string): number[] => {
    const rowNos = [...(out.get(batchId)?.keys() ?? [])];
    for (const { row, line } of waiting)
      if (row.batch_id === batchId && row.status === 'ready') rowNos.push(row.row_no, ...(line ?? []));
    return rowNos;
  };

  /** How many rows of a batch may be given out that were not before. */
  const roomOf = async ({ batch: { batch_id }, rowsAlone }: Source): Promise<number> => {
    if (rowsAlone === null) return Number.POSITIVE_INFINITY;
    // While the ledger is asked one may be written as sent, and another come back: each counts twice for a moment rather than not at all.
    const before = pendingOf(batch_id);
    const sent = sentAmong(await countRows(db, batch_id));
    return Math.max(0, rowsAlone - sent - new Set([...before, ...pendingOf(batch_id)]).size);
  };

  const nextOf = async (source: Source, now: number): Promise<RowRecord | null> => {
    for (;;) {
      if (source.buffer.length === 0) await refill(source);
      if (source.buffer.length === 0 || (await roomOf(source)) === 0) return null;
      const row = source.buffer.shift();
      if (!row) return null;
      if ((row.next_action_at ?? 0) <= now) return row;
      waiting.push({ row, at: row.next_action_at ?? 0, line: null });
    }
  };

  const takeFresh = async (source: Source, now: number): Promise<Waiting | null> => {
    const row = await nextOf(source, now);
    return row && { row, at: now, line: null };
  };

  /** What waited for its turn goes before the rest of its batch, and behind what goes before its batch. */
  const takeNext = async (now: number, doubtsLast: boolean): Promise<Waiting | null> => {
    const takeInDoubt = () => takeWaiting((entry) => entry.row.status !== 'ready' && isDue(entry, now));
    // The key of a row in doubt grows old.
    const inDoubt = doubtsLast ? null : takeInDoubt();
    if (inDoubt) return inDoubt;
    for (const source of order) {
      const isOwn = ({ row }: Waiting) => row.batch_id === source.batch.batch_id && row.status === 'ready';
      const next = takeWaiting((entry) => isOwn(entry) && isDue(entry, now)) ?? (await takeFresh(source, now));
      if (!next) continue;
      if (order.length === 1) return next;
      const peers = order.filter((other) => other !== source);
      const after = peers.findLastIndex((other) => sendingOrder(other.batch, source.batch) <= 0);
      order = peers.toSpliced(after + 1, 0, source);
      return next;
    }
    return takeInDoubt();
  };

  return {
    setBatches(batches, rowsAlone = new Map()) {
      const named = new Set(batches.map(({ batch_id }) => batch_id));
      for (const id of sources.keys()) {
        if (named.has(id)) continue;
        sources.delete(id);
        forgetReady(id);
      }
      for (const batch of batches) {
        const known = sources.get(batch.batch_id);
        const now = { batch, rowsAlone: rowsAlone.get(batch.batch_id) ?? null };
        if (known) Object.assign(known, now);
        else sources.set(batch.batch_id, { ...now, buffer: [], cursor: 0, exhausted: false });
      }
      const kept = order.filter((source) => sources.get(source.batch.batch_id) === source);
      const added = [...sources.values()].filter((source) => !kept.includes(source));
      order = [...kept, ...added].sort((a, b) => sendingOrder(a.batch, b.batch));
    },
    available: (limit) =>
      inTurn(async () => {
        const now = clock.now();
        let count = waiting.filter((entry) => isDue(entry, now)).length;
        for (const source of order) {
          if (count >= limit) break;
          await refill(source);
          if (source.buffer.length > 0) count += Math.min(source.buffer.length, await roomOf(source));
        }
        return Math.min(count, limit);
      }),
    take: (count, doubtsLast = false) =>
      inTurn(async () => {
        const taken: RowRecord[] = [];
        const now = clock.now();
        while (taken.length < count) {
          const next = await takeNext(now, doubtsLast);
          if (!next) break;
          const { row } = next;
          if (row.status === 'ready' && outOf(row).has(row.row_no)) {
            // Whoever has it knows of no line: the rows that stand behind it here wait for nobody else.
            await moveUp(next, now);
            continue;
          }
          const until = options.sameNumberSpacingMs === 0 ? 0 : await spacedUntil(row, now);
          if (until > now) {
            keepApart(next, until);
            continue;
          }
          noteSent(row, now);
          await moveUp(next, now + options.sameNumberSpacingMs);
          taken.push(row);
          if (row.status === 'ready') outOf(row).set(row.row_no, row);
        }
        return taken;
      }),
    settled(rows) {
      for (const row of rows) if (outOf(row).get(row.row_no) === row) outOf(row).delete(row.row_no);
    },
    sending: (row) => noteSent(row, clock.now()),
    putBack(row, at) {
      outOf(row).delete(row.row_no);
      // A record of its own, which is not the one that is settled with the rows it was taken with.
      waiting.push({ row: { ...row }, at, line: null });
    },
    known(batchId) {
      const source = sources.get(batchId);
      if (!source?.exhausted) return Number.POSITIVE_INFINITY;
      return source.buffer.length + pendingOf(batchId).length;
    },
    rescan() {
      forgetReady(null);
      for (const source of sources.values()) Object.assign(source, { cursor: 0, exhausted: false, buffer: [] });
    },
    nextAt() {
      let next: number | null = null;
      for (const { row, at } of waiting) if (sources.has(row.batch_id)) next = Math.min(next ?? at, at);
      return next;
    },
    spaced() {
      const spaced = new Map<string, SpacedRows>();
      for (const { row, at, line } of waiting) {
        if (line === null || !sources.has(row.batch_id)) continue;
        const { rows, nextAt, lastAt } = spaced.get(row.batch_id) ?? { rows: 0, nextAt: at, lastAt: at };
        spaced.set(row.batch_id, {
          rows: rows + 1 + line.length,
          nextAt: Math.min(nextAt, at),
          lastAt: Math.max(lastAt, at + line.length * options.sameNumberSpacingMs),
        });
      }
      return spaced;
    },
  };
}
