import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dayMs } from '../../src/core/clock.ts';
import {
  type AskingRow,
  bearsEarlierPayment,
  earlierVerdict,
  goesOn,
  type KeyOwner,
  type OtherPayment,
  repeatProblem,
  samePayment,
} from '../../src/core/earlier-payment.ts';
import { contentRowRef } from '../../src/core/ids.ts';
import type { RowState } from '../../src/core/row-state.ts';

const terms = { phone_number: '+254712000001', network_id: 1, amount: '100', currency: 'KES', product_id: null };
const owner = (fields: Partial<KeyOwner> = {}): KeyOwner => ({
  ...terms,
  batch_id: 'b',
  row_no: 1,
  status: 'completed',
  service_status: null,
  ...fields,
});

test('two rows ask for the same payment however their amounts are written, and for another one where anything differs', () => {
  assert.ok(samePayment(terms, { ...terms, amount: '100.00' }));
  const bundle = { ...terms, amount: null, currency: null, product_id: '7' };
  assert.ok(samePayment(bundle, { ...bundle }));
  for (const other of [
    { phone_number: '+254712000002' },
    { network_id: 2 },
    { amount: '100.01' },
    { amount: null },
    { currency: 'UGX' },
    { product_id: '7' },
  ]) {
    assert.equal(samePayment(terms, { ...terms, ...other }), false, JSON.stringify(other));
    assert.equal(samePayment({ ...terms, ...other }, terms), false, JSON.stringify(other));
  }
});

test('a row bears an earlier payment while it waits or was put aside, and the service has said something of that', () => {
  const bearing = (['held', 'skipped', 'ready', 'failed', 'completed', 'in_doubt'] satisfies RowState[]).map(
    (status) => [
      bearsEarlierPayment({ status, service_status: 'completed' }),
      bearsEarlierPayment({ status, service_status: null }),
    ],
  );
  const [yes, no] = [
    [true, false],
    [false, false],
  ];
  assert.deepEqual(bearing, [yes, yes, yes, no, no, no]);
});

test('a file that a person feeds in again goes on where its row has failed for sure, three times at most', () => {
  const failed = owner({ status: 'failed', service_status: 'FAILED' });
  assert.ok(goesOn(failed, { generation: 2, job: null }));
  assert.equal(goesOn(failed, { generation: 3, job: null }), false);
  assert.equal(goesOn(failed, { generation: 1, job: 'payroll' }), false);
  for (const status of ['completed', 'accepted', 'in_doubt', 'sending', 'ready'] satisfies RowState[])
    assert.equal(goesOn(owner({ status }), { generation: 1, job: null }), false, status);
  for (const service_status of ['TIMEOUT', 'UNDERLIVERED', 'CANCELED'])
    assert.equal(goesOn({ ...failed, service_status }, { generation: 1, job: null }), false, service_status);
});

test('and where its row was put aside before anything was paid, whoever brings the file; not where that bears a payment that may have arrived', () => {
  const aside = owner({ status: 'skipped' });
  for (const job of [null, 'payroll']) {
    assert.ok(goesOn(aside, { generation: 2, job }));
    assert.equal(goesOn(aside, { generation: 3, job }), false);
  }
  assert.equal(goesOn({ ...aside, service_status: 'completed' }, { generation: 1, job: null }), false);
});

describe('a row whose key an earlier batch has', () => {
  for (const [what, row, earlier, event, code] of [
    ['is skipped where that one was paid', terms, owner(), 'skip', 'ALREADY_PAID'],
    ['and where it is not known yet', terms, owner({ status: 'in_doubt' }), 'skip', 'ALREADY_PAID'],
    ['is held where it asks for something else', { ...terms, amount: '150' }, owner(), 'hold', 'REFERENCE_REUSED'],
    ['and where that one failed', terms, owner({ status: 'failed' }), 'hold', 'FAILED_BEFORE'],
    ['and where that one was put aside', terms, owner({ status: 'skipped' }), 'hold', 'FAILED_BEFORE'],
    [
      'is skipped where that one was put aside, and bears a payment that may have arrived',
      terms,
      owner({ status: 'skipped', service_status: 'completed' }),
      'skip',
      'ALREADY_PAID',
    ],
    [
      'and where it may have arrived, whatever it asks for now',
      { ...terms, amount: '150' },
      owner({ status: 'failed', service_status: 'TIMEOUT' }),
      'hold',
      'FAILED_BEFORE',
    ],
  ] satisfies [string, typeof terms, KeyOwner, string, string][]) {
    test(what, () => {
      const verdict = earlierVerdict(row, earlier, 1);
      assert.deepEqual([verdict.event, verdict.problem.code], [event, code]);
    });
  }
});

test('a row that has failed as often as it may be tried is told to be skipped, whatever it asks for now: a retry would refuse it', () => {
  const owners = [owner({ status: 'failed', service_status: 'FAILED' }), owner({ status: 'skipped' })];
  for (const [row, earlier] of [terms, { ...terms, amount: '150' }].flatMap((one) =>
    owners.map((of) => [one, of] as const),
  )) {
    const { event, problem } = earlierVerdict(row, earlier, 3);
    assert.deepEqual([event, problem.code], ['hold', 'FAILED_BEFORE']);
    assert.match(problem.message, /tried 3 times/);
    assert.match(problem.suggestion, /^Skip it here.*another reference/);
  }
});

describe('what others sent to the number of a row', () => {
  const asking: AskingRow = {
    ...terms,
    run_id: 'bonus',
    row_ref: 'R-1',
    told_until: null,
    days: 1,
    asOf: 1_000 + dayMs,
  };
  const other: OtherPayment = {
    ...terms,
    batch_id: 'b',
    run_id: 'salary',
    row_ref: 'R-9',
    row_no: 4,
    status: 'completed',
    service_status: 'completed',
    failure_code: null,
    first_sent_at: 1_000,
    told_until: null,
  };
  const notPaid = { ...other, status: 'failed', service_status: 'pending', failure_code: 'RESOLVED_NOT_PAID' } as const;
  const content = contentRowRef(['+254712000001'], 1);
  for (const [what, row, payments, standsInFile, expected] of [
    ['speaks against it from the first day that counts on', {}, [other], false, 'SENT_LATELY'],
    ['not a millisecond before', {}, [{ ...other, first_sent_at: 999 }], false, null],
    ['where the service once had it, and a person says that it was not paid', {}, [notPaid], false, 'SENT_LATELY'],
    ['not where the service never had that', {}, [{ ...notPaid, service_status: null }], false, null],
    ['nor where that failed for sure', {}, [{ ...other, status: 'failed', service_status: 'FAILED' }], false, null],
    [
      'but where it may have arrived',
      {},
      [{ ...other, status: 'failed', service_status: 'TIMEOUT' }],
      false,
      'SENT_LATELY',
    ],
    ['not where it was held for that one, and let go', { told_until: 1_000 }, [other], false, null],
    ['but where that came after what it was held for', { told_until: 999 }, [other], false, 'SENT_LATELY'],
    ['not where it is the row itself', { run_id: 'salary', row_ref: 'R-9' }, [other], false, null],
    ['nor where it was something else', {}, [{ ...other, amount: '50' }], false, null],
    ['in one run, where references tell them apart, only lately', { run_id: 'salary' }, [other], false, 'SENT_LATELY'],
    ['so not long ago', { run_id: 'salary' }, [{ ...other, first_sent_at: 0 }], false, null],
    [
      'but ever, where one has none',
      { run_id: 'salary', row_ref: content },
      [{ ...other, first_sent_at: 0 }],
      true,
      'SENT_LATELY',
    ],
    ['not in another run', { row_ref: content }, [{ ...other, first_sent_at: 0 }], false, null],
    ['nor is anything corrected there', { row_ref: content, amount: '50' }, [other], false, null],
    [
      'whichever that is',
      { run_id: 'salary' },
      [{ ...other, row_ref: content, first_sent_at: 0 }],
      true,
      'SENT_LATELY',
    ],
    [
      'and what it was else may be corrected',
      { run_id: 'salary', row_ref: content, amount: '50' },
      [other],
      false,
      'PAID_OTHERWISE',
    ],
    [
      'not where its row stands in the file too',
      { run_id: 'salary', row_ref: content, amount: '50' },
      [other],
      true,
      null,
    ],
    ['nor where references tell them apart', { run_id: 'salary', amount: '50' }, [other], false, null],
    [
      'nor where its batch has sent this row as well',
      { run_id: 'salary', row_ref: content, amount: '50' },
      [other, { ...other, row_ref: content, amount: '50' }],
      false,
      null,
    ],
    [
      'but where another batch has',
      { run_id: 'salary', row_ref: content, amount: '50' },
      [other, { ...other, batch_id: 'c', row_ref: content, amount: '50' }],
      false,
      'PAID_OTHERWISE',
    ],
  ] satisfies [string, Partial<AskingRow>, OtherPayment[], boolean, string | null][]) {
    test(`${what}: ${expected ?? 'nothing'}`, async () => {
      const found = await repeatProblem({ ...asking, ...row }, payments, async () => standsInFile);
      assert.equal(found?.problem.code ?? null, expected);
    });
  }
});
