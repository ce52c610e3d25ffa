import { assert } from '../../core/basics/assert.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { longThrottleMs } from '../../core/time/throttle-wait.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { renewReading } from '../../ledger/batches/readings.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import type { NewRow } from '../../ledger/rows/rows.ts';
import { inUnit, type Unit } from '../../ledger/unit-of-work.ts';
import { type DuplicateJudge, findDuplicateJudge, type JudgedRow } from '../history/duplicates.ts';
import type { FileRow } from '../rows/file-rows.ts';
import { type PackedRows, unpackNewRows } from '../rows/packed-rows.ts';
import type { CheckedFile } from './check-file.ts';
import { type FileTotals, makeTotals } from './totals.ts';

/** Rows that are judged in one transaction: it blocks the event loop for some 10 ms (measured: 3 to 5 us a row). */
const rowsPerUnit = 2_000;

/**
 * How long a reading may be silent before others take it for dead. It speaks with every transaction, which are
 * milliseconds apart; the longest pause is a wait that the service tells a look-up of the catalog, a quarter of an
 * hour at most, and a chunk of rows may need several.
 */
export const readingTtlMs = 4 * longThrottleMs;

/** The rows of a batch that is being read, on their way into the ledger. */
export interface RowStore {
  /** Stores rows as they were checked by themselves, all of them in one transaction. */
  add(rows: readonly PackedRows[]): Promise<void>;
  /** Once all are stored: brings them up to the verdict on the whole file, and to what earlier batches have to say. */
  finish(file: CheckedFile): Promise<FileTotals>;
}

/**
 * Rows are stored while their file is still being read, so that the two go on beside each other: the verdict of most
 * rows is the one that they have by themselves. What only the whole file can tell is written afterwards, to the rows
 * that it concerns. Nothing of it can be sent meanwhile: the batch is `received` until all is done.
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
        for (const row of judged) compared.add(row);
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

/** Fails where another process has ended the reading: its rows are gone, or going. */
export async function requireReading(unit: Unit, batchId: string, holder: string): Promise<void> {
  const reading = { batch_id: batchId, holder, expires_at: unit.at + readingTtlMs };
  if (await renewReading(unit.tx, reading)) return;
  throw new AirbatchError('FENCED', `another process has ended the reading of batch ${batchId}`, {
    hint: 'This one was silent for too long. Run the file again: nothing was sent.',
  });
}

function newRow(
  batchId: string,
  { problems, has_reference: _, before: __, generation: ___, known_until: ____, ...row }: JudgedRow,
): NewRow {
  return { batch_id: batchId, ...row, problems: problems.length === 0 ? null : JSON.stringify(problems) };
}
