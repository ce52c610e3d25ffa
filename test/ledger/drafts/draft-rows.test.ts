import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemGroup, rowsOfGroup } from '../../../src/ledger/drafts/draft-problems.ts';
import {
  countDraftRows,
  type DraftRowFilter,
  insertDraftRows,
  joinCells,
  pageDraftRows,
  splitCells,
} from '../../../src/ledger/drafts/draft-rows.ts';
import { memoryLedger, sqliteLedger } from '../../support/ledger.ts';
import { planned } from '../../support/planned.ts';

test('cells come back unchanged, whatever they contain', () => {
  for (const cells of [
    [''],
    ['a', '', 'b'],
    ['tab\there', 'two\r\nlines'],
    ['\\t', '\\', '\\\\n\t'],
    ['"quoted"', "'"],
  ])
    assert.deepEqual(splitCells(joinCells(cells)), cells);
});

test('a filter by state or problem reads the rows that match it, and no others', async (t) => {
  const db = await sqliteLedger();
  t.after(() => db.close());
  const { view, plans } = planned(db);
  const all: DraftRowFilter = { state: null, code: null, columnNo: null, text: null };
  const planOf = async (work: Promise<unknown>) => {
    await work;
    return plans.splice(0).filter((step) => step.includes('draft_rows'));
  };
  const place = { after: 0, to: null, skip: 200, limit: 100 };
  const byState = [/^SEARCH draft_rows USING (COVERING )?INDEX draft_rows_by_state \(draft_id=\? AND state=\?/];
  const byNumber = [/^SEARCH draft_rows USING (COVERING )?INDEX \w+ \(draft_id=\? AND row_no=\?\)/];
  const group = { code: 'PHONE_NEEDS_COUNTRY', column_no: 1 } satisfies Pick<ProblemGroup, 'code' | 'column_no'>;
  for (const [work, steps] of [
    [pageDraftRows(view, 'd', { ...all, state: 'invalid' }, place), byState],
    [countDraftRows(view, 'd', { ...all, state: 'invalid' }, place), byState],
    [pageDraftRows(view, 'd', { ...all, code: group.code, columnNo: 1 }, place), byNumber],
    [countDraftRows(view, 'd', { ...all, code: group.code }, place), byNumber],
    [rowsOfGroup(view, 'd', group, { after: 0, limit: 100 }), byNumber],
  ] as const) {
    const plan = await planOf(work);
    assert.equal(plan.length, steps.length, plan.join('\n'));
    for (const [index, step] of steps.entries()) assert.match(plan[index] ?? '', step);
  }
});

test('a text is found as it is written, and A to Z in any case', async (t) => {
  const db = await memoryLedger();
  t.after(() => db.close());
  const cells = ['JOSÉ MWANGI', 'José Mwangi', '50%_a\\b'];
  await db.transact((tx) =>
    insertDraftRows(
      tx,
      cells.map((cell, index) => ({
        ...{ draft_id: 'd', row_no: index + 1, line: index + 2, state: 'ready' as const },
        cells: joinCells([cell]),
      })),
    ),
  );
  const rowsWith = async (text: string) => {
    const filter = { state: null, code: null, columnNo: null, text };
    const found = await pageDraftRows(db, 'd', filter, { after: 0, to: null, skip: 0, limit: 10 });
    return found.map(({ row_no }) => row_no);
  };
  assert.deepEqual(await rowsWith('JOSÉ'), [1]);
  assert.deepEqual(await rowsWith('josé'), [2]);
  assert.deepEqual(await rowsWith('mwangi'), [1, 2]);
  assert.deepEqual(await rowsWith('MWANGI'), [1, 2]);
  for (const text of ['0%', '%_A', 'a\\B']) assert.deepEqual(await rowsWith(text), [3], text);
  assert.deepEqual(await rowsWith('5_%'), []);
});
