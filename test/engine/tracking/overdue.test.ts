import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastSentAt, noteOpen } from '../../../src/engine/tracking/overdue.ts';
import type { RowRecord } from '../../../src/ledger/rows/rows.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { makeRig, someRows } from '../../support/engine.ts';

/**
 * An accepted row that is open so many milliseconds after it was sent, where the service promises an end within as
 * many, and more.
 */
async function openFor(spareMs: number, change: Partial<RowRecord> = {}) {
  const rig = await makeRig();
  rig.service.ends('run-1/ref-1', 'open');
  await rig.add(someRows(1));
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(60_000));
  runner.stop();
  await rig.clock.drive(running);
  const [batch, row] = [await rig.batch(), await rig.row(1)];
  const promisedMs = rig.clock.now() - (await lastSentAt(rig.db, batch, row)) + spareMs;
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
  await inUnit(rig.db, { clock: rig.clock, actor: 'engine' }, (unit) =>
    noteOpen(unit, { log }, { batch }, { ...row, ...change }, { fields: {}, promisedMs }),
  );
  return [(await rig.row(1)).failure_code, warnings.length];
}

test('a row is overdue as soon as the time that the service promises is over, and not before', async () => {
  assert.deepEqual(await openFor(0), ['overdue', 1]);
  assert.deepEqual(await openFor(1), [null, 0]);
});

test('a row that has changed since it was read is not reported', async () => {
  assert.deepEqual(await openFor(0, { attempts: 7 }), [null, 0]);
});
