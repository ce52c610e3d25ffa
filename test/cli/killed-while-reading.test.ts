import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, startCommand, workFolder } from '../support/command.ts';

/** Several seconds of reading: long enough to be killed in the middle. */
const rowCount = 300_000;

test('a file whose reading was killed with -9 is no work any more at the next start, and leaves nothing behind', async (t) => {
  const folder = workFolder();
  t.after(() => folder.dispose());
  const cwd = folder.path;
  const temporary = join(cwd, 'tmp');
  mkdirSync(temporary);
  const env = { TMPDIR: temporary };
  const lines = Array.from(
    { length: rowCount },
    (_, index) => `+2547${String(10_000_000 + index)},1,10,KES,R-${index}`,
  );
  writeFileSync(join(cwd, 'big.csv'), `phone_number,network_id,amount,currency,reference\n${lines.join('\n')}\n`);
  const found = async () => {
    const { stdout } = await runCommand(['status', '--json'], { cwd, env });
    const [batch] = JSON.parse(stdout).batches as { status: string; counts: Record<string, number> }[];
    return batch;
  };

  const run = startCommand(['submit', 'big.csv'], { cwd, env });
  let seen = await found();
  while (!seen?.counts.ready) seen = await found();
  assert.equal(seen.status, 'received', 'the file was read before it could be killed: make it longer');
  run.child.kill('SIGKILL');
  await run.ended;

  assert.deepEqual(await found().then((batch) => [batch?.status, batch?.counts]), ['rejected', {}]);
  const left = readdirSync(temporary).filter((name) => name !== 'node-compile-cache');
  assert.deepEqual(left, []);
});
