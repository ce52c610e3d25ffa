import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { runSourceCommand } from '../../src/scheduler/command-source.ts';
import { folderOf } from '../support/folder.ts';

function place(t: TestContext) {
  const folder = folderOf(t);
  const path = join(folder, 'kept/slot.csv');
  const run = (script: string, options: { timeoutMs?: number; stopping?: AbortSignal } = {}) =>
    runSourceCommand(['bash', '-c', script], {
      cwd: folder,
      path,
      clock: systemClock,
      timeoutMs: 20_000,
      ...options,
    });
  return { folder, path, run };
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !isSo(); await sleep(20)) assert.ok(Date.now() < end, `not in time: ${what}`);
}

/** A program that begins another, which would write for half a minute; the number of that one is in `child`. */
const withChild = 'sleep 30 & echo $! > child; echo begun; wait';

function isRunning(folder: string): boolean {
  const pid = readFileSync(join(folder, 'child'), 'utf8').trim();
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the program of a job', () => {
  test('is kept to its time with everything that it has begun', async (t) => {
    const { folder, path, run } = place(t);
    const begun = performance.now();
    await assert.rejects(run(withChild, { timeoutMs: 500 }), /bash brought no file: it took longer than 0\.5 s/);
    assert.ok(performance.now() - begun < 10_000, 'what holds its pipe is not waited for');
    await until('its child has ended', () => !isRunning(folder));
    assert.deepEqual(readdirSync(join(path, '..')), []);
  });

  test('is not waited for where what it has begun left its group and holds its pipe', async (t) => {
    const { folder, run } = place(t);
    const begun = performance.now();
    await assert.rejects(run('setsid sleep 20 & echo $! > child; wait', { timeoutMs: 500 }), /took longer/);
    assert.ok(performance.now() - begun < 10_000);
    process.kill(Number(readFileSync(join(folder, 'child'), 'utf8')), 'SIGKILL');
  });

  test('ends with airbatch, and is not begun after that', async (t) => {
    const { folder, path, run } = place(t);
    const stop = new AbortController();
    const running = run(withChild, { stopping: stop.signal });
    const stopped = assert.rejects(running, /it was stopped with airbatch/);
    await until(
      'it has begun',
      () => existsSync(join(folder, 'child')) && readFileSync(join(folder, 'child')).length > 1,
    );
    stop.abort();
    await stopped;
    await until('its child has ended', () => !isRunning(folder));
    await assert.rejects(run('echo late > late', { stopping: stop.signal }), /brought no file/);
    assert.deepEqual([readdirSync(join(path, '..')), existsSync(join(folder, 'late'))], [[], false]);
  });

  test('brings what it wrote when it ends in time, and what it said where it fails', async (t) => {
    const { path, run } = place(t);
    await assert.rejects(run('echo half; echo "no table" >&2; exit 3'), /ended with exit code 3: no table/);
    await run('echo phone_number,amount');
    assert.equal(readFileSync(path, 'utf8'), 'phone_number,amount\n');
    assert.deepEqual(
      process.listeners('exit').filter(({ name }) => name === 'leave'),
      [],
    );
  });
});
