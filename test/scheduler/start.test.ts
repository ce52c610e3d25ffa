import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob } from '../../src/runtime/jobs/define-job.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { startScheduler } from '../../src/scheduler/start.ts';
import { memoryLedger } from '../support/ledger.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const job = defineJob({
  name: 'yearly',
  schedule: { cron: '0 0 1 1 *', timeZone: 'UTC' },
  source: { kind: 'file', file: 'x.csv' },
});

test('it is looked what is due every few seconds, wherever the clock is set meanwhile and however silent node-cron is', async () => {
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
    base: '.',
    holder: 'one',
    isDead: () => false,
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
