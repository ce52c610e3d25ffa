import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PaymentIdentity } from '../../../src/core/identity/ids.ts';
import { findPayment, findPayments, insertPayments, updateAttempts } from '../../../src/ledger/rows/payments.ts';
import { aPayment, memoryLedger } from '../../support/ledger.ts';

const identity = (rowNo: number): PaymentIdentity => ({
  account: 'main',
  runId: 'run-1',
  rowRef: `ref-${rowNo}`,
  generation: 1,
});

describe('a payment', () => {
  test('keeps its key, body and owner, whatever its attempts result in, and whoever else wants to bind it', async () => {
    const db = await memoryLedger();
    const bound = aPayment(identity(1));
    assert.equal(await insertPayments(db, [bound]), 1);
    const attempts = {
      attempts: 12,
      open_attempts: 11,
      last_intent_at: 10,
      lookups: 9,
      aged_lookups: 8,
      resends: 7,
      same_errors: 6,
      last_evidence: '{}',
    };
    const others = { batch_id: 'batch-2', row_no: 2, body: '[]', body_digest: '', first_intent_at: 99 };
    await updateAttempts(db, { ...bound, ...attempts, ...others });
    assert.equal(await insertPayments(db, [{ ...bound, ...others }]), 0);
    assert.deepEqual({ ...(await findPayment(db, bound.idempotency_key)) }, { ...bound, ...attempts });
  });

  test('is found among any number of others', async () => {
    const db = await memoryLedger();
    const payments = Array.from({ length: 40 }, (_, index) => aPayment(identity(index), { row_no: index }));
    assert.equal(await insertPayments(db, payments), payments.length);
    const keys = payments.map(({ idempotency_key }) => idempotency_key);
    for (const asked of [[], keys.slice(0, 16), keys]) {
      const found = await findPayments(db, ['unknown', ...asked]);
      assert.deepEqual([...found.keys()].sort(), asked.toSorted());
    }
  });
});
