import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { approve } from '../../src/engine/batches/batch-commands.ts';
import { listBatches, unfinishedBatches } from '../../src/ledger/batches/batches.ts';
import { countOverdue } from '../../src/ledger/rows/in-flight-rows.ts';
import type { NewRow } from '../../src/ledger/rows/rows.ts';
import { aBatch, aRow, unplanned } from '../support/ledger.ts';
import { makeVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import { leaveForApproval, waitingBatch } from './approvals.ts';
import { type Disk, makeDisk } from './disk.ts';
import { isHalted, judge, type SeenRequest, type SeenWebhook, type Verdict } from './invariants.ts';
import { makePlan, type Plan } from './plan.ts';
import { holderName, makeProcess, type SimulatedProcess } from './process.ts';
import { type Program, startProgram } from './program.ts';
import { receiveBatch } from './received.ts';
import { judgeReports } from './reports.ts';
import { backUp, type OlderCopy, restore, showsLost } from './restore.ts';
import { asNamed } from './row-refs.ts';
import { makeSeededRandom, type SeededRandom } from './seeded-random.ts';
import { openService, type SimulatedService, type SimulatedWebhook } from './service.ts';

export interface RunResult {
  seed: number;
  violations: Verdict[];
  /** How often each fault struck. */
  faults: Map<string, number>;
  steps: number;
  /**
   * The steps at which requests left, whose answers can be lost, and those before commits, which the disk can refuse.
   */
  sends: number[];
  commits: number[];
  lives: number;
  /** SHA-256 over everything that happened, in order. */
  traceHash: string;
  trace: string[];
}

/** The simulated disk says itself what survives, so the real one need not be waited for. */
const memoryFolder = '/dev/shm';
/** How long after the last fault everything has to be at rest: past the aged look-ups of a doubt (31 h), twice over. */
const restMsMax = 72 * 3_600_000;
/** The reports are written and judged after every so many seeds. */
const seedsPerReports = 8;
/** How long an account is held without being renewed: long, since virtual days are spent idle. */
export const leaseTtlMs = 600_000;
/** Past the second reading of a row that has ended, and its last page: the readings begin a day apart. */
const readAgainMs = 75 * 3_600_000;

/** Everything around the program: time, chance, the disk, the service, and what was seen of it all. */
export interface World {
  plan: Plan;
  clock: VirtualClock;
  random: SeededRandom;
  disk: Disk;
  service: SimulatedService;
  seen: SeenRequest[];
  webhooks: SeenWebhook[];
  faults: Map<string, number>;
  trace: string[];
  steps: number;
  sends: number[];
  commits: number[];
  lives: number;
  /** The processes that live, frozen ones too. */
  processes: Set<SimulatedProcess>;
  /** The one that webhooks reach. */
  program: Program | null;
  rowsByBatch: Map<string, number>;
  /** How often an operator has retried what failed, and whether the next program begins with it. */
  retries: number;
  retryNext: boolean;
  /** Whether somebody says what became of the rows that the service does not end. */
  resolveNext: boolean;
  /** Whether the run's rows were fed in again, and whether the next program begins with it. */
  fedAgain: boolean;
  feedNext: boolean;
  /** Whether the next program's second person approves what waits, whichever life it is. */
  approveNext: boolean;
  /** The process with which the operator gives files just now: he does not do it with two at once. */
  givenBy: SimulatedProcess | null;
  /**
   * The process with which approvals are tried just now: what is changed behind one that approves is changed after its
   * approval.
   */
  approvedBy: SimulatedProcess | null;
  /** Whether a second program has ended or died: what it left behind, the first one may no longer look at. */
  rivalIsGone: boolean;
  /** Every file that was given to the program. */
  files: GivenFile[];
  /** Until when (world time) the network has faults: as the plan says, and for as long again after a restore. */
  calmAfterMs: number;
  /** Whether a backup was taken, when it was put back (world time), and whether the next program is told. */
  isBackedUp: boolean;
  restoredAt: number | null;
  sayRestored: boolean;
  /** Where nobody says so before the program asks for it. */
  olderCopy: OlderCopy | null;
  /** References of payments that the restored ledger cannot know of. */
  unseen: ReadonlySet<string>;
  /** The files that an operator gives after that. */
  filesLeft: Omit<GivenFile, 'batchId'>[];
  /** Whether a program has read again what has ended, after all faults. */
  haveReadAgain: boolean;
}

/** A file as an operator gives it. */
export interface GivenFile {
  batchId: string;
  runId: string;
  rows: readonly NewRow[];
}

/** Whether no process lives that holds by this name: what the machine's own table of processes would say. */
export function isDead({ processes }: World, holder: string): boolean {
  return ![...processes].some((process) => holderName(process.life) === holder && !process.isDead());
}

/** Runs one plan to rest, and judges it. `cutAcknowledged` is the control that the checks must catch every time. */
export async function simulate(
  plan: Plan,
  { jumpsMax, ...options }: { cutAcknowledged?: boolean; jumpsMax?: number } = {},
): Promise<RunResult> {
  const folder = mkdtempSync(join(existsSync(memoryFolder) ? memoryFolder : tmpdir(), 'airbatch-simulation-'));
  const clock = makeVirtualClock(undefined, jumpsMax);
  const random = makeSeededRandom(plan.seed).fork('world');
  const world: World = {
    plan,
    clock,
    random,
    disk: await makeDisk({ folder, random: random.fork('disk'), clock, ...options }),
    service: await openService(clock, plan, (webhook) => receiveWebhook(world, webhook)),
    seen: [],
    webhooks: [],
    faults: new Map(),
    trace: [],
    steps: 0,
    sends: [],
    commits: [],
    lives: 0,
    processes: new Set(),
    program: null,
    rowsByBatch: new Map(),
    retries: 0,
    retryNext: false,
    resolveNext: false,
    fedAgain: false,
    feedNext: false,
    approveNext: false,
    givenBy: null,
    approvedBy: null,
    rivalIsGone: false,
    files: [],
    calmAfterMs: plan.calmAfterMs,
    isBackedUp: false,
    restoredAt: null,
    sayRestored: false,
    olderCopy: null,
    unseen: new Set(),
    filesLeft: [],
    haveReadAgain: false,
  };
  try {
    const circles = await clock.drive(live(world).then(() => readAgain(world))).then(
      () => [],
      (error: Error) => [{ invariant: 'I15', what: error.message }],
    );
    // A program that never rests may be waiting for the disk, and nothing moves the clock any more.
    world.disk.endWaits();
    const db = await world.disk.inspect();
    const { rowsByBatch, seen, webhooks } = world;
    const { restoredAt } = world;
    const isBlind = restoredAt !== null && !showsLost(plan);
    const payments = world.service.payments();
    for (const { reference, arrivedAfterAllAt } of payments)
      if (arrivedAfterAllAt !== null) note(world, 'failed_then_paid', `${reference} at ${arrivedAfterAllAt}`);
    const { olderCopy, unseen, haveReadAgain } = world;
    const facts = {
      rowsByBatch,
      payments,
      requests: seen,
      webhooks,
      restoredAt,
      isBlind,
      unseen,
      olderCopy,
      haveReadAgain,
    };
    const judged = await judge({ db, ...facts });
    // Reports take as long as all the rest.
    const reported =
      plan.seed % seedsPerReports === 0
        ? await judgeReports({ db, clock, folder: join(folder, 'reports'), ...facts }, await listBatches(db, 1_000))
        : [];
    const lost = world.disk.losses();
    const stale = world.disk.staleWrites();
    const fenced = stale > 0 ? [{ invariant: 'I11', what: `${stale} writes under a stale fence` }] : [];
    const losses = lost > 0 ? [{ invariant: 'I9', what: `what was acknowledged was gone after ${lost} deaths` }] : [];
    const violations = [...circles, ...losses, ...fenced, ...judged, ...reported];
    const traceHash = createHash('sha256').update(world.trace.join('\n')).digest('hex');
    const { faults, steps, sends, commits, lives, trace } = world;
    return { seed: plan.seed, violations, faults, steps, sends, commits, lives, traceHash, trace };
  } finally {
    await world.disk.close();
    await world.service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function simulateSeed(seed: number, options: { jumpsMax?: number } = {}): Promise<RunResult> {
  return simulate(makePlan(seed), options);
}

/** Counts a fault, and writes it down. */
export function note({ faults, trace }: Pick<World, 'faults' | 'trace'>, fault: string, where: string): void {
  faults.set(fault, (faults.get(fault) ?? 0) + 1);
  trace.push(`${fault} ${where}`);
}

/** A person does this with one process at a time; what one has begun that has died since, the next one may do. */
export async function alone(
  world: World,
  what: 'givenBy' | 'approvedBy',
  process: SimulatedProcess,
  work: () => Promise<void>,
): Promise<void> {
  const by = world[what];
  if (by !== null && !by.isDead()) return;
  world[what] = process;
  await work();
  world[what] = null;
}

/** After all faults, a program stays for days, and reads again what has ended. */
async function readAgain(world: World): Promise<void> {
  if (!world.plan.readsAgain) return;
  world.lives += 1;
  world.trace.push(`life ${world.lives} reads again at ${world.clock.monotonic()}`);
  const process = makeProcess(world.clock, world.lives, () => undefined);
  world.haveReadAgain = (await runTo(world, process, readAgainMs)) === 'rested';
  if (world.haveReadAgain) note(world, 'read_again', `as life ${world.lives}`);
}

/** Life after life, until one ends with nothing left to do after all faults are over. */
async function live(world: World): Promise<void> {
  const { plan, clock } = world;
  backUp(world, 'new');
  await receiveFiles(world);
  backUp(world, 'received');
  const end = plan.calmAfterMs + restMsMax * (1 + Number(plan.restore !== null) + Number(plan.off !== null));
  for (;;) {
    const rested = await liveOnce(world);
    backUp(world, 'begun');
    if (await restore(world, rested)) continue;
    await turnOff(world);
    const calm = clock.monotonic() >= world.calmAfterMs && world.steps > lastStep(plan);
    if (rested && world.processes.size === 0 && (calm || !(await hasWork(world)))) {
      const mayRetry = world.retries < plan.retries;
      const mayFeed = plan.fedAgainAtLife !== null && !world.fedAgain;
      // People pay again what has failed: some at once, some when the service has completed it meanwhile.
      const mayPayAgain = mayFeed && plan.fedAgainAs !== 'whole_file';
      const waits = world.rivalIsGone || (await isWaiting(world));
      world.rivalIsGone = false;
      // While a batch waits, the faults that the plan still has may have nothing to strike.
      const isStuck = calm && (await hasOverdue(world));
      const hasMore = mayPayAgain || (calm && (mayRetry || mayFeed));
      if (!waits && !isStuck && world.filesLeft.length === 0 && !hasMore) return;
      world.resolveNext = isStuck;
      world.approveNext = waits;
      world.retries += calm && mayRetry ? 1 : 0;
      world.retryNext = calm && mayRetry;
      world.feedNext = mayPayAgain || (calm && mayFeed);
      if (mayPayAgain) await clock.sleep(plan.paidAgainAfterMs);
    }
    if (clock.monotonic() > end) return;
    // An operator, or a scheduler, starts it again a while later.
    await clock.sleep(world.random.between(1_000, 30_000));
  }
}

/** The machine is off for a while after the life that the plan says. It may come back with the time of before. */
async function turnOff(world: World): Promise<void> {
  const { plan, clock, lives, processes } = world;
  if (plan.off?.afterLife !== lives || processes.size > 0) return;
  const { ms, clockStands } = plan.off;
  note(world, clockStands ? 'off_clock_stands' : 'off', `for ${ms} ms, after life ${lives}`);
  const wallMs = clock.now();
  await clock.sleep(ms);
  if (clockStands) clock.setWall(wallMs);
  world.calmAfterMs = clock.monotonic() + plan.calmAfterMs;
}

function lastStep({ crashes, suspensions, disk, clockJumps }: Plan): number {
  return Math.max(0, ...[...crashes, ...suspensions, ...disk, ...clockJumps].map(({ atStep }) => atStep));
}

async function hasWork(world: World): Promise<boolean> {
  const db = await world.disk.inspect();
  const unfinished = await unfinishedBatches(db);
  for (const batch of unfinished) if (!(await isHalted(db, batch))) return true;
  return false;
}

/** Whether a batch waits for a second person, or for a program to send it. */
async function isWaiting(world: World): Promise<boolean> {
  const batches = await listBatches(await world.disk.inspect(), 100);
  return batches.some(({ status }) => status === 'awaiting_approval' || status === 'approved');
}

/** Whether a row is left that the service does not end, of a batch that anybody works on. */
async function hasOverdue(world: World): Promise<boolean> {
  const db = await world.disk.inspect();
  for (const batch of await unfinishedBatches(db))
    if (!(await isHalted(db, batch)) && (await countOverdue(db, batch.batch_id)) > 0) return true;
  return false;
}

async function receiveFiles(world: World): Promise<void> {
  const { plan } = world;
  const rows = Array.from({ length: plan.rows }, (_, index) =>
    world.service.row(index + 1, plan.declined.includes(index + 1)),
  );
  await receive(world, 'batch-1', rows);
  const { secondFile } = plan;
  if (!secondFile) return;
  const again = Array.from({ length: secondFile.rows }, (_, index) => {
    const same = index < secondFile.overlap;
    const row = world.service.row(same ? index + 1 : 100 + index, same && plan.declined.includes(index + 1));
    const changed = index < secondFile.changedAmounts ? { amount: String(77 + index) } : {};
    return asNamed(plan, { ...row, ...changed, batch_id: 'batch-2', row_no: index + 1 });
  });
  await receive(world, 'batch-2', again, secondFile.otherRun ? 'run-2' : 'run-1');
}

async function receive(world: World, batchId: string, rows: readonly NewRow[], runId = 'run-1'): Promise<void> {
  const process = makeProcess(world.clock, 0, () => undefined);
  const db = await world.disk.open(process);
  world.rowsByBatch.set(batchId, rows.length);
  const numbered = rows.map((row, index) => aRow(index + 1, { ...row, batch_id: batchId }));
  world.files.push({ batchId, runId, rows: numbered });
  const { finishAfterMs } = world.plan;
  const finish_by = finishAfterMs && process.clock.now() + finishAfterMs;
  if (world.plan.approvedAtLife !== null && batchId === 'batch-1') {
    const batch = aBatch({ batch_id: batchId, run_id: runId, finish_by, ...waitingBatch });
    await receiveBatch(db, process.clock, batch, numbered);
    return leaveForApproval(db, process, batchId);
  }
  await receiveBatch(db, process.clock, aBatch({ batch_id: batchId, run_id: runId, finish_by }), numbered);
  await approve({ db, clock: process.clock, person: 'approver', through: 'cli' as const }, batchId, unplanned);
}

/** One life of the program. Resolves with true when it ended by itself with nothing left that time alone would move. */
async function liveOnce(world: World): Promise<boolean> {
  const { clock, disk, trace, plan } = world;
  world.lives += 1;
  const process: SimulatedProcess = makeProcess(clock, world.lives, (name) => strike(world, process, name));
  disk.fail(null);
  trace.push(`life ${world.lives} at ${clock.monotonic()}`);
  const outcome = await runTo(world, process);
  if (outcome === 'rested') return true;
  if (outcome === 'died') {
    // The machine died, so whoever lived on it died as well.
    for (const other of world.processes) other.kill();
    world.processes.clear();
    const crash = plan.crashes.find(({ atStep }) => atStep === world.steps);
    disk.loseMemory({ powerLoss: crash?.powerLoss ?? false });
  }
  return false;
}

/** Runs the program in a process until it rests, dies, or ends by an error that it has a name for. */
async function runTo(
  world: World,
  process: SimulatedProcess,
  staysMs: number | null = null,
): Promise<'rested' | 'died' | 'ended'> {
  world.processes.add(process);
  const program = startProgram(world, process, world.lives, staysMs);
  world.program = program;
  const outcome = await Promise.race([
    process.death.then(() => 'died' as const),
    program.ended.then(
      () => 'rested' as const,
      (error: unknown) => error,
    ),
  ]);
  world.processes.delete(process);
  if (world.program === program) world.program = null;
  if (outcome === 'died' || outcome === 'rested') return outcome;
  if (!(outcome instanceof AirbatchError)) throw outcome;
  world.trace.push(`ended by ${outcome.code}`);
  if (outcome.code === 'LEDGER_RESTORED') sayRestored(world);
  process.kill();
  return 'ended';
}

/** The program stands still before an older copy of the ledger: a person says that it is one. */
function sayRestored(world: World): void {
  world.sayRestored = true;
  if (world.olderCopy) world.olderCopy.saidAt ??= world.clock.monotonic();
}

/** The plan's faults that strike at a step of the process. */
function strike(world: World, process: SimulatedProcess, name: string): void {
  if (process.isDead()) return;
  world.steps += 1;
  const { plan, steps } = world;
  if (name === 'commit:before') world.commits.push(steps);
  const where = `at step ${steps} (${name})`;
  for (const { byMs } of plan.clockJumps.filter(({ atStep }) => atStep === steps)) {
    note(world, 'clock_jump', where);
    world.clock.setWall(world.clock.now() + byMs);
  }
  const disk = plan.disk.find(({ atStep }) => atStep === steps);
  if (disk) {
    note(world, disk.fault, where);
    world.disk.fail(disk.fault, disk.once);
  }
  const frozen = plan.suspensions.find(({ atStep }) => atStep === steps);
  if (frozen) {
    note(world, 'suspended', where);
    process.suspend(frozen.ms);
    if (frozen.rival) void startRival(world);
  }
  const crash = plan.crashes.find(({ atStep }) => atStep === steps);
  if (crash) {
    note(world, crash.powerLoss ? 'power_loss' : 'crash', where);
    process.kill();
  }
}

/** Somebody starts the program a second time, as soon as the account can be had. */
async function startRival(world: World): Promise<void> {
  await world.clock.sleep(leaseTtlMs);
  if (world.processes.size === 0) return;
  world.lives += 1;
  const process: SimulatedProcess = makeProcess(world.clock, world.lives, (name) => strike(world, process, name));
  note(world, 'rival', `as life ${world.lives}`);
  if ((await runTo(world, process)) !== 'rested') world.rivalIsGone = true;
}

/** What a webhook meets where the program should listen: nobody, somebody frozen, or the receiver. */
async function receiveWebhook(world: World, webhook: SimulatedWebhook): Promise<number> {
  await world.clock.sleep(world.random.between(1, 200));
  // What was taken into a ledger that a restore then does away with is gone with it.
  const { program, trace, webhooks } = world;
  if (!program) throw new Error('nobody listens');
  const received = await program.receiveWebhook(webhook);
  const { scheme, genuine, body } = webhook;
  trace.push(`${world.clock.monotonic()} webhook ${scheme}${genuine ? '' : ' forged'} ${received}`);
  const isAcknowledged = received === 'now' || received === 'before';
  webhooks.push({ digest: createHash('sha256').update(body).digest('hex'), genuine, isAcknowledged });
  return isAcknowledged ? 200 : received === 'rejected' ? 401 : 503;
}
