import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contentRowRef } from '../../../src/core/identity/ids.ts';
import type { OtherPayment } from '../../../src/core/repeats/known-payments.ts';
import { type AskingRow, repeatProblem } from '../../../src/core/repeats/repeated-payment.ts';
import { dayMs } from '../../../src/core/time/clock.ts';

const terms = { phone_number: '+254712000001', network_id: 1, amount: '100', currency: 'KES', product_id: null };

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
    contradicted: null,
    contradicted_at: null,
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
