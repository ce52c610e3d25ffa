import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { highestClockOf } from '../../../src/ledger/accounts/highest-clock.ts';
import { raiseHighestClock } from '../../../src/ledger/schema/ledger-state.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { aBatch, addBatch, aRow, memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

describe('the highest time that an account’s runner has seen', () => {
  test('is that of its last event in an open batch, the end of another, or the ledger’s own, whichever is higher', async () => {
    const db = await memoryLedger();
    const clock = makeVirtualClock();
    const start = clock.now();
    const noted = async () => ({
      main: (await highestClockOf(db, 'main')) - start,
      other: (await highestClockOf(db, 'other')) - start,
      all: (await highestClockOf(db, null)) - start,
    });
    const appendAt = (ms: number, actor: string, batchId: string) =>
      inUnit(db, { clock: { ...clock, now: () => start + ms }, actor }, (unit) => unit.append(batchId, 'row.note', {}));
    await raiseHighestClock(db, start + 1);
    await addBatch(db, clock, aBatch({ status: 'running' }), [aRow(1)]);
    await addBatch(db, clock, aBatch({ batch_id: 'batch-2', run_id: 'run-2', status: 'completed' }), []);
    assert.deepEqual(await noted(), { main: 1, other: 1, all: 1 });
    await appendAt(5_000, 'engine', 'batch-1');
    // A person’s machine may have another clock.
    await appendAt(7_000, 'asha', 'batch-1');
    // What is noted of a batch later is not looked for: its payments have ended.
    await appendAt(9_000, 'engine', 'batch-2');
    assert.deepEqual(await noted(), { main: 5_000, other: 1, all: 5_000 });
    // All machines write this row: once a minute is enough.
    await raiseHighestClock(db, start + 60_001);
    assert.deepEqual(await noted(), { main: 5_000, other: 1, all: 5_000 });
    await raiseHighestClock(db, start + 60_002);
    assert.deepEqual(await noted(), { main: 60_002, other: 60_002, all: 60_002 });
    await db.execute("UPDATE batches SET completed_at = ? WHERE batch_id = 'batch-2'", [start + 80_000]);
    assert.deepEqual(await noted(), { main: 80_000, other: 60_002, all: 80_000 });
  });
});
