import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plantedFleetBugs } from './fleet/planted-fleet-bugs.ts';
import { plantAll } from './plant-all.ts';
import { plantedBugs } from './planted-bugs.ts';

test('every planted bug is caught within 1,000 seeds', async () => {
  assert.ok(plantedBugs.length >= 20);
  // The rest of the fleet's: `npm run simulate:planted -- --fleet`.
  const results = await plantAll([...plantedBugs, ...plantedFleetBugs.slice(0, 2)], 1_000);
  const missed = results.filter(({ planted, caught }) => !planted || !caught).map(({ name }) => name);
  assert.deepEqual(missed, []);
});
