import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preflight } from '../../src/engine/preflight.ts';
import type { BatchRecord, Priority } from '../../src/ledger/batches.ts';
import { makeRig, someRows } from '../support/engine.ts';
import { aBatch, addBatch } from '../support/ledger.ts';

const minuteMs = 60_000;
const rate = { limit: 60, windowMs: minuteMs, sendsTexts: true, priceOf: async () => null };
const evidence = { httpStatus: null, code: 'x', message: 'x', requestId: null };

test('the time of a plan counts what goes before its rows, and what takes turns with them', async () => {
  const { db, clock } = await makeRig();
  const add = async (name: string, priority: Priority, rows: number, fields: Partial<BatchRecord> = {}) => {
    const batch = aBatch({ batch_id: name, run_id: name, priority, ...fields });
    const own = someRows(rows).map((row) => ({ ...row, batch_id: name }));
    await addBatch(db, clock, batch, own);
    return { ...batch, audit_seq: 0, audit_head: '' };
  };
  const planned = async (batch: BatchRecord) => {
    const { rowsBefore, estimateMs } = await preflight(db, batch, { kind: 'unavailable', evidence }, rate);
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
