import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRig, someRows } from '../../support/engine.ts';

test('rows that may all be sent at once wait before their intents are written, not after', async () => {
  const rows = 300;
  const rig = await makeRig({ jobsAtOnce: rows, settings: { jobsWaitingMax: rows } });
  const { create } = rig.service;
  const withIntent: number[] = [];
  rig.service.create = async (request) => {
    withIntent.push((await rig.states()).filter((state) => state === 'sending').length);
    return create(request);
  };
  await rig.add(someRows(rows));
  await rig.run();
  assert.equal(withIntent.length, rows);
  assert.ok(Math.max(...withIntent) <= 128, `${Math.max(...withIntent)} rows had their intents at the same time`);
  assert.ok((await rig.states()).every((state) => state === 'completed'));
});
