import assert from 'node:assert/strict';
import { test } from 'node:test';
import { msLeft, sendsUntilSent } from '../../src/cli/time-left.ts';
import { paceOf, waitsFor } from '../../src/cli/waits-for.ts';
import type { Priority } from '../../src/ledger/batches.ts';
import { countRows } from '../../src/ledger/batches.ts';
import { makeRig, someRows } from '../support/engine.ts';
import { v1Policy } from '../support/fake-service.ts';
import { aRow } from '../support/ledger.ts';

test('until the last row of a batch is sent, those of its account go that come before it or take turns with it', async () => {
  const rig = await makeRig();
  const batches: [string, Priority, number, string][] = [
    ['urgent', 'urgent', 20, 'running'],
    ['normal', 'normal', 30, 'running'],
    ['other', 'normal', 300, 'running'],
    ['paused', 'normal', 50, 'paused'],
    ['bulk', 'bulk', 70, 'running'],
  ];
  for (const [batch_id, priority, count, status] of batches) {
    await rig.add(someRows(count), { batch_id, run_id: batch_id, priority });
    await rig.db.execute('UPDATE batches SET status = ? WHERE batch_id = ?', [status, batch_id]);
  }
  const expected = { urgent: 20, normal: 30 + 20 + 30, other: 300 + 20 + 30, bulk: 70 + 20 + 30 + 300 };
  for (const [batchId, sends] of Object.entries(expected)) {
    const ready = batches.find(([name]) => name === batchId)?.[2] ?? 0;
    assert.equal(await sendsUntilSent(rig.db, await rig.batch(batchId), ready), sends, batchId);
  }
});

test('where only rows to numbers that were paid a moment ago are left, they are what is waited for, and how long', async () => {
  const rig = await makeRig({ policy: v1Policy, settings: { idlePollMs: 1_000, leaseTtlMs: 15_000 } });
  const { db, clock } = rig;
  await rig.add([1, 2, 3, 4, 5].map((rowNo) => aRow(rowNo, { phone_number: '+254712000001' })));
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await clock.drive(clock.sleep(10_000));
  const batch = await rig.batch();
  const counts = await countRows(db, batch.batch_id);
  const pace = await paceOf({ db, clock }, batch);
  assert.ok(pace);
  const words = await waitsFor({ db, clock, config: { accounts: new Map() } }, batch, counts);
  assert.equal(words, 'the next row to a number that was paid a moment ago, 55 s more');
  assert.equal(
    await msLeft(db, batch, { ready: counts.get('ready') ?? 0, pace, now: clock.now() }),
    (4 * 65 - 10) * 1_000,
  );
  runner.stop();
  await clock.drive(running);
});

test('where one of the rows that go alone at first is left to a person, that person is what is waited for, not the row', async () => {
  const rig = await makeRig();
  const { db, clock } = rig;
  rig.service.script('run-1/ref-1', 'error_500', 'error_500', 'error_500');
  await rig.add(someRows(3), { policy: JSON.stringify({ canary: { rows: 1 } }) });
  await rig.run();
  const words = await waitsFor(
    { db, clock, config: { accounts: new Map() } },
    await rig.batch(),
    await countRows(db, 'batch-1'),
  );
  assert.match(words ?? '', /^a person to resolve 1 row in doubt/);
});
