import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { describe, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { isDeadProcess, processHolder } from '../../../src/runtime/session/process-holder.ts';

/** The name of this process with some of its parts changed. */
function holderWith(changed: { host?: string; pid?: number; boot?: string; namespaces?: string; began?: string }) {
  const [host, pid, start = ''] = processHolder(systemClock).split('/');
  const [startMs, boot, namespaces, began] = start.split('.');
  const parts = { host, pid, boot, namespaces, began, ...changed };
  return `${parts.host}/${parts.pid}/${startMs}.${parts.boot}.${parts.namespaces}.${parts.began}`;
}

/** The number of a process that has ended. */
async function freePid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('a process has one name, also after its clock was set', () => {
  assert.equal(processHolder({ ...systemClock, now: () => 0 }), processHolder(systemClock));
});

describe('a process that holds a lease', { skip: process.platform !== 'linux' }, () => {
  test('is alive while it runs, whatever its clock was when it wrote its name', () => {
    assert.equal(isDeadProcess(processHolder(systemClock)), false);
    const [host, pid, start = ''] = processHolder(systemClock).split('/');
    assert.equal(isDeadProcess(`${host}/${pid}/${start.replace(/^[0-9]+/, '0')}`), false);
  });

  test('has ended if its process id is free', async () => {
    const pid = await freePid();
    assert.equal(isDeadProcess(holderWith({ pid })), true);
    assert.equal(isDeadProcess(holderWith({ pid, boot: 'an earlier one' })), true);
    assert.equal(isDeadProcess(`${hostname()}/${pid}/1760000000000`), true, 'one that told no more than the time');
  });

  test('has ended if its process id belongs to a process that started at another time', () => {
    assert.equal(isDeadProcess(holderWith({ began: '1' })), true);
  });

  test('counts as alive if that cannot be decided', async () => {
    assert.equal(isDeadProcess(holderWith({ boot: 'an earlier one', began: '1' })), false, 'or of another machine');
    assert.equal(isDeadProcess(`${hostname()}/${process.pid}/1760000000000`), false, 'it told no more than the time');
    const pid = await freePid();
    assert.equal(isDeadProcess(holderWith({ pid, namespaces: '1-1' })), false, 'another container counts for itself');
    assert.equal(isDeadProcess(holderWith({ pid, host: 'another' })), false);
  });
});
