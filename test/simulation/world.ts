import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AirbatchError } from '../../src/core/errors.ts';
import { makeAccountRunner } from '../../src/engine/account-runner.ts';
import { approve, resumeBatch } from '../../src/engine/acts.ts';
import { defaultEngineSettings } from '../../src/engine/settings.ts';
import { makeGateway } from '../../src/gateway/make-gateway.ts';
import { findBatch, unfinishedBatches } from '../../src/ledger/batches.ts';
import type { NewRow } from '../../src/ledger/rows.ts';
import { makeVirtualLimiter } from '../../src/limiter/virtual-limiter.ts';
import { aBatch, aRow, addBatch } from '../support/ledger.ts';
import { makeVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import { type Disk, makeDisk } from './disk.ts';
import { judge, type SeenRequest, type Verdict } from './invariants.ts';
import { makePlan, type Plan } from './plan.ts';
import { makeProcess, type SimulatedProcess } from './process.ts';
import { makeSeededRandom, type SeededRandom } from './seeded-random.ts';
import { openService, type SimulatedService } from './service.ts';
import { makeWire } from './wire.ts';

export interface RunResult {
  seed: number;
  violations: Verdict[];
  /** How often each fault struck. */
  faults: Map<string, number>;
  steps: number;
  lives: number;
  /** SHA-256 over everything that happened, in order. */
  traceHash: string;
  trace: string[];
}

/** How long after the last fault everything has to be at rest: past the aged look-ups of a doubt (31 h), twice over. */
const restMsMax = 72 * 3_600_000;

interface World {
  plan: Plan;
  clock: VirtualClock;
  random: SeededRandom;
  disk: Disk;
  service: SimulatedService;
  seen: SeenRequest[];
  faults: Map<string, number>;
  trace: string[];
  steps: number;
  lives: number;
  rowsByBatch: Map<string, number>;
}

/** Runs one plan to rest, and judges it. */
export async function simulate(plan: Plan, options: { cutAcknowledged?: boolean } = {}): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), 'airbatch-simulation-'));
  const clock = makeVirtualClock();
  const random = makeSeededRandom(plan.seed).fork('world');
  const world: World = {
    plan,
    clock,
    random,
    disk: makeDisk({ folder, random: random.fork('disk'), ...options }),
    service: await openService(clock, plan),
    seen: [],
    faults: new Map(),
    trace: [],
    steps: 0,
    lives: 0,
    rowsByBatch: new Map(),
  };
  try {
    await clock.drive(live(world));
    const db = await world.disk.inspect();
    const violations = await judge({
      db,
      rowsByBatch: world.rowsByBatch,
      payments: await world.service.payments(),
      requests: world.seen,
      reviewAllowed: true,
    });
    await db.close();
    const traceHash = createHash('sha256').update(world.trace.join('\n')).digest('hex');
    return { seed: plan.seed, violations, faults: world.faults, steps: world.steps, lives: world.lives, traceHash, trace: world.trace };
  } finally {
    await world.service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function simulateSeed(seed: number): Promise<RunResult> {
  return simulate(makePlan(seed));
}

/** Life after life, until one ends with nothing left to do after all faults are over. */
async function live(world: World): Promise<void> {
  const { plan, clock } = world;
  await receiveFiles(world);
  const end = plan.calmAfterMs + restMsMax;
  for (;;) {
    const rested = await liveOnce(world);
    const calm = clock.monotonic() >= plan.calmAfterMs && world.steps > lastStep(plan);
    if (rested && (calm || !(await hasWork(world)))) return;
    if (clock.monotonic() > end) return;
    // An operator, or a scheduler, starts it again a while later.
    await clock.sleep(world.random.between(1_000, 30_000));
  }
}

function lastStep({ crashes, suspensions, disk, clockJumps }: Plan): number {
  return Math.max(0, ...[...crashes, ...suspensions, ...disk, ...clockJumps].map(({ atStep }) => atStep));
}

async function hasWork(world: World): Promise<boolean> {
  const db = await world.disk.inspect();
  return (await unfinishedBatches(db)).length > 0;
}

async function receiveFiles(world: World): Promise<void> {
  const { plan } = world;
  const rows = Array.from({ length: plan.rows }, (_, index) => world.service.row(index + 1, plan.declined.includes(index + 1)));
  await receive(world, 'batch-1', rows);
  const { secondFile } = plan;
  if (!secondFile) return;
  const again = Array.from({ length: secondFile.rows }, (_, index) => {
    const same = index < secondFile.overlap;
    const row = world.service.row(same ? index + 1 : 100 + index, same && plan.declined.includes(index + 1));
    const changed = index < secondFile.changedAmounts ? { amount: '77' } : {};
    return { ...row, ...changed, batch_id: 'batch-2', row_no: index + 1 };
  });
  await receive(world, 'batch-2', again);
}

async function receive(world: World, batchId: string, rows: readonly NewRow[]): Promise<void> {
  const process = makeProcess(world.clock, () => undefined);
  const db = await world.disk.open(process);
  world.rowsByBatch.set(batchId, rows.length);
  await addBatch(db, process.clock, aBatch({ batch_id: batchId }), rows.map((row, index) => aRow(index + 1, { ...row, batch_id: batchId })));
  await approve({ db, clock: process.clock, name: 'approver' }, batchId, null);
}

/** One life of the program. Resolves with true when it ended by itself with nothing left that time alone would move. */
async function liveOnce(world: World): Promise<boolean> {
  const { plan, clock, disk, trace } = world;
  world.lives += 1;
  const process: SimulatedProcess = makeProcess(clock, (name) => strike(world, process, name));
  disk.fail(null);
  trace.push(`life ${world.lives} at ${clock.monotonic()}`);
  const outcome = await Promise.race([
    process.death.then(() => 'died' as const),
    runProgram(world, process).then(
      () => 'rested' as const,
      (error: unknown) => error,
    ),
  ]);
  if (outcome === 'died') {
    const crash = plan.crashes.find(({ atStep }) => atStep === world.steps);
    disk.loseMemory({ powerLoss: crash?.powerLoss ?? false });
    return false;
  }
  if (outcome === 'rested') return true;
  // Whatever ends the program otherwise must be an error that it has a name for.
  if (!(outcome instanceof AirbatchError)) throw outcome;
  trace.push(`ended by ${outcome.code}`);
  process.kill();
  disk.loseMemory({ powerLoss: false });
  return false;
}

/** The plan's faults that strike at a step of the process. */
function strike(world: World, process: SimulatedProcess, name: string): void {
  if (process.isDead()) return;
  world.steps += 1;
  const { plan, steps, faults, trace } = world;
  const note = (fault: string) => {
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    trace.push(`${fault} at step ${steps} (${name})`);
  };
  for (const { byMs } of plan.clockJumps.filter(({ atStep }) => atStep === steps)) {
    note('clock_jump');
    world.clock.setWall(world.clock.now() + byMs);
  }
  const disk = plan.disk.find(({ atStep }) => atStep === steps);
  if (disk) {
    note(disk.fault);
    world.disk.fail(disk.fault);
  }
  const frozen = plan.suspensions.find(({ atStep }) => atStep === steps);
  if (frozen) {
    note('suspended');
    process.suspend(frozen.ms);
  }
  const crash = plan.crashes.find(({ atStep }) => atStep === steps);
  if (crash) {
    note(crash.powerLoss ? 'power_loss' : 'crash');
    process.kill();
  }
}

/** `airbatch resume`, as the operator would start it. */
async function runProgram(world: World, process: SimulatedProcess): Promise<void> {
  const { plan, seen, faults, trace, clock } = world;
  const db = await world.disk.open(process);
  const { account, handle } = world.service;
  const random = world.random.fork(`life-${world.lives}`);
  const wire = makeWire(
    { plan, world: clock, random: random.fork('wire'), handle, intentOf: world.disk.intentOf, seen, faults, trace: (line) => trace.push(`${clock.monotonic()} ${line}`) },
    process,
    world.lives,
  );
  const limiter = makeVirtualLimiter({ version: plan.version }, { clock: process.clock });
  const gateway = makeGateway(account, {
    clock: process.clock,
    transport: wire,
    onRate: (requestClass, headers) => limiter.observe(requestClass, headers),
  });
  for (const { batch_id } of await unfinishedBatches(db)) {
    const batch = await findBatch(db, batch_id);
    // A mismatch is for a person to look at; everything else an operator resumes.
    if (batch?.status === 'paused' && batch.pause_reason !== 'service_mismatch') {
      await resumeBatch({ db, clock: process.clock, name: 'operator' }, batch_id);
    }
  }
  const silent = { info: () => undefined, warn: () => undefined };
  const settings = { ...defaultEngineSettings, idlePollMs: 600_000, leaseTtlMs: 600_000 };
  const runner = makeAccountRunner(
    { db, gateway, limiter, clock: process.clock, random, log: silent, settings },
    { account: 'main', holder: `world/${world.lives}`, isDead: (holder) => holder !== `world/${world.lives}`, callbackUrl: null },
  );
  await runner.run(36 * 3_600_000);
}
