import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { isTerminal } from '../../../src/core/state/row-state.ts';
import { makeAccountRunner } from '../../../src/engine/account-runner.ts';
import { defaultEngineSettings } from '../../../src/engine/runner/settings.ts';
import { unfinishedBatches } from '../../../src/ledger/batches/batches.ts';
import { pageRows, type RowRecord } from '../../../src/ledger/rows/rows.ts';
import { testService } from '../../support/ledger.ts';
import { isHalted } from '../invariants.ts';
import { runJob } from '../job.ts';
import { makeProcess } from '../process.ts';
import type { Line } from './connections.ts';
import { type FleetWorld, sayRestored } from './fleet-world.ts';
import { openLedger, openSimulatedAccount } from './machine.ts';
import { resumePaused, soundLine } from './people.ts';

/** How long a program may need to hand everything over, before the service manager kills it. */
const graceMs = 90_000;
const patienceMs = 36 * 3_600_000;
const livesMax = 12;
/** More than any file of a plan has. */
const rowsMax = 1_000;
/** Virtual days are spent idle: one program need not look as often as a fleet. */
const settings = {
  ...defaultEngineSettings,
  leaseTtlMs: patienceMs,
  idlePollMs: 7_200_000,
  openPollMs: 7_200_000,
  roundMsMin: 2_000,
  lastReadsMsMin: 2_000,
  listReadsMs: 4_000,
  backlogReadsMs: 1_000,
  readDelayMsMin: 5_000,
};
/** Nobody else is at the ledger, so that it matters to nobody how long an answer takes. */
const aloneLine: Line = { ...soundLine, isAlone: true };

/** The fleet hands everything over; then one program does what is left, over the hours that doubts may take. */
export async function finish(world: FleetWorld): Promise<void> {
  const { clock, machines } = world;
  await Promise.race([Promise.all(machines.map((machine) => machine.stop())), clock.sleep(graceMs)]);
  for (const machine of machines) {
    if (machine.isRunning()) world.trace.push(`machine ${machine.index} did not end in time`);
    machine.kill();
  }
  let restored = world.restoredAt !== null && !world.isRestoreSaid;
  for (let lives = 0; lives < livesMax; lives++) {
    if (restored) sayRestored(world);
    const code = await finishOnce(world, restored);
    restored ||= code === 'LEDGER_RESTORED';
    if (code === null && !(await hasWork(world))) return;
    // A row that is overdue by the highest clock of the fleet is followed again at its next due time.
    await clock.sleep(15_000 * 2 ** Math.min(lives, 8));
  }
}

/** Returns the code of the error that ended the program; null: it has done what can be done. */
async function finishOnce(world: FleetWorld, restored: boolean): Promise<string | null> {
  const { clock, plan, accountNames } = world;
  world.lives += 1;
  const life = world.lives;
  const name = `last/${life}/life`;
  world.trace.push(`${clock.monotonic()} ${name} does the rest${restored ? ' with --restored' : ''}`);
  const process = makeProcess(clock, life, () => undefined);
  const db = openLedger(world, process, name, aloneLine);
  const isDead = () => true;
  try {
    await resumePaused(db, process.clock);
    const runners = accountNames.map((account) => {
      const { gateway, limiter, callbackUrl } = openSimulatedAccount(
        world,
        { process, name, life, isCut: () => false },
        account,
      );
      return makeAccountRunner(
        {
          ...{ db, gateway, limiter, settings },
          clock: process.clock,
          random: world.random.fork(`${name}/${account}`),
          log: { info: () => undefined, warn: () => undefined },
        },
        { account, service: testService, holder: name, isDead, callbackUrl, restored },
      );
    });
    // A slot that a dead machine has left is free after ten minutes.
    const pace = { cron: '* * * * *', lookMs: 60_000, looks: 16, bringMs: 8_000 };
    const job = { plan: { job: plan.job }, faults: world.faults, trace: world.trace };
    await Promise.all([
      ...runners.map((runner) => runner.run(patienceMs)),
      runJob(job, process, db, { holder: name, isDead, pace }),
    ]);
    return null;
  } catch (error) {
    if (!(error instanceof AirbatchError)) throw error;
    world.trace.push(`${clock.monotonic()} ${name} ends by ${error.code}`);
    process.kill();
    return error.code;
  } finally {
    world.server.closeAllOf(name);
  }
}

async function hasWork(world: FleetWorld): Promise<boolean> {
  const process = makeProcess(world.clock, 0, () => undefined);
  const db = openLedger(world, process, 'outside', aloneLine);
  for (const batch of await unfinishedBatches(db)) {
    if (await isHalted(db, batch)) continue;
    const open = (await pageRows(db, batch.batch_id, 0, rowsMax)).filter(({ status }) => !isTerminal(status));
    const isLeft = ({ status, next_action_at }: RowRecord) =>
      status === 'held' || (status === 'in_doubt' && next_action_at === null);
    // What is left to people alone, no program ends.
    if (open.length === 0 || !open.every(isLeft)) return true;
  }
  return false;
}
