import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RowEvent } from '../../../src/core/state/row-state.ts';
import { nextGeneration } from '../../../src/engine/payments/next-generation.ts';
import { type BatchRecord, findBatch } from '../../../src/ledger/batches/batches.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { findRow, type RowRecord } from '../../../src/ledger/rows/rows.ts';
import type { RowFields } from '../../../src/ledger/rows/update-row.ts';
import { inUnit, type Unit } from '../../../src/ledger/unit-of-work.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import { folderOf } from '../../support/folder.ts';
import { newBatch, newRow, startMs, testClock, testLedger, writeBatch } from '../fixture.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

type Leaving = 'row.escalate' | 'row.review';
type Happening = [afterMs: number, what: RowEvent | 'batch complete' | 'batch reopen' | Leaving, rowNo?: number];

/**
 * A batch of three rows of which this happens, each so long after its start; it is completed at the end if it says so.
 */
async function batchOf(t: TestContext, happenings: readonly Happening[]): Promise<Database> {
  const db = await testLedger(t);
  const rows = [1, 2, 3].map((rowNo) => ({ row: newRow('B-1', rowNo) }));
  await writeBatch(db, newBatch('B-1'), rows, null);
  const clock = testClock();
  for (const [afterMs, what, rowNo = 0] of happenings) {
    clock.set(startMs + afterMs);
    await inUnit(db, { clock, actor: 'engine' }, (unit) => happen(unit, what, rowNo));
  }
  return db;
}

async function happen(unit: Unit, what: Happening[1], rowNo: number): Promise<void> {
  if (what === 'row.escalate' || what === 'row.review') return unit.append('B-1', what, {}, rowNo);
  if (what === 'batch complete' || what === 'batch reopen') {
    const batch = (await findBatch(unit.tx, 'B-1')) as BatchRecord;
    const [, event] = what.split(' ') as [string, 'complete' | 'reopen'];
    await unit.changeBatch(batch, event, { completed_at: event === 'complete' ? unit.at : null }, {});
    return;
  }
  const fields: RowFields = what === 'retry' ? nextGeneration({ generation: 1 }, null) : {};
  await unit.changeRow((await findRow(unit.tx, 'B-1', rowNo)) as RowRecord, what, fields, {});
}

const paid = (fromMs: number, rowNo: number, lastsMs = second): Happening[] => [
  [fromMs, 'send', rowNo],
  [fromMs + 200, 'accept', rowNo],
  [fromMs + lastsMs, 'complete', rowNo],
];

const failedAndRetried: Happening[] = [
  ...paid(0, 1),
  ...paid(second, 2),
  [2 * second, 'send', 3],
  [3 * second, 'fail', 3],
  [3 * second, 'batch complete'],
  [15 * hour, 'retry', 3],
  [15 * hour, 'batch reopen'],
  ...paid(15 * hour + second, 3, 4 * second),
  [15 * hour + 5 * second, 'batch complete'],
];

for (const [what, happenings, expected] of [
  ['the hours between a run and its retry do not count', failedAndRetried, 7 * second],
  [
    'nor does a night in which money was missing',
    [...paid(0, 1), ...paid(10 * hour, 2), ...paid(10 * hour + second, 3), [10 * hour + second * 2, 'batch complete']],
    3 * second,
  ],
  [
    'nor the days that a row waits for a person to decide',
    [
      ...paid(0, 1),
      ...paid(second, 2),
      [2 * second, 'send', 3],
      [3 * second, 'doubt', 3],
      [hour, 'row.escalate', 3],
      [50 * hour, 'complete', 3],
      [50 * hour, 'batch complete'],
    ],
    hour,
  ],
  [
    'which earlier versions called a review',
    [
      ...paid(0, 1),
      [2 * second, 'send', 3],
      [hour, 'row.review', 3],
      [50 * hour, 'complete', 3],
      [50 * hour, 'batch complete'],
    ],
    hour,
  ],
  [
    "waiting for the service's limit counts",
    [...paid(0, 1), ...paid(minute, 2), ...paid(2 * minute, 3), [2 * minute + second, 'batch complete']],
    2 * minute + second,
  ],
  [
    'a payment that the service takes long for counts as a whole',
    [...paid(0, 1), ...paid(second, 2), ...paid(2 * second, 3, 3 * hour), [3 * hour + 2 * second, 'batch complete']],
    3 * hour + 2 * second,
  ],
  [
    'payments under way at the same time count once, and a clock that was set back takes nothing off',
    [
      [0, 'send', 1],
      [0, 'send', 2],
      [0, 'send', 3],
      [2 * second, 'complete', 1],
      [second, 'complete', 2],
      [3 * second, 'complete', 3],
      [3 * second, 'batch complete'],
    ],
    3 * second,
  ],
] as [string, Happening[], number][])
  test(`time sending and following: ${what}`, async (t) => {
    const db = await batchOf(t, happenings);
    assert.equal((await batchSummary(db, 'B-1')).times.active_ms, expected);
  });

test('a batch that is not completed, or was reopened, has no such time yet', async (t) => {
  const db = await batchOf(t, failedAndRetried.slice(0, -1));
  assert.equal((await batchSummary(db, 'B-1')).times.active_ms, null);
});

test('report.html shows the time without the hours before a retry', async (t) => {
  const { dir } = await writeReports(await batchOf(t, failedAndRetried), 'B-1', folderOf(t));
  assert.match(readFileSync(join(dir, 'report.html'), 'utf8'), /<b>7 s<\/b><span>sending and following</);
});
