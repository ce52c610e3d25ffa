import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { v5 } from 'uuid';
import {
  contentRowRef,
  idempotencyKey,
  isContentRowRef,
  isRunId,
  parseReference,
  paymentReference,
  rowRefProblem,
} from '../../../src/core/identity/ids.ts';

const identity = { account: 'main', runId: 'payroll-2026-11', rowRef: 'E-17', generation: 1 };
const runIds = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
const rowRefs = fc.string({ minLength: 1, maxLength: 80 }).filter((text) => rowRefProblem(text) === null);

describe('idempotency keys', () => {
  test('are equal for the same payment, on every machine and in every version', () => {
    // A changed value here would pay every running batch twice: it may never change.
    assert.equal(idempotencyKey(identity), '209bb15a-8660-5bae-a492-022f59de8371');
  });

  test('are UUIDs of version 5, as the uuid package makes them', () => {
    const property = fc.property(rowRefs, fc.nat(), (rowRef, generation) => {
      const name = JSON.stringify([identity.account, identity.runId, rowRef, generation]);
      assert.equal(
        idempotencyKey({ ...identity, rowRef, generation }),
        v5(name, '6f0f6a52-94b1-5f0e-8d6c-0a8d6b6f2c11'),
      );
    });
    fc.assert(property);
  });

  test('accept names of any length: references of other programs are read too', () => {
    for (const length of [500, 660, 680, 700, 5_000]) {
      const rowRef = '\u6f22'.repeat(length);
      const name = JSON.stringify([identity.account, identity.runId, rowRef, 1]);
      assert.equal(idempotencyKey({ ...identity, rowRef }), v5(name, '6f0f6a52-94b1-5f0e-8d6c-0a8d6b6f2c11'));
    }
  });

  test('differ when any of account, run id, row ref or generation differs', () => {
    const others = [{ account: 'other' }, { runId: 'payroll-2026-12' }, { rowRef: 'E-18' }, { generation: 2 }];
    const keys = new Set([identity, ...others.map((other) => ({ ...identity, ...other }))].map(idempotencyKey));
    assert.equal(keys.size, 5);
  });

  test('keep their four parts separate', () => {
    const a = idempotencyKey({ ...identity, runId: 'a', rowRef: 'b","c' });
    const b = idempotencyKey({ ...identity, runId: 'a","b', rowRef: 'c' });
    assert.notEqual(a, b);
  });
});

describe('references', () => {
  test('contain run and row, and the generation from the second on', () => {
    assert.equal(paymentReference(identity), 'payroll-2026-11/E-17');
    assert.equal(paymentReference({ ...identity, generation: 2 }), 'payroll-2026-11/E-17~2');
  });

  test('can be read back into the identity that made them, whatever the row ref', () => {
    fc.assert(
      fc.property(runIds, rowRefs, fc.integer({ min: 1, max: 30 }), (runId, rowRef, generation) => {
        assert.deepEqual(parseReference(paymentReference({ runId, rowRef, generation })), {
          runId,
          rowRef,
          generation,
        });
      }),
    );
  });

  test('of other programs are not recognized as ours', () => {
    for (const text of ['', 'order 4711', '/x', 'x/']) assert.equal(parseReference(text), null, text);
  });
});

describe('row refs', () => {
  test('that end like a generation mark are refused, since two payments would share a reference', () => {
    assert.match(rowRefProblem('E-17~2') ?? '', /repeated payments/);
    assert.equal(rowRefProblem('E~17a'), null);
  });

  test('that are too long, or have control characters, are refused', () => {
    assert.match(rowRefProblem('x'.repeat(81)) ?? '', /longer/);
    assert.match(rowRefProblem('a\u0007b') ?? '', /control/);
    assert.match(rowRefProblem('a\u200bb') ?? '', /invisible/);
  });

  test('made from content distinguish occurrences and columns', () => {
    assert.notEqual(contentRowRef(['a', 'b'], 1), contentRowRef(['a', 'b'], 2));
    assert.notEqual(contentRowRef(['ab', ''], 1), contentRowRef(['a', 'b'], 1));
    assert.equal(contentRowRef(['a', null], 1), contentRowRef(['a', null], 1));
    for (const occurrence of [1, 12]) assert.ok(isContentRowRef(contentRowRef(['a'], occurrence)));
    for (const reference of ['NOV-1', 'deadbeef-1', `x${contentRowRef(['a'], 1)}`])
      assert.equal(isContentRowRef(reference), false, reference);
  });
});

test('run ids have no "/", which separates them in a reference', () => {
  assert.ok(isRunId('payroll-2026-11'));
  for (const text of ['', 'a/b', '-a', 'a b', 'x'.repeat(65)]) assert.equal(isRunId(text), false, text);
});
