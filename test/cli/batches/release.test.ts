import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { sandboxHere } from '../../support/sandbox-process.ts';

test('airbatch release keeps a row held whose reference another batch of the run has paid, and says what to do', async (t) => {
  const folder = folderOf(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const run = (...args: string[]) => runHere(args, { cwd: folder, env: sandbox.env });
  const pay = async (name: string, ...lines: string[]) => {
    writeFileSync(join(folder, name), ['phone_number,network_id,amount,currency,reference', ...lines, ''].join('\n'));
    const result = await run('run', name, '--run-id', 'november', '--yes', '--json');
    return JSON.parse(result.stdout).summary.batch_id as string;
  };
  const first = await pay('first.csv', '+254712101001,1,10,KES,e-1');
  const twice = ['+254712101002,1,10,KES,e-2', '+254712101002,1,10,KES,e-3'];
  const second = await pay('second.csv', '+254712101001,1,11,KES,e-1', ...twice);

  const named = await run('release', second, '3', '1');
  assert.equal(named.code, 2);
  assert.match(named.stderr, new RegExp(`row 1 of batch ${second} .*REFERENCE_REUSED.*batch ${first}, row 1`));
  assert.match(named.stderr, /\[ROW_NOT_RELEASABLE\]\n.*new reference/);

  const all = await run('release', second);
  assert.equal(all.code, 0, all.stderr);
  assert.match(all.stdout, /^Released [12] rows?\. "airbatch resume/);
  assert.match(all.stdout, new RegExp(`\\n  Row 1 stays held \\(REFERENCE_REUSED\\): .*batch ${first}, row 1`));
  const again = await run('release', second, '--json');
  const { released, kept } = JSON.parse(again.stdout);
  assert.deepEqual([released, kept.map(({ row }: { row: number }) => row)], [0, [1]]);

  const none = await run('skip', second, '9', '--why', 'typed twice');
  assert.match(
    none.stderr,
    new RegExp(`^Error: batch ${second} has no row 9 \\[ROW_UNKNOWN\\]\nRows are numbered from 1`),
  );
  const sent = await run('resolve', second, '3', '--as', 'paid', '--evidence', 'their list');
  assert.match(sent.stderr, new RegExp(`not in doubt \\[BATCH_STATE\\]\nSee "airbatch status ${second}" for`));
});
