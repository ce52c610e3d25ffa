import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chaos } from './chaos.ts';

test('200 kills and suspensions of the real command leave exactly one charge for every row', async () => {
  const { kills, suspensions, violations } = await chaos({ strikes: 200, seed: 20_261_121 });
  assert.ok(kills > 100 && suspensions > 5, `${kills} kills, ${suspensions} suspensions`);
  assert.deepEqual(violations, []);
});
