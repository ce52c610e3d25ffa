import { AirbatchError } from '../../../src/core/basics/errors.ts';
import type { Clock } from '../../../src/core/time/clock.ts';
import { approve, pauseBatch, resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { findBatch, listBatches, unfinishedBatches } from '../../../src/ledger/batches/batches.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import type { NewRow } from '../../../src/ledger/rows/rows.ts';
import { aBatch, aRow, unplanned } from '../../support/ledger.ts';
import { isHalted } from '../invariants.ts';
import { makeProcess, type SimulatedProcess } from '../process.ts';
import { receiveBatch } from '../received.ts';
import { note } from '../world.ts';
import type { Line } from './connections.ts';
import { accountName, type FleetWorld, sayRestored } from './fleet-world.ts';
import { openLedger } from './machine.ts';

/** The line of a machine that nothing strikes. */
export const soundLine: Line = { cut: () => null, commitFate: () => 'told' };

/** The rows of an account's first file have numbers of their own in the whole fleet. */
const rowsApart = 40;

interface File {
  batchId: string;
  account: number;
  run: string;
  rows: NewRow[];
}

function rowsOf({ service, plan }: FleetWorld, account: number, numbers: readonly number[], batchId: string): NewRow[] {
  return numbers.map((number, index) => {
    const row = service.row(account * rowsApart + number, plan.service.declined.includes(number));
    return aRow(index + 1, { ...row, batch_id: batchId, row_no: index + 1 });
  });
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function give(
  world: FleetWorld,
  db: Database,
  clock: Clock,
  { batchId, account, run, rows }: File,
): Promise<void> {
  const actor = { db, clock, person: 'approver', through: 'cli' as const };
  if (!(await findBatch(db, batchId)))
    await receiveBatch(db, clock, aBatch({ batch_id: batchId, account: accountName(account), run_id: run }), rows);
  world.rowsByBatch.set(batchId, rows.length);
  if ((await findBatch(db, batchId))?.status === 'validated') await approve(actor, batchId, unplanned);
}

/** One process of an operator: a command with a ledger of its own. */
async function operate(world: FleetWorld, work: (db: Database, process: SimulatedProcess) => Promise<void>) {
  for (let tries = 0; tries < 20; tries++) {
    world.lives += 1;
    const process = makeProcess(world.clock, world.lives, () => undefined);
    try {
      return await work(openLedger(world, process, `operator-${world.lives}`, soundLine), process);
    } catch (error) {
      if (!(error instanceof AirbatchError)) throw error;
      world.trace.push(`${world.clock.monotonic()} an operator meets ${error.code}`);
      await world.clock.sleep(5_000);
    }
  }
}

/** What is there before the fleet starts. */
export async function giveFiles(world: FleetWorld): Promise<void> {
  await operate(world, async (db, { clock }) => {
    for (const [index, count] of world.plan.accounts.entries()) {
      const batchId = `batch-${index + 1}`;
      const rows = rowsOf(world, index + 1, numbersTo(count), batchId);
      await give(world, db, clock, { batchId, account: index + 1, run: `a${index + 1}`, rows });
    }
  });
}

async function giveLater(world: FleetWorld): Promise<void> {
  const files = world.plan.laterFiles.toSorted((one, other) => one.atMs - other.atMs);
  for (const [index, { account, atMs, rows: count, overlap }] of files.entries()) {
    await world.clock.sleep(Math.max(0, atMs - world.clock.monotonic()));
    const batchId = `later-${index + 1}`;
    // The same rows under the same run, or for the same people under another one: the fleet must not pay them twice.
    const run = index % 2 === 0 ? `a${account}` : `a${account}-${index}`;
    const numbers = [...numbersTo(overlap), ...numbersTo(count).map((number) => 12 + index * 6 + number)];
    const rows = rowsOf(world, account, numbers, batchId);
    await operate(world, (db, { clock }) => give(world, db, clock, { batchId, account, run, rows }));
    note(world, 'later_file', batchId);
  }
}

export async function resumePaused(db: Database, clock: Clock): Promise<void> {
  // An approval may be lost with a database that has failed over.
  for (const { batch_id, status } of await listBatches(db, 100))
    if (status === 'validated')
      await approve({ db, clock, person: 'approver', through: 'cli' as const }, batch_id, unplanned);
  for (const { batch_id } of await unfinishedBatches(db)) {
    const batch = await findBatch(db, batch_id);
    if (batch?.status !== 'paused' || (await isHalted(db, batch))) continue;
    await resumeBatch({ db, clock, person: 'operator', through: 'cli' as const }, batch_id);
  }
}

async function pauseAll(world: FleetWorld): Promise<void> {
  for (const { atMs, ms } of world.plan.pauses) {
    await world.clock.sleep(atMs);
    await operate(world, async (db, { clock }) => {
      for (const { batch_id } of await unfinishedBatches(db))
        await pauseBatch({ db, clock, person: 'operator', through: 'cli' as const }, batch_id, 'a look').catch(
          (error) => {
            if (!(error instanceof AirbatchError) || error.code.startsWith('LEDGER_')) throw error;
          },
        );
    });
    await world.clock.sleep(ms);
    await operate(world, (db, { clock }) => resumePaused(db, clock));
  }
}

/** Programs that have ended are started again a while later; after a fail-over, once a person has said so. */
async function restart(world: FleetWorld): Promise<void> {
  const { clock, random, machines, plan } = world;
  while (clock.monotonic() < plan.fleetMs) {
    await clock.sleep(random.between(1_000, 8_000));
    for (const machine of machines) {
      if (machine.isRunning() || !random.percent(70) || clock.monotonic() < 5_000) continue;
      const isTime =
        plan.failOver !== null &&
        world.restoredAt !== null &&
        clock.monotonic() > world.restoredAt + plan.failOver.toldAfterMs;
      const restored = isTime && !world.isRestoreSaid;
      if (restored) sayRestored(world);
      machine.start(restored);
    }
  }
}

/** Everything that people do while the fleet works. */
export async function runPeople(world: FleetWorld): Promise<void> {
  await Promise.all([giveLater(world), pauseAll(world), restart(world)]);
}
