import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Priority } from '../../../src/ledger/batches/batches.ts';
import { makeRig } from '../../support/engine.ts';
import { v1Policy } from '../../support/fake-service.ts';
import { aRow } from '../../support/ledger.ts';

const second = 1_000;
/** With eight requests at once that is two a second, as Version 1 allows. */
const readMs = 4 * second;
/** Rows are asked for the first time so long after their acceptance. */
const firstReadMs = 2 * second;

interface Batch {
  id: string;
  rows: number;
  priority?: Priority;
  /** When it is approved. */
  afterMs?: number;
}

interface Read {
  batch: string;
  rowNo: number;
  at: number;
}

/**
 * What is asked of a service without a list, which ends no payment, up to `untilMs`; and the questions to the ledger
 * for it.
 */
async function readsOf(batches: readonly Batch[], untilMs: number) {
  const rig = await makeRig({
    policy: { ...v1Policy, sameNumberSpacingMs: 0 },
    list: false,
    settleMs: Number.POSITIVE_INFINITY,
    settings: { idlePollMs: second, leaseTtlMs: 60 * second },
  });
  const { service, clock, db } = rig;
  service.purse.opening = 10_000;
  const reads: Read[] = [];
  const { read } = service;
  service.read = async (asked) => {
    const [batch = '', ref = ''] = asked.reference.split('/');
    reads.push({ batch, rowNo: Number(ref.slice('ref-'.length)), at: clock.now() });
    await clock.sleep(readMs);
    return read(asked);
  };
  let questions = 0;
  const { query } = db;
  db.query = (sql, params) => {
    if (sql.includes('next_action_at') && params?.[1] === 'accepted') questions += 1;
    return query(sql, params);
  };
  const runner = rig.runner();
  const begunAt = clock.now();
  const running = runner.run(Number.POSITIVE_INFINITY);
  for (const [place, { id, rows: count, priority = 'normal', afterMs = 0 }] of batches.entries()) {
    await clock.drive(clock.sleep(begunAt + afterMs - clock.now()));
    const rows = Array.from({ length: count }, (_, index) =>
      aRow(index + 1, { phone_number: `+25471${place}${String(index).padStart(6, '0')}` }),
    );
    await rig.add(rows, { batch_id: id, run_id: id, priority });
    runner.nudge();
  }
  await clock.drive(clock.sleep(begunAt + untilMs - clock.now()));
  runner.stop();
  await clock.drive(running);
  const waited = (batch: string, afterMs = 0) => {
    const first = new Map<number, number>();
    for (const one of reads) if (one.batch === batch && !first.has(one.rowNo)) first.set(one.rowNo, one.at);
    const times = [...first.values()].map((at) => at - begunAt - afterMs);
    return { rows: first.size, lastMs: Math.max(...times) };
  };
  return { reads, questions, waited };
}

describe('rows that are read one by one', () => {
  test('of a small batch do not wait until those of earlier big ones were read', async () => {
    const big = ['big-1', 'big-2'].map((id) => ({ id, rows: 300 }));
    const { waited } = await readsOf([...big, { id: 'small', rows: 5 }], 150 * second);
    const { rows, lastMs } = waited('small');
    assert.equal(rows, 5);
    assert.ok(lastMs <= firstReadMs + 13 * second, `${lastMs} ms`);
  });

  test('are read soon after their batch is approved, while those of big ones are being read', async () => {
    const big = ['big-1', 'big-2'].map((id) => ({ id, rows: 300 }));
    const afterMs = 20 * second;
    const { waited } = await readsOf([...big, { id: 'small', rows: 5, afterMs }], 200 * second);
    const { rows, lastMs } = waited('small', afterMs);
    assert.equal(rows, 5);
    assert.ok(lastMs <= firstReadMs + 15 * second, `${lastMs} ms`);
  });

  test('follow the priority of their batches, and none is left out', async () => {
    const { reads } = await readsOf(
      [
        { id: 'bulk', rows: 200, priority: 'bulk' },
        { id: 'urgent', rows: 200, priority: 'urgent' },
      ],
      60 * second,
    );
    // Both have rows that are due from here on.
    const of = (batch: string) => reads.slice(16, 96).filter((one) => one.batch === batch).length;
    assert.ok(of('urgent') >= 50, `${of('urgent')} urgent`);
    assert.ok(of('bulk') >= 15, `${of('bulk')} bulk`);
  });

  test('cost no more reads and hardly a ledger query if many are due', async () => {
    const { reads, questions } = await readsOf(
      ['big-1', 'big-2'].map((id) => ({ id, rows: 300 })),
      310 * second,
    );
    assert.ok(reads.length >= 2 * 300, `${reads.length} reads`);
    const rows = new Set(reads.map(({ batch, rowNo }) => `${batch}/${rowNo}`)).size;
    assert.equal(rows, 2 * 300, 'nothing is asked for again before all were');
    assert.ok(questions <= rows / 10, `${questions} questions`);
  });
});
