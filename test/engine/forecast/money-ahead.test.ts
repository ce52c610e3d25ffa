import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cycleMs, moneyEnd } from '../../../src/engine/forecast/money-ahead.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 10, 20, 9);

describe('the money of a currency', () => {
  test('runs out during the queue, at the part of the batch that it still pays', () => {
    const queue = [
      { cost: '100', sentAt: now + 3_000 },
      { cost: '50', sentAt: now + 1_000 },
    ];
    assert.deepEqual(moneyEnd({ balance: '100', queue, spent: [] }, now), { at: now + 2_000, by: 'queue' });
    assert.deepEqual(moneyEnd({ balance: '150', queue, spent: [] }, now), { at: null, by: null }, 'it just lasts');
  });

  test('runs out at an unknown time if it is unknown when the queue is sent', () => {
    const queue = [{ cost: '0.3', sentAt: null }];
    assert.deepEqual(moneyEnd({ balance: '0.2', queue, spent: [] }, now), { at: null, by: 'queue' });
  });

  test('runs out at the payout that it cannot pay, if the coming months cost what the last one did', () => {
    const spent = [
      { cost: '100', at: now - 10 * day },
      { cost: '20', at: now - 25 * day },
    ];
    const end = (balance: string) => moneyEnd({ balance, queue: [{ cost: '10', sentAt: null }], spent }, now);
    assert.deepEqual(end('100'), { at: now - 10 * day + cycleMs, by: 'usual_spending' });
    assert.deepEqual(end('130'), { at: now - 25 * day + 2 * cycleMs, by: 'usual_spending' });
    assert.deepEqual(end('100000'), { at: null, by: null }, 'it lasts longer than a year');
  });

  test('lasts if nothing was spent', () => {
    assert.deepEqual(moneyEnd({ balance: '0', queue: [], spent: [{ cost: '0', at: now }] }, now), {
      at: null,
      by: null,
    });
  });
});
