import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { z } from 'zod';
import { defaultEngineSettings } from '../../../src/engine/runner/settings.ts';
import { insertUser } from '../../../src/ledger/access/users.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { performIn, type RoleOperation } from '../../../src/operations/base/operation.ts';
import { assignRows } from '../../../src/operations/rows/assign-rows.ts';
import { listDoubts } from '../../../src/operations/rows/list-doubts.ts';
import { listRows } from '../../../src/operations/rows/list-rows.ts';
import { lookUpRows } from '../../../src/operations/rows/look-up-rows.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { aRow, testService } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const door = { nameOf: (field: string) => field };

/** Two batches, each with rows in doubt that the service's list hides: rows 1 and 2 of the first, row 7 of the other. */
async function desk(_t: TestContext) {
  const rig = await makeRig();
  const lose = (reference: string) => {
    rig.service.script(reference, 'lose_answer', 'error_500', 'error_500', 'error_500');
    rig.service.hidden.add(reference);
  };
  for (const reference of ['run-1/ref-1', 'run-1/ref-2', 'run-2/ref-7']) lose(reference);
  await rig.add(someRows(3));
  await rig.run();
  await rig.add([aRow(7)], { batch_id: 'batch-2', run_id: 'run-2', account: 'main' });
  await rig.run();
  assert.deepEqual(
    [await rig.states(), await rig.states('batch-2')],
    [['in_doubt', 'in_doubt', 'completed'], ['in_doubt']],
  );
  const config = { people: { resolve: ['rita'] } };
  const limiter = makeOpenLimiter(rig.clock, { paceMs: 0 });
  const account = {
    name: 'main',
    service: testService,
    gateway: rig.service,
    limiter,
    settings: defaultEngineSettings,
  };
  const sessionOf = (person: string, more: object = {}) =>
    ({ ...{ db: rig.db, clock: rig.clock, config, person, through: 'cli' }, ...more }) as unknown as Session;
  const as =
    (session: Session) =>
    <Input extends z.ZodType, Result extends z.ZodType>(
      operation: RoleOperation<Input, Result>,
      input: z.input<Input>,
    ) =>
      rig.clock.drive(
        performIn(session, operation, { ...door, withAccount: (_name, work) => work(account as never) }, input),
      );
  return { rig, sessionOf, as, mary: as(sessionOf('mary')) };
}

describe('list-doubts', () => {
  test('shows every row in doubt with its evidence, the oldest first, and the sum', async (t) => {
    const { mary } = await desk(t);
    const { count, sums, oldest, doubts, next } = await mary(listDoubts, {});
    assert.deepEqual([count, sums, next], [3, { KES: '310' }, null]);
    assert.deepEqual(
      doubts.map(({ batch_id, row }) => `${batch_id}/${row}`),
      ['batch-1/1', 'batch-1/2', 'batch-2/7'],
    );
    const [first] = doubts;
    assert.deepEqual([first?.since, first?.attempts, first?.next, first?.owner], [oldest, 4, null, null]);
    assert.deepEqual(first?.last_answer?.http_status, 500);
    assert.equal(first?.last_look_up, null);
    assert.match(first?.why ?? '', /A person must decide/);
    assert.deepEqual(first?.why_reason, { code: 'DOUBT_SAME_ERROR', values: { http_status: '500', times: '3' } });
    const listed = await mary(listRows, { batch_id: 'batch-1', status: ['in_doubt', 'completed'] });
    assert.deepEqual(
      listed.rows.map(({ waiting_reason: one }) => one?.code ?? null),
      ['DOUBT_SAME_ERROR', 'DOUBT_SAME_ERROR', null],
    );
    assert.doesNotMatch(JSON.stringify(doubts), /254[0-9]{9}/);
  });

  test('pages, and shows only one batch, one owner or what nobody owns', async (t) => {
    const { mary } = await desk(t);
    await mary(assignRows, { batch_id: 'batch-1', rows: [2], owner: 'rita' });
    const rowsOf = async (input: object) =>
      (await mary(listDoubts, input)).doubts.map(({ batch_id, row }) => `${batch_id}/${row}`);
    assert.deepEqual(await rowsOf({ batch_id: 'batch-2' }), ['batch-2/7']);
    assert.deepEqual(await rowsOf({ owner: 'rita' }), ['batch-1/2']);
    assert.deepEqual(await rowsOf({ owner: '' }), ['batch-1/1', 'batch-2/7']);
    const first = await mary(listDoubts, { limit: 2 });
    assert.deepEqual([first.doubts.length, first.count], [2, 3]);
    assert.deepEqual(await rowsOf({ after: first.next }), ['batch-2/7']);
  });

  test('shows a caller only the accounts that the caller may see', async (t) => {
    const { as, sessionOf } = await desk(t);
    const grant = { roles: ['audit', 'operate'], accounts: ['other'] };
    const foreign = as(sessionOf('otto', { grant }));
    const { count, sums, doubts, oldest } = await foreign(listDoubts, {});
    assert.deepEqual([count, sums, doubts, oldest], [0, {}, [], null]);
    await assert.rejects(foreign(assignRows, { batch_id: 'batch-1', rows: [1], owner: 'otto' }), {
      code: 'BATCH_UNKNOWN',
    });
  });
});

describe('assign-rows', () => {
  test('keeps the owner, and who made it, in the chain', async (t) => {
    const { rig, mary } = await desk(t);
    assert.deepEqual(await mary(assignRows, { batch_id: 'batch-1', rows: [1, 2, 1], owner: 'mary' }), {
      ...{ batch_id: 'batch-1', owner: 'mary', assigned: 2 },
    });
    assert.equal((await mary(assignRows, { batch_id: 'batch-1', rows: [1, 2], owner: 'mary' })).assigned, 0);
    assert.equal((await mary(assignRows, { batch_id: 'batch-1', rows: [2], owner: null })).assigned, 1);
    const events = (await pageEvents(rig.db, 'batch-1', 0, 1_000)).filter(({ kind }) => kind === 'row.assign');
    assert.deepEqual(
      events.map(({ actor, row_no, body }) => [actor, row_no, JSON.parse(body).owner, JSON.parse(body).before]),
      [
        ['mary', 1, 'mary', null],
        ['mary', 2, 'mary', null],
        ['mary', 2, null, 'mary'],
      ],
    );
  });

  test('takes only people who may operate or resolve for the account', async (t) => {
    const { rig, mary } = await desk(t);
    const person = {
      email: null,
      password_hash: null,
      language: 'en',
      created_by: 'x',
      created_at: 1,
      disabled_at: null,
    };
    const people = [
      { name: 'amir', roles: ['operate'], accounts: [] },
      { name: 'beth', roles: ['audit'], accounts: [] },
      { name: 'cleo', roles: ['resolve'], accounts: ['other'] },
      { name: 'dawn', roles: ['resolve'], accounts: ['main'], disabled_at: 2 },
    ];
    for (const one of people)
      await rig.db.transact((tx) => insertUser(tx, { ...person, display_name: one.name, ...one }));
    assert.deepEqual((await mary(listDoubts, {})).people, ['amir', 'mary', 'rita']);
    for (const owner of ['beth', 'cleo', 'dawn', 'nobody'])
      await assert.rejects(mary(assignRows, { batch_id: 'batch-1', rows: [1], owner }), { code: 'USAGE' }, owner);
  });

  test('assigns none where one of the rows is not in doubt', async (t) => {
    const { mary } = await desk(t);
    await assert.rejects(mary(assignRows, { batch_id: 'batch-1', rows: [1, 3], owner: 'mary' }), {
      code: 'BATCH_STATE',
    });
    assert.equal((await mary(listDoubts, { owner: 'mary' })).count, 0);
  });
});

describe('look-up-rows', () => {
  test('looks up all rows in doubt of a batch, and shows who asked', async (t) => {
    const { rig, mary } = await desk(t);
    rig.service.hidden.delete('run-1/ref-2');
    const { rows, next } = await mary(lookUpRows, { batch_id: 'batch-1' });
    assert.deepEqual(
      rows.map(({ row, outcome, status }) => [row, outcome, status]),
      [
        [1, 'not_found', 'in_doubt'],
        [2, 'adopted', 'completed'],
      ],
    );
    assert.equal(next, null);
    const { doubts } = await mary(listDoubts, { batch_id: 'batch-1' });
    assert.deepEqual(
      doubts.map(({ row, last_look_up }) => [row, last_look_up?.by, last_look_up?.outcome]),
      [[1, 'mary', 'not_found']],
    );
  });

  test('asks nothing where no row is in doubt', async (t) => {
    const { rig, mary } = await desk(t);
    const before = rig.service.lookUps.length;
    assert.deepEqual(await mary(lookUpRows, { batch_id: 'batch-1', after: 2 }), {
      ...{ batch_id: 'batch-1', rows: [], next: null },
    });
    assert.equal(rig.service.lookUps.length, before);
  });
});
