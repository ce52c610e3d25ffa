import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzApi } from './fuzz-run.ts';

/** Requests of one run of the suite. `npm run fuzz:api` sends more, with another seed each night. */
const requests = 2_000;

test(`none of ${requests} requests made from the OpenAPI document meets an error of the program`, async (t) => {
  const statuses = await fuzzApi(t, { requests, seed: 20_261_126 });
  const answered = statuses.get(200) ?? 0;
  assert.ok(answered > requests / 20, `only ${answered} were answered: ${JSON.stringify([...statuses])}`);
});
