import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planLines } from '../../../src/cli/text/plan-lines.ts';
import type { PauseReason } from '../../../src/core/state/batch-state.ts';
import { preflight } from '../../../src/engine/plan/preflight.ts';
import type { BalanceOutcome } from '../../../src/gateway/contract/gateway.ts';
import type { BatchRecord, Priority } from '../../../src/ledger/batches/batches.ts';
import { planJson } from '../../../src/operations/base/plan.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { aBatch, addBatch, idlePace, setPause } from '../../support/ledger.ts';

const minuteMs = 60_000;
const rate = {
  limit: 60,
  windowMs: minuteMs,
  sendsTexts: true,
  sameNumberSpacingMs: 0,
  priceOf: async () => null,
  networkName: async () => '',
};
const evidence = { httpStatus: null, code: 'x', message: 'x', requestId: null };
const noBalance = { kind: 'unavailable', evidence } as const;

test('the time of a plan includes rows that are sent before its own or take turns with them', async () => {
  const { db, clock } = await makeRig();
  const add = async (name: string, priority: Priority, rows: number, fields: Partial<BatchRecord> = {}) => {
    const batch = aBatch({ batch_id: name, run_id: name, priority, ...fields });
    const own = someRows(rows).map((row) => ({ ...row, batch_id: name }));
    await addBatch(db, clock, batch, own);
    return { ...batch, audit_seq: 0, audit_head: '' };
  };
  const ahead = { pace: idlePace, now: clock.now() };
  const planned = async (batch: BatchRecord) => {
    const { rowsBefore, estimateMs } = await preflight(db, batch, noBalance, { ...rate, ...ahead });
    return [rowsBefore, estimateMs / minuteMs];
  };
  const first = await add('first', 'normal', 61);
  assert.deepEqual(await planned(first), [0, 1]);
  await add('urgent', 'urgent', 100, { status: 'running' });
  await add('like', 'normal', 50, { status: 'approved' });
  await add('bulk', 'bulk', 300, { status: 'running' });
  await add('paused', 'urgent', 300, { status: 'paused' });
  await add('elsewhere', 'urgent', 300, { status: 'running', account: 'other' });
  assert.deepEqual(await planned(await add('small', 'normal', 10)), [110, 1]);
  assert.deepEqual(await planned(await add('last', 'bulk', 400)), [450, 14]);
  assert.deepEqual(await planned(await add('now', 'urgent', 10)), [10, 0]);
});

test('the time of a plan includes the spacing of rows to one number, if that takes longest', async () => {
  const { db, clock } = await makeRig();
  const own = someRows(100).map((row) => (row.row_no <= 5 ? { ...row, phone_number: '+254712999999' } : row));
  const now = clock.now();
  const batch = { ...aBatch({ finish_by: now + 10 * minuteMs }), audit_seq: 0, audit_head: '' };
  await addBatch(db, clock, batch, own);
  const planned = async (sameNumberSpacingMs: number) => {
    const plan = await preflight(db, batch, noBalance, { ...rate, sameNumberSpacingMs, pace: idlePace, now });
    const [, time] = /^Time {7}(.*)$/m.exec(planLines(planJson(plan), batch)) ?? [];
    return [time, plan.estimateMs, (plan.finish.doneAt ?? 0) - now];
  };
  assert.deepEqual(await planned(65_000), [
    'about 4 min 20 s: 5 rows go to one number, 1 min 5 s apart',
    260_000,
    260_000 + 30_000,
  ]);
  const [time, estimateMs] = await planned(0);
  assert.deepEqual([time, estimateMs], ['about 1 min at the rate the service allows', minuteMs]);
  assert.deepEqual((await planned(10_000)).slice(0, 2), [time, estimateMs]);
});

describe('a plan for a batch with a deadline says when it is done', () => {
  /**
   * An account that sends a row a second, with batches as "name priority rows by minutes", and what the last of them
   * is shown to do.
   */
  const plan = async (
    batches: [string, Priority, number, number | null][],
    pause: PauseReason | null = null,
    isReached = true,
  ) => {
    const { db, clock } = await makeRig();
    const now = clock.now();
    let last: BatchRecord | null = null;
    for (const [index, [name, priority, rows, by]] of batches.entries()) {
      const isLast = index === batches.length - 1;
      const batch = aBatch({
        batch_id: name,
        run_id: name,
        priority,
        finish_by: by === null ? null : now + by * minuteMs,
        ...(isLast ? {} : { status: 'running' }),
      });
      const own = someRows(rows).map((row) => ({ ...row, batch_id: name }));
      await addBatch(db, clock, batch, own);
      if (pause !== null && !isLast) await setPause(db, pause, { batchId: name });
      last = { ...batch, audit_seq: 0, audit_head: '' };
    }
    assert.ok(last);
    const outlook = { ...idlePace.outlook, left: 0, evenly: true, nextAt: now, until: now };
    const pace = { ...idlePace, outlook, gate: { throttle: null, unreachableSince: isReached ? null : now } };
    const shown = await preflight(db, last, noBalance, { ...rate, pace, now });
    const text = planLines(planJson(shown), last);
    return { finish: shown.finish, json: planJson(shown), now, text };
  };

  test('and that it will be in time, which delays nobody', async () => {
    const { json, now, text } = await plan([['payroll', 'normal', 600, 30]]);
    assert.deepEqual([json.in_time, json.makes_late], [true, []]);
    assert.equal(Date.parse(String(json.done_at)), now + 10 * minuteMs - 1_000 + 30_000);
    assert.match(
      text,
      /^Done {7}about 2026-11-20 09:10 UTC, 20 min early \(due 2026-11-20 09:30 UTC\), if it begins now$/m,
    );
    assert.doesNotMatch(text, /^Late|^Delays/m);
  });

  test('and what a person can do if it will be late behind others', async () => {
    const batches: Parameters<typeof plan>[0] = [
      ['big', 'normal', 1_200, 15],
      ['payroll', 'normal', 600, 20],
    ];
    const { json, text } = await plan(batches);
    assert.equal(json.in_time, false);
    assert.match(
      text,
      /^Done {7}about 2026-11-20 09:30 UTC, 10 min late \(due 2026-11-20 09:20 UTC\), if it begins now$/m,
    );
    assert.match(
      text,
      /^Late {7}"airbatch reorder payroll --priority urgent" sends it before the others.*in time; .*--finish-by TIME" gives it another deadline$/m,
    );
  });

  test('and that others would have to be delayed if urgency does not help', async () => {
    const { text } = await plan([
      ['big', 'urgent', 1_200, null],
      ['payroll', 'normal', 600, 20],
    ]);
    assert.match(text, /^Late {7}it would finish in time without the other batches: "airbatch pause" or/m);
  });

  test('and that only another deadline helps if the rate is too low for it alone', async () => {
    const { json, text } = await plan([['payroll', 'normal', 6_000, 20]]);
    assert.equal(json.in_time, false);
    assert.match(text, /^Done .*1 h 20 min late/m);
    assert.match(text, /^Late {7}it would be late even without other batches/m);
  });

  test('with the boosts on the way, though a large batch is before it', async () => {
    const { json } = await plan([
      ['big', 'normal', 6_000, null],
      ['promo', 'bulk', 300, 60],
    ]);
    assert.equal(json.in_time, true);
  });

  test('and names the batches that it makes late, with or without a deadline of its own', async () => {
    const { json, text } = await plan([
      ['payroll', 'normal', 600, 12],
      ['already late', 'bulk', 600, 5],
      ['flood', 'urgent', 600, null],
    ]);
    assert.deepEqual(
      json.makes_late.map(({ batch_id }) => batch_id),
      ['payroll'],
    );
    assert.match(
      text,
      /^Delays {5}batch payroll, which would finish in time without this one: done about .*, 8 min late \(.*09:12 UTC\)$/m,
    );
    assert.doesNotMatch(text, /^Done/m);
  });

  test('and says that the time is unknown if the account is paused', async () => {
    const batches: Parameters<typeof plan>[0] = [
      ['first', 'normal', 5, null],
      ['payroll', 'normal', 5, 20],
    ];
    const { json, text } = await plan(batches, 'insufficient_balance');
    assert.deepEqual([json.done_at, json.in_time, json.done_unknown], [null, null, 'insufficient_balance']);
    assert.match(
      text,
      /^Done {7}it should finish by 2026-11-20 09:20 UTC; when it will finish is not known: .*balance too low/m,
    );
    const byPerson = await plan(batches, 'by_person');
    assert.equal(byPerson.json.in_time, true, 'that batch alone is paused');
  });

  test('and says that the time is unknown while the service cannot be reached', async () => {
    const { json, text } = await plan([['payroll', 'normal', 5, 20]], null, false);
    assert.deepEqual([json.done_at, json.in_time, json.done_unknown], [null, null, 'unreachable']);
    assert.match(
      text,
      /when it will finish is not known: the service cannot be reached, or does not answer properly$/m,
    );
  });
});

test('a plan includes what other batches still need of the same wallet, and says so', async () => {
  const { db, clock } = await makeRig();
  const usd = (name: string, rows: number) =>
    someRows(rows).map((row) => ({ ...row, batch_id: name, amount: '100', currency: 'USD' }));
  const add = async (name: string, rows: number, fields: Partial<BatchRecord> = {}) => {
    const batch = aBatch({ batch_id: name, run_id: name, ...fields });
    await addBatch(db, clock, batch, usd(name, rows));
    return { ...batch, audit_seq: 0, audit_head: '' };
  };
  const wallet = { walletId: 'w', name: 'w', currency: 'USD', balance: '500', active: true };
  const balance: BalanceOutcome = { kind: 'balance', balance: { total: null, wallets: [wallet], readAt: 0 } };
  const planned = async (batch: BatchRecord) => {
    const plan = await preflight(db, batch, balance, { ...rate, pace: idlePace, now: clock.now() });
    return { short: plan.short, text: planLines(planJson(plan), batch) };
  };
  const own = await add('own', 3);
  assert.deepEqual((await planned(own)).short, []);
  await add('running', 2, { status: 'running' });
  await add('elsewhere', 9, { status: 'running', account: 'other' });
  await add('unapproved', 9, { status: 'awaiting_approval' });
  await add('moved', 9, { status: 'running', service: 'https://other.example' });
  assert.deepEqual((await planned(own)).short, [], 'it is just enough for both');
  await add('paused', 1, { status: 'paused' });
  const { short, text } = await planned(own);
  assert.deepEqual(short, [{ currency: 'USD', missing: '100', others: '300' }]);
  assert.match(text, /^Short of {3}USD 100\.00 \(other batches of the account still need USD 300\.00\): the batch/m);
});
