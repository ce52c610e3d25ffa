import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCommand, workFolder } from '../support/command.ts';
import { startSandbox } from './sandbox-process.ts';

test('airbatch status --watch tells the rate, how long it takes and what is waited for, until all is done', async (t) => {
  const folder = workFolder();
  t.after(() => folder.dispose());
  const sandbox = await startSandbox(folder.path, ['--rate', '20', '--window-ms', '1000']);
  t.after(() => sandbox.stop());
  const main = {
    baseUrl: sandbox.url,
    apiKeyEnv: 'PAY_KEY',
    limits: { creation: { limit: 20, windowMs: 1_000 } },
  };
  writeFileSync(join(folder.path, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
  const lines = Array.from({ length: 120 }, (_, index) => `+25471210${1_000 + index},1,${10 + index},KES,e-${index}`);
  writeFileSync(
    join(folder.path, 'p.csv'),
    ['phone_number,network_id,amount,currency,reference', ...lines, ''].join('\n'),
  );
  const options = { cwd: folder.path, env: { PAY_KEY: 'sandbox-key' } };
  const run = startCommand(['run', 'p.csv', '--yes'], options);
  await run.seen(/Batch +\S+/);
  const watch = await startCommand(['--json', 'status', '--watch'], options).ended;
  assert.equal(watch.code, 0, watch.stderr);
  assert.equal((await run.ended).code, 0);
  const seen = watch.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number | string | null>);
  const sending = seen.filter(({ rate_used }) => rate_used !== null && Number(rate_used) > 0);
  assert.ok(sending.length > 0, watch.stdout);
  for (const { rate_used, rate_allowed } of sending) {
    assert.equal(rate_allowed, 20);
    assert.ok(Number(rate_used) <= 20);
  }
  assert.ok(seen.some(({ left_ms }) => Number(left_ms) > 500));
  const settled = seen.map((one) => Number(one.settled));
  assert.deepEqual(
    settled,
    settled.toSorted((a, b) => a - b),
  );
  assert.ok(
    seen.some(({ waits_for }) => /the service to end|rate limit/.test(String(waits_for))),
    watch.stdout,
  );
});
