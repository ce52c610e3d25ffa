import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chaos } from './chaos.ts';

test('20 kills and suspensions of the real command leave exactly one charge for every row', async () => {
  const { kills, suspensions, violations } = await chaos({ strikes: 20, seed: 20_261_121 });
  assert.ok(kills > 10 && suspensions > 0, `${kills} kills, ${suspensions} suspensions`);
  assert.deepEqual(violations, []);
});
