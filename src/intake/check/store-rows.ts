import { assert } from '../../core/basics/assert.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { longThrottleMs } from '../../core/time/throttle-wait.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { renewReading } from '../../ledger/batches/readings.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import type { NewRow } from '../../ledger/rows/rows.ts';
import { holdTime } from '../../ledger/schema/lease-table.ts';
import { inUnit, type Unit } from '../../ledger/unit-of-work.ts';
import { type DuplicateJudge, findDuplicateJudge, type JudgedRow } from '../history/duplicates.ts';
import type { FileRow } from '../rows/file-rows.ts';
import { type PackedRows, unpackNewRows } from '../rows/packed-rows.ts';
import type { CheckedFile } from './check-file.ts';
import { type FileTotals, makeTotals } from './totals.ts';

/** Rows that are judged in one transaction, which blocks the event loop for about 10 ms (measured: 3 to 5 us a row). */
const rowsPerUnit = 2_000;

/**
 * How long a reading may be silent before others take it for dead. Every transaction renews it, and these are
 * milliseconds apart. The longest silence is a wait that the service asks for during a catalog lookup: a quarter of an
 * hour at most. A chunk of rows may need several such lookups.
 */
export const readingTtlMs = 4 * longThrottleMs;

/** Writes the rows of a batch into the ledger while its file is read. */
export interface RowStore {
  /** Stores rows with the results of their own checks, all in one transaction. */
  add(rows: readonly PackedRows[]): Promise<void>;
  /**
   * After all rows are stored: updates them to their final results, compared with the whole file and with earlier
   * batches.
   */
  finish(file: CheckedFile): Promise<FileTotals>;
}

/**
 * Rows are stored while their file is still being read, so reading and storing run in parallel. For most rows the
 * result of their own check is final. Results that need the whole file are written afterwards, to the rows concerned.
 * Nothing can be sent before that: the batch stays `received` until everything is done.
 */
export function makeRowStore(deps: { db: Database; clock: Clock }, batch: BatchRecord, holder: string): RowStore {
  const unitOf = <Result>(work: (unit: Unit) => Promise<Result>): Promise<Result> =>
    inUnit(deps.db, { clock: deps.clock, actor: 'intake' }, async (unit) => {
      await requireReading(unit, batch.batch_id, holder);
      return work(unit);
    });
  return {
    async add(block) {
      await unitOf(async (unit) => {
        for (const rows of block) await unit.addRows(batch.batch_id, unpackNewRows(rows, batch.batch_id));
      });
      await deps.clock.turn();
    },
    async finish(file) {
      const judge = await findDuplicateJudge(deps.db, batch);
      if (judge === null && !file.hasShared) return file.byThemselves;
      const compared = makeTotals();
      for await (const rows of file.rows(rowsPerUnit)) {
        const judged = await unitOf((unit) => judgeRows(unit, batch.batch_id, rows, judge));
        for (const row of judged) compared.add(row, row.input);
        await deps.clock.turn();
      }
      return compared.result();
    },
  };
}

async function judgeRows(
  unit: Unit,
  batchId: string,
  rows: readonly FileRow[],
  judge: DuplicateJudge | null,
): Promise<readonly JudgedRow[]> {
  const judged: readonly JudgedRow[] = judge === null ? rows : await judge(unit.tx, rows);
  for (const [index, row] of judged.entries()) {
    const compared = rows[index];
    assert(compared?.row_no === row.row_no, 'the judge leaves no row out');
    if (row === compared && row.before === null) continue;
    const { generation = 1, known_until = null } = row;
    await unit.judgeRow(compared.before ?? compared.status, newRow(batchId, row), { generation, known_until });
  }
  return judged;
}

/** Throws if another process has ended the reading: it deletes the rows, or has deleted them. */
export async function requireReading(unit: Unit, batchId: string, holder: string): Promise<void> {
  const reading = { batch_id: batchId, holder, expires_at: (await holdTime(unit.tx, unit.at)) + readingTtlMs };
  if (await renewReading(unit.tx, reading)) return;
  throw new AirbatchError('FENCED', `another process has ended the reading of batch ${batchId}`, {
    hint: 'This program was stopped for too long. Run the file again: nothing was sent.',
  });
}

function newRow(
  batchId: string,
  { problems, has_reference: _, before: __, generation: ___, known_until: ____, ...row }: JudgedRow,
): NewRow {
  return { batch_id: batchId, ...row, problems: problems.length === 0 ? null : JSON.stringify(problems) };
}
