import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../src/core/time/clock.ts';
import { runSourceCommand } from '../../../src/runtime/inbox/command-source.ts';
import { folderOf } from '../../support/folder.ts';

/**
 * A folder, and a program's place there. The time of a program is over when the test says so, however slow the machine
 * is.
 */
function place(t: TestContext) {
  const folder = folderOf(t);
  const path = join(folder, 'kept/slot.csv');
  const over = Promise.withResolvers<void>();
  const clock = { ...systemClock, sleep: () => over.promise };
  const run = (script: string, options: { stopping?: AbortSignal } = {}) =>
    runSourceCommand(['bash', '-c', script], {
      cwd: folder,
      path,
      clock,
      timeoutMs: 500,
      maxSizeMb: 1,
      secrets: [],
      ...options,
    });
  return { folder, path, run, timeIsOver: over.resolve };
}

/** The reason of a command without a file, for programs that say it in other languages. */
function because(values: Record<string, string>) {
  return { code: 'SLOT_COMMAND', values: { program: 'bash', end: '', limit: '', error: '', ...values } };
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !isSo(); await sleep(20)) assert.ok(Date.now() < end, `not in time: ${what}`);
}

/** A program that begins another, which would hold its pipe for ten minutes; the number of that one is in `child`. */
const withChild = 'sleep 600 & echo $! > child; echo begun; wait';

function childOf(folder: string): number {
  return Number(readFileSync(join(folder, 'child'), 'utf8'));
}

/**
 * Whether the program that the program of the job has begun is there, and is `sleep` by now: it has left the group
 * where it is to.
 */
function isRunning(folder: string): boolean {
  try {
    const status = readFileSync(`/proc/${childOf(folder)}/status`, 'utf8');
    return /^Name:\s+sleep$/m.test(status) && !/^State:\s+Z/m.test(status);
  } catch {
    return false;
  }
}

describe('the program of a job', () => {
  const isLinux = process.platform === 'linux';
  test('whose output does not fit on the disk has not failed: it is tried again', {
    skip: !isLinux,
  }, async (t) => {
    const { path, run } = place(t);
    mkdirSync(join(path, '..'));
    symlinkSync('/dev/full', `${path}.part`);
    await assert.rejects(run('yes | head -c 1000000'), {
      code: 'LEDGER_FULL',
      message: /bash did not deliver a file: ENOSPC/,
      reason: because({ why: 'error', error: 'ENOSPC: no space left on device, write' }),
    });
    assert.deepEqual(readdirSync(join(path, '..')), []);
  });

  test('that prints without end is stopped at its limit, and its output is deleted', async (t) => {
    const { path, run } = place(t);
    await assert.rejects(run('yes'), {
      code: 'FILE_REJECTED',
      message: /bash did not deliver a file: it wrote more than 1 MiB/,
      reason: because({ why: 'size', limit: '1' }),
    });
    assert.deepEqual(readdirSync(join(path, '..')), []);
    await run('head -c 1048576 /dev/zero');
    assert.deepEqual(readdirSync(join(path, '..')), ['slot.csv']);
  });

  test('is quoted without numbers and secrets, also if a long message is cut', async (t) => {
    const { run } = place(t);
    const said = async (script: string) => run(script).catch((error: Error) => error.message);
    const many = await said('for i in $(seq 2000); do echo "no plan for +254 712 405 118 in row $i" >&2; done; exit 1');
    assert.match(many ?? '', /\[number\] in row 2000$/);
    assert.doesNotMatch(many ?? '', /118|405/);
    const endless = await said('head -c 100000 /dev/zero | tr "\\0" 7 >&2; exit 1');
    assert.doesNotMatch(endless ?? '', /77/);
  });

  test('is stopped at its time limit with all of its child processes', async (t) => {
    const { folder, path, run, timeIsOver } = place(t);
    const stopped = assert.rejects(run(withChild), {
      message: /bash did not deliver a file: it took longer than 0\.5 s/,
      reason: because({ why: 'time', limit: '0.5' }),
    });
    await until('its child has begun', () => isRunning(folder));
    timeIsOver();
    await stopped;
    await until('its child has ended', () => !isRunning(folder));
    assert.deepEqual(readdirSync(join(path, '..')), []);
  });

  test('does not delay airbatch if a child process left its group and holds its pipe', async (t) => {
    const { folder, run, timeIsOver } = place(t);
    const stopped = assert.rejects(run('setsid sleep 600 & echo $! > child; wait'), /took longer/);
    await until('its child has begun', () => isRunning(folder));
    const child = childOf(folder);
    t.after(() => process.kill(child, 'SIGKILL'));
    timeIsOver();
    await stopped;
    assert.ok(isRunning(folder), 'it holds the pipe still');
  });

  test('ends with airbatch, and is not started after that', async (t) => {
    const { folder, path, run } = place(t);
    const stop = new AbortController();
    const running = run(withChild, { stopping: stop.signal });
    const reason = because({ why: 'stopped' });
    const stopped = assert.rejects(running, { message: /it was stopped with airbatch/, reason });
    await until('its child has begun', () => isRunning(folder));
    stop.abort();
    await stopped;
    await until('its child has ended', () => !isRunning(folder));
    await assert.rejects(run('echo late > late', { stopping: stop.signal }), /did not deliver a file/);
    assert.deepEqual([readdirSync(join(path, '..')), existsSync(join(folder, 'late'))], [[], false]);
  });

  test('delivers its output when it ends in time, and its error message when it fails', async (t) => {
    const { path, run } = place(t);
    await assert.rejects(run('echo half; echo "no table" >&2; exit 3'), {
      message: /ended with exit code 3: no table/,
      reason: because({ why: 'exit_said', end: '3', error: 'no table' }),
    });
    await assert.rejects(run('exit 4'), { reason: because({ why: 'exit', end: '4' }) });
    await run('echo phone_number,amount');
    assert.equal(readFileSync(path, 'utf8'), 'phone_number,amount\n');
    assert.deepEqual(
      process.listeners('exit').filter(({ name }) => name === 'leave'),
      [],
    );
  });
});
