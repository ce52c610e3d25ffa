import { AirbatchError } from '../../src/core/basics/errors.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { filesOfSlot, insertJobFile } from '../../src/ledger/jobs/job-files.ts';
import { defineJob } from '../../src/runtime/jobs/define-job.ts';
import { makeScheduler } from '../../src/scheduler/scheduler.ts';
import { dueSlots } from '../support/due-slots.ts';
import { holderName, type SimulatedProcess } from './process.ts';
import { isDead, note, type World } from './world.ts';

const minuteMs = 60_000;
const lookMs = 40 * minuteMs;
/** Eight hours of every life: a job of every hour has as many slots, and more where the clock was set forward. */
const looksPerLife = 12;
/** How long a slot takes to bring its file: in the middle of it, others look too. */
const bringMs = 5 * minuteMs;

const job = defineJob({
  name: 'hourly',
  schedule: { cron: '0 * * * *', timeZone: 'UTC', catchUp: 'all' },
  source: { kind: 'file', file: 'x.csv' },
});

/**
 * The scheduler beside the runner, as `airbatch serve` has it. Each slot brings one file, however often it is begun.
 */
export async function runJob(world: World, process: SimulatedProcess, db: Database, life: number): Promise<void> {
  if (!world.plan.job) return;
  let brought = 0;
  const holder = holderName(life);
  const deps = { db, clock: process.clock, holder, isDead: (name: string) => isDead(world, name) };
  const scheduler = makeScheduler({
    db,
    clock: process.clock,
    log: { info: () => undefined, warn: () => undefined },
    jobs: [job],
    runDue: dueSlots(deps, async ({ name }, dueAt, requireSlot) => {
      const before = await filesOfSlot(db, name, dueAt);
      if (before.length > 0) return { outcome: 'done', detail: 'brought before' };
      await process.clock.sleep(bringMs);
      brought += 1;
      const file = {
        batch_id: `${holder}/${brought}`,
        job: name,
        due_at: dueAt,
        name: 'x.csv',
        working_path: '',
      };
      await db.transact(async (tx) => {
        await requireSlot(tx);
        await insertJobFile(tx, file);
      });
      note(world, 'slot', `${dueAt} in life ${life}`);
      return { outcome: 'done', detail: 'brought' };
    }),
  });
  for (let looks = 0; looks < looksPerLife; looks++) {
    await scheduler.look().catch((error: unknown) => {
      if (!(error instanceof AirbatchError)) throw error;
    });
    await process.clock.sleep(lookMs);
  }
  await scheduler.stop();
}
