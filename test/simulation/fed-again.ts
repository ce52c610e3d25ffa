import { approve } from '../../src/engine/batches/batch-commands.ts';
import { findDuplicateJudge, type JudgedRow } from '../../src/intake/history/duplicates.ts';
import { findBatch, listBatches } from '../../src/ledger/batches/batches.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { type NewRow, pageRows, type RowRecord } from '../../src/ledger/rows/rows.ts';
import { aBatch, aRow, unplanned } from '../support/ledger.ts';
import type { Plan } from './plan.ts';
import type { SimulatedProcess } from './process.ts';
import { receiveBatch } from './received.ts';
import { asNamed } from './row-refs.ts';
import { alone, type GivenFile, note, type World } from './world.ts';

/**
 * What an operator does who runs the whole file once more under its run id, with those rows corrected that have failed
 * by now, and, where the file has no references, the amount of every third row as well, whatever became of it; or who
 * pays again only what has failed, with new references or under another run id. In the middle of everything, or when
 * all is at rest. Intake's own verdict says what becomes of each row.
 */
export async function feedAgain(world: World, process: SimulatedProcess, db: Database, life: number): Promise<void> {
  const { fedAgainAtLife } = world.plan;
  const actor = { db, clock: process.clock, person: 'operator', through: 'cli' as const };
  // A death between taking the file in and its approval leaves it to be approved.
  for (const { batch_id, status } of await listBatches(db, 10)) {
    if (status === 'validated') await approve(actor, batch_id, unplanned);
  }
  if (fedAgainAtLife === null || world.fedAgain || !(world.feedNext || life >= fedAgainAtLife)) return;
  await alone(world, 'givenBy', process, () => feedFirstAgain(world, process, db, life));
}

async function feedFirstAgain(world: World, process: SimulatedProcess, db: Database, life: number): Promise<void> {
  const first = await findBatch(db, 'batch-1');
  if (!first) {
    // Lost by a restore: whether it comes again is decided there.
    world.fedAgain = world.restoredAt !== null;
    return;
  }
  const batchId = `batch-${(await listBatches(db, 100)).length + 1}`;
  const before = await pageRows(db, first.batch_id, 0, 1_000);
  const { fedAgainAs } = world.plan;
  const rows = (fedAgainAs === 'whole_file' ? correctedRows : failedRows)(world.plan, before);
  if (rows.length === 0) {
    // Nothing has failed yet: there is no such file before all is at rest.
    world.fedAgain = world.feedNext;
    return;
  }
  const runId = fedAgainAs === 'failed_under_another_run' ? 'run-4' : first.run_id;
  await importFile(world, process, db, { batchId, runId, rows });
  world.fedAgain = true;
  note(world, fedAgainAs === 'whole_file' ? 'fed_again' : fedAgainAs, `in life ${life}`);
}

function correctedRows(plan: Plan, before: readonly RowRecord[]): NewRow[] {
  return before.map((row) => {
    // A good number instead of the declined one; every other row is corrected in its amount as well.
    const corrected = row.row_no % 2 === 0 ? { phone_number: `+25471239${row.row_no + 1_000}`, amount: '55' } : {};
    const amount = plan.unnamed && row.row_no % 3 === 0 ? { amount: String(150 + row.row_no) } : {};
    const cells = { ...fileCells(row), ...amount, ...(row.status === 'failed' ? corrected : {}) };
    return asNamed(plan, aRow(row.row_no, cells));
  });
}

/**
 * What has failed as far as the ledger knows, whether or not it knows by now that the payment has arrived after all.
 */
function failedRows(plan: Plan, before: readonly RowRecord[]): NewRow[] {
  const failed = before.filter(({ status }) => status === 'failed');
  return failed.map((row, index) => {
    const isRenamed = plan.fedAgainAs === 'failed_with_new_references';
    const cells = { ...fileCells(row), ...(isRenamed ? { row_ref: `again-${row.row_ref}` } : {}) };
    return asNamed(plan, aRow(index + 1, cells));
  });
}

/** Takes a file in, with intake's own verdict on its rows, and approves it. */
export async function importFile(
  world: World,
  process: SimulatedProcess,
  db: Database,
  file: GivenFile,
): Promise<void> {
  const { batchId, runId } = file;
  const rows = file.rows.map((row) => ({ ...row, batch_id: batchId }));
  world.rowsByBatch.set(batchId, rows.length);
  world.files.push(file);
  const batch = aBatch({ batch_id: batchId, run_id: runId });
  await receiveBatch(db, process.clock, batch, rows, async (unit) => {
    const read = rows.map((row) => asRead(row, !world.plan.unnamed));
    const judge = await findDuplicateJudge(unit.tx, { ...batch, audit_seq: 0, audit_head: '' });
    const judged = judge === null ? read : await judge(unit.tx, read);
    for (const { has_reference: _, before: __, problems, generation = 1, known_until = null, ...row } of judged) {
      const verdict = { ...row, batch_id: batchId, problems: JSON.stringify(problems) };
      await unit.judgeRow('ready', verdict, { generation, known_until });
    }
  });
  await approve({ db, clock: process.clock, person: 'operator', through: 'cli' as const }, batchId, unplanned);
}

function fileCells({ row_ref, phone_number, network_id, amount, currency }: NewRow): Partial<NewRow> {
  return { row_ref, phone_number, network_id, amount, currency };
}

/** The row as reading the file makes it. */
function asRead({ batch_id: _, ...row }: NewRow, has_reference: boolean): JudgedRow {
  return { ...row, status: 'ready', problems: [], has_reference, before: null };
}
