import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'] as const;

/** What a command could leave behind in the process that it runs in. */
const leftovers = () => ({
  exitCode: process.exitCode,
  cwd: process.cwd(),
  listeners: signals.map((signal) => process.listenerCount(signal)),
  timers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
});

for (const args of [
  ['--help'],
  [],
  ['help', 'run'],
  ['--version'],
  ['runn'],
  ['run', 'a.csv', 'b.csv', '--json'],
  ['run', 'p.csv'],
  ['validate', 'p.csv', '--json'],
  ['--config', 'logged.json', 'networks', 'KE'],
  ['status', 'B-1'],
]) {
  test(`"airbatch ${args.join(' ')}" gives the same in this process as in its own`, async (t) => {
    const cwd = folderOf(t);
    writeFileSync(join(cwd, 'p.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,5,KES\n');
    // A file that others can read is warned of, in the log.
    writeFileSync(join(cwd, '.env'), 'X=1\n', { mode: 0o644 });
    writeFileSync(join(cwd, 'logged.json'), '{}');
    const timeless = ({ stderr, ...rest }: Awaited<ReturnType<typeof runHere>>) => ({
      ...rest,
      stderr: stderr.replace(/"timestamp":"[^"]*"/g, ''),
    });
    assert.deepEqual(timeless(await runHere(args, { cwd })), timeless(await runCommand(args, { cwd })));
  });
}

test('a command writes its log to the given streams, and leaves nothing behind in the process', async (t) => {
  const cwd = folderOf(t);
  writeFileSync(join(cwd, 'p.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,5,KES\n');
  writeFileSync(join(cwd, '.env'), 'X=1\n', { mode: 0o644 });
  const before = leftovers();
  const { code, stderr } = await runHere(['run', 'p.csv', '--yes'], { cwd });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^\{"event":"config_doubtful","level":"warn",.*"why":"every user of this machine can read /m);
  assert.deepEqual(leftovers(), before);
});
