import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { sandboxHere } from '../support/sandbox-process.ts';
import { env, writeConfig } from './two-versions.ts';

const header = 'phone_number,network_id,amount,currency,reference';

describe('a failed payment that arrives later', () => {
  for (const [account, version] of [
    ['new', 'Version 2'],
    ['old', 'Version 1'],
  ] as const)
    test(`is not paid again under another reference and run: the row is held (${version})`, async (t) => {
      const cwd = folderOf(t);
      const sandbox = await sandboxHere(t, { rate: 60_000, settleMs: 300 });
      writeConfig(cwd, sandbox);
      const run = (name: string) => {
        writeFileSync(join(cwd, `${name}.csv`), [header, `+254712000014,1,10,KES,${name}-1`, ''].join('\n'));
        const args = ['run', `${name}.csv`, '--account', account, '--run-id', name, '--yes', '--json'];
        return runHere(args, { cwd, env });
      };
      const failed = await run('october');
      assert.equal(failed.code, 4, failed.stderr);
      const moved = await fetch(`${sandbox.url}/_sandbox/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advance_ms: 120_000 }),
      });
      assert.equal(moved.status, 200);
      const again = await run('november');
      assert.equal(again.code, 5, again.stderr);
      const { rows } = JSON.parse(again.stdout).summary;
      assert.equal(rows.by_status.held, 1, again.stdout);
      assert.deepEqual([...(await sandbox.liveCharges())], [['october/october-1', 1]]);
    });
});
