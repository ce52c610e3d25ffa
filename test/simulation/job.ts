import { AirbatchError } from '../../src/core/basics/errors.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { filesOfSlot, insertJobFile } from '../../src/ledger/jobs/job-files.ts';
import { defineJob } from '../../src/runtime/jobs/define-job.ts';
import { makeScheduler } from '../../src/scheduler/scheduler.ts';
import { dueSlots } from '../support/due-slots.ts';
import type { Plan } from './plan.ts';
import type { SimulatedProcess } from './process.ts';
import { note, type World } from './world.ts';

const minuteMs = 60_000;

/** How often a job is due, and how often and how many times it is looked for. */
export interface JobPace {
  cron: string;
  lookMs: number;
  looks: number;
  /** How long a slot takes to bring its file: in the middle of it, others look too. */
  bringMs: number;
}

/** Eight hours of every life: a job of every hour has as many slots, and more where the clock was set forward. */
const hourly: JobPace = { cron: '0 * * * *', lookMs: 40 * minuteMs, looks: 12, bringMs: 5 * minuteMs };

/**
 * The scheduler beside the runner, as `airbatch serve` has it. Each slot brings one file, however often it is begun.
 */
export async function runJob(
  world: { plan: Pick<Plan, 'job'> } & Pick<World, 'faults' | 'trace'>,
  process: SimulatedProcess,
  db: Database,
  { holder, isDead, pace = hourly }: { holder: string; isDead: (holder: string) => boolean; pace?: JobPace },
): Promise<void> {
  if (!world.plan.job) return;
  let brought = 0;
  const deps = { db, clock: process.clock, holder, isDead };
  const { cron, lookMs, looks: looksMax, bringMs } = pace;
  const job = defineJob({
    name: 'regular',
    schedule: { cron, timeZone: 'UTC', catchUp: 'all' },
    source: { kind: 'file', file: 'x.csv' },
  });
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
      note(world, 'slot', `${dueAt} of ${holder}`);
      return { outcome: 'done', detail: 'brought' };
    }),
  });
  for (let looks = 0; looks < looksMax; looks++) {
    await scheduler.look().catch((error: unknown) => {
      if (!(error instanceof AirbatchError)) throw error;
    });
    await process.clock.sleep(lookMs);
  }
  await scheduler.stop();
}
