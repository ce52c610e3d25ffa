import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noteDifference, noteSecond, rowPaidBy } from '../../../src/engine/payments/late-differences.ts';
import type { ServicePayment } from '../../../src/gateway/contract/gateway.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { insertPayments } from '../../../src/ledger/rows/payments.ts';
import { findRow, type RowRecord } from '../../../src/ledger/rows/rows.ts';
import { inUnit, type Unit } from '../../../src/ledger/unit-of-work.ts';
import { aBatch, addBatch, aPayment, aRow, memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

/** What the service says of row 1 a day later: by default the same as when it was completed. */
function aServicePayment(fields: Partial<ServicePayment> = {}): ServicePayment {
  return {
    topupId: 'own',
    serviceStatus: 'completed',
    state: 'completed',
    unknownStatus: false,
    reference: 'run-1/ref-1',
    phoneNumber: '+254712000001',
    amount: { value: '101', currency: 'KES' },
    cost: { value: '1', currency: 'USD' },
    productId: null,
    providerReference: null,
    failureCode: null,
    failureReason: null,
    createdAt: 1_000,
    completedAt: 2_000,
    full: true,
    ...fields,
  };
}

/** Row 1, completed at a cost of 1 USD, and what looking at it once more leaves in the ledger. */
async function lookAgain<Result>(
  look: (unit: Unit, row: RowRecord) => Promise<Result>,
  fields: Partial<RowRecord> = {},
) {
  const clock = makeVirtualClock();
  const db = await memoryLedger();
  await addBatch(db, clock, aBatch(), [aRow(1)]);
  const row = { ...((await findRow(db, 'batch-1', 1)) as RowRecord) };
  Object.assign(row, { status: 'completed', topup_id: 'own', cost: '1', cost_currency: 'USD' }, fields);
  const result = await inUnit(db, { clock, actor: 'engine' }, (unit) => look(unit, row));
  const [noted] = await pageEvents(db, 'batch-1', 1, 10);
  return { result, noted: noted && { ...noted, body: JSON.parse(noted.body) }, row: await findRow(db, 'batch-1', 1) };
}

describe('a second payment of a row', () => {
  for (const [serviceStatus, state, isNoted] of [
    ['completed', 'completed', true],
    ['pending', 'open', true],
    ['TIMEOUT', 'failed', true],
    ['failed', 'failed', false],
  ] as const)
    test(`is ${isNoted ? '' : 'not '}recorded if the service reports it as ${serviceStatus}`, async () => {
      const second = aServicePayment({ topupId: 'second', serviceStatus, state });
      const { result, noted } = await lookAgain((unit, row) => noteSecond(unit, row, second));
      assert.equal(result !== null, isNoted);
      assert.deepEqual(noted && [noted.kind, noted.row_no], isNoted ? ['row.contradicted', 1] : undefined);
    });
});

describe('a row that is read again', () => {
  for (const [value, currency, isNoted] of [
    ['1.00', 'USD', false],
    ['1.01', 'USD', true],
    ['1', 'EUR', true],
  ] as const)
    test(`${isNoted ? 'has changed' : 'is unchanged'} if it cost 1 USD, and now ${value} ${currency}`, async () => {
      const payment = aServicePayment({ cost: { value, currency } });
      const { noted } = await lookAgain((unit, row) => noteDifference(unit, row, payment));
      assert.deepEqual(
        noted && [noted.kind, noted.body.cost, noted.body.cost_currency],
        isNoted ? ['row.changed_late', value, currency] : undefined,
      );
    });

  test('without a cost gets a late charge of the time at which it was completed, once the service says the cost', async () => {
    const payment = aServicePayment({ cost: { value: '1', currency: 'USD' }, completedAt: 5 });
    const { result, noted } = await lookAgain((unit, row) => noteDifference(unit, row, payment), { cost: null });
    assert.equal(result, null);
    const charge = { topup_id: 'own', cost: '1', cost_currency: 'USD', charged_at: 5 };
    assert.deepEqual(noted && [noted.kind, noted.body], ['row.late_charge', charge]);
  });

  test('keeps its recorded refund', async () => {
    const payment = aServicePayment({ cost: { value: '0', currency: 'USD' } });
    const { noted, row } = await lookAgain((unit, row) => noteDifference(unit, row, payment), { refunded_at: 7 });
    assert.equal(noted?.kind, 'row.changed_late');
    assert.equal(row?.refunded_at, null, 'nothing is written over it');
  });
});

test('a payment belongs to the end of a row if its batch and generation match', async () => {
  const identity = { account: 'main', runId: 'run-1', rowRef: 'ref-1', generation: 1 };
  for (const [batchId, generation, isOwn] of [
    // The row was refused, so that any payment of this generation is its own.
    ['batch-1', 1, true],
    ['batch-1', 2, false],
    ['batch-2', 1, undefined],
  ] as const) {
    const { result } = await lookAgain(async (unit) => {
      await insertPayments(unit.tx, [aPayment(identity)]);
      await unit.tx.execute('UPDATE rows SET generation = ?', [generation]);
      return rowPaidBy(unit, 'main', batchId, aServicePayment());
    });
    assert.equal(result?.isOwn, isOwn);
  }
});
