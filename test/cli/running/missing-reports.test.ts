import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

/** A batch that has ended, with a row that failed, and the folder of its reports. */
async function ended(t: TestContext, args: readonly string[] = []) {
  const cwd = folderOf(t);
  const rows = ['+254712000100,1,10,KES,good', '+254712000001,1,10,KES,declined'];
  writeFileSync(
    join(cwd, 'payroll.csv'),
    ['phone_number,network_id,amount,currency,reference', ...rows, ''].join('\n'),
  );
  const run = (...args: string[]) => runHere(args, { cwd });
  const first = await run('run', 'payroll.csv', '--yes', ...args);
  assert.equal(first.code, 4, first.stderr);
  const folder = join(cwd, args[1] ?? 'reports');
  const [batchId = ''] = readdirSync(folder);
  return { batchId, run, cwd, reports: join(folder, batchId) };
}

describe('a batch whose program was killed between its last row and its reports', () => {
  for (const [how, args] of [
    ['resume', (): string[] => []],
    ['resume BATCH', (batchId: string) => [batchId]],
  ] as const)
    test(`gets them from ${how}, with the exit code of the batch`, async (t) => {
      const { batchId, run, reports } = await ended(t);
      rmSync(reports, { recursive: true });
      const resumed = await run('resume', ...args(batchId));
      assert.equal(resumed.code, 4, resumed.stderr);
      assert.match(resumed.stderr, new RegExp(`Batch ${batchId} has ended, and its reports were missing or old`));
      assert.match(resumed.stderr, /1 of 2 rows (was|were) paid/);
      assert.ok(existsSync(join(reports, 'manifest.sig')));
      const again = await run('resume');
      assert.equal(again.code, 0, again.stderr);
      assert.match(again.stderr, /Nothing to resume/);
    });

  test('gets them again if they are not completely signed', async (t) => {
    const { run, reports } = await ended(t);
    rmSync(join(reports, 'manifest.json'));
    const { code, stdout } = await run('resume', '--json');
    assert.equal(code, 4);
    assert.equal((JSON.parse(stdout) as { batches: unknown[] }).batches.length, 1);
    assert.match(readFileSync(join(reports, 'manifest.json'), 'utf8'), /"status": "completed"/);
  });

  for (const [how, args, folder] of [
    ['run', [], 'reports'],
    ['run, in the folder that --out had named', ['--out', 'elsewhere'], 'elsewhere'],
  ] as const)
    test(`gets them from the next ${how}, which names it and ends with the code of its own batch`, async (t) => {
      const { batchId, run, cwd } = await ended(t, args);
      writeFileSync(
        join(cwd, 'next.csv'),
        'phone_number,network_id,amount,currency,reference\n+254712000101,1,10,KES,n\n',
      );
      const reports = join(cwd, folder, batchId);
      rmSync(reports, { recursive: true });
      const next = await run('run', 'next.csv', '--yes');
      assert.equal(next.code, 0, next.stderr);
      assert.ok(
        next.stderr.includes(
          `Batch ${batchId} had ended, and its reports were missing or old: they are now in ${join(folder, batchId)}/.`,
        ),
        next.stderr,
      );
      assert.ok(existsSync(join(reports, 'manifest.sig')));
      const resumed = await run('resume');
      assert.match(resumed.stderr, /Nothing to resume/);
      assert.equal(existsSync(join(cwd, 'reports', batchId)), folder === 'reports');
    });
});
