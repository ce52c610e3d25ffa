import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';

/** Several seconds of reading: long enough to be killed in the middle. */
const rowCount = 300_000;

test('a file whose reading was killed with -9 is no open work at the next start, and leaves nothing behind', async (t) => {
  const cwd = folderOf(t);
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
  await makeLedgerIn(cwd);
  assert.equal(await found(), undefined);

  const run = startCommand(['submit', 'big.csv'], { cwd, env });
  // Looked for in the ledger itself: a command that asks takes longer to start than a good part of the reading.
  const ledger = new DatabaseSync(join(cwd, '.airbatch/ledger.db'), { readOnly: true, timeout: 5_000 });
  t.after(() => ledger.close());
  const kept = ledger.prepare('SELECT b.status FROM batches b JOIN rows r ON r.batch_id = b.batch_id LIMIT 1');
  let seen = kept.get();
  while (!seen && run.child.exitCode === null) {
    await sleep(5);
    seen = kept.get();
  }
  run.child.kill('SIGKILL');
  assert.equal((await run.ended).signal, 'SIGKILL', 'it had not come to its end by itself');
  assert.equal(seen?.status, 'received');

  assert.deepEqual(await found().then((batch) => [batch?.status, batch?.counts]), ['rejected', {}]);
  const left = readdirSync(temporary).filter((name) => name !== 'node-compile-cache');
  assert.deepEqual(left, []);
});
