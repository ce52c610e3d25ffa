import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { findSlot, insertSlot } from '../../src/ledger/jobs/slots.ts';
import { defineJob } from '../../src/runtime/jobs/define-job.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { loadConfig } from '../../src/runtime/settings/config.ts';
import { startScheduler } from '../../src/scheduler/start.ts';
import { folderOf } from '../support/folder.ts';
import { memoryLedger } from '../support/ledger.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const job = defineJob({
  name: 'yearly',
  schedule: { cron: '0 0 1 1 *', timeZone: 'UTC' },
  source: { kind: 'file', file: 'x.csv' },
});

test('due slots are checked every few seconds, however the clock is set and even if node-cron is silent', async () => {
  const db = await memoryLedger();
  const clock = makeVirtualClock();
  let looks = 0;
  const transact: typeof db.transact = (work) => {
    looks += 1;
    return db.transact(work);
  };
  const log = { info: () => undefined, warn: (message: string) => assert.fail(message) };
  const scheduler = startScheduler({
    session: { db: { ...db, transact }, clock, log } as unknown as Session,
    jobs: [job],
    withAccount: () => assert.fail(),
    onBatches: () => assert.fail(),
  });
  const hour = 3_600_000;
  for (const step of [0, -hour, 24 * hour]) {
    clock.setWall(clock.now() + step);
    looks = 0;
    await clock.drive(clock.sleep(60_000));
    // node-cron, which goes by the machine's own clock, may ring in these few milliseconds.
    assert.ok(looks >= 3 && looks <= 6, `${looks} looks in a minute after the clock was set by ${step} ms`);
  }
  await scheduler.stop();
});

test('a due slot runs in the name of its job, whoever may operate, and stays due after a temporary error', async (t) => {
  const folder = folderOf(t);
  const due = defineJob({ ...job, source: { kind: 'file', file: join(folder, 'x.csv') } });
  writeFileSync(join(folder, 'x.csv'), 'phone_number,amount\n0712101000,100\n');
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ people: { operate: ['another'] } }));
  const db = await memoryLedger();
  t.after(() => db.close());
  const clock = makeVirtualClock();
  const dueAt = clock.now() - 1_000;
  await insertSlot(db, { job: due.name, due_at: dueAt, state: 'due', detail: null });
  const log = { info: () => undefined, warn: (message: string) => assert.fail(message) };
  const config = await loadConfig({ cwd: folder, env: {} });
  const scheduler = startScheduler({
    session: { db, clock, log, config, person: 'somebody', through: 'serve' } as unknown as Session,
    jobs: [due],
    withAccount: () => Promise.reject(new AirbatchError('SERVICE_UNREACHABLE', 'no answer')),
    onBatches: () => undefined,
  });
  // The files are looked at in real time: the clock is driven until there is a result.
  const slotNow = () => findSlot(db, due.name, dueAt);
  while ((await slotNow())?.detail === null) await clock.drive(clock.sleep(1_000));
  await scheduler.stop();
  const slot = await slotNow();
  assert.deepEqual([slot?.state, slot?.detail, slot?.troubled_ms], ['due', 'no answer', 0]);
});
