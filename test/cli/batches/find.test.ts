import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { noLedgerEnv } from '../../support/folder-ledger.ts';

test('without a ledger, nobody can say that nothing was paid', async (t) => {
  const options = { cwd: folderOf(t), env: await noLedgerEnv() };
  for (const command of [['find', '+254712000001'], ['paid'], ['journal', '--from', '2026-11-01']]) {
    const { code, stdout, stderr } = await runHere(command, options);
    assert.deepEqual([code, stdout], [2, ''], command[0]);
    assert.match(stderr, /\[LEDGER_MISSING\]/);
  }
  const { code, stderr } = await runHere(['journal', '--from', '2026-11-01', '--wallet', 'usd=1200'], options);
  assert.deepEqual([code, /"usd" is written USD/.test(stderr)], [2, true]);
});
