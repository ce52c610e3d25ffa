import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../src/ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import { makeVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import { judge, type SeenRequest, type SeenWebhook, type Verdict } from '../invariants.ts';
import type { OlderCopy } from '../restore.ts';
import { makeSeededRandom, type SeededRandom } from '../seeded-random.ts';
import { openService, type SimulatedService, type SimulatedWebhook } from '../service.ts';
import type { WireOptions } from '../wire.ts';
import { note, type RunResult } from '../world.ts';
import { type DatabaseServer, makeDatabaseServer } from './database-server.ts';
import { type BeforeFailOver, durableNow } from './durable.ts';
import { finish } from './finish.ts';
import { type FleetPlan, makeFleetPlan } from './fleet-plan.ts';
import { makeLeaseWatch } from './lease-watch.ts';
import { type Machine, makeMachine } from './machine.ts';
import { giveFiles, runPeople } from './people.ts';
import { makePlaced, type Placed } from './placed.ts';
import { withinLimit } from './within-limit.ts';

/** Everything around the fleet. */
export interface FleetWorld {
  plan: FleetPlan;
  clock: VirtualClock;
  random: SeededRandom;
  server: DatabaseServer;
  service: SimulatedService;
  placed: Placed;
  machines: Machine[];
  accountNames: string[];
  seen: SeenRequest[];
  webhooks: SeenWebhook[];
  faults: Map<string, number>;
  trace: string[];
  steps: number;
  stepsOf: Map<string, number>;
  lives: number;
  calmAfterMs: number;
  rowsByBatch: Map<string, number>;
  restoredAt: number | null;
  /** What the new primary lacks, and when a person has said that it does: see `OlderCopy`. */
  olderCopy: OlderCopy | null;
  /** What the database that was lost had acknowledged: see `BeforeFailOver`. */
  before: BeforeFailOver | null;
  /** Whether people know that the database has failed over, and have said so. */
  isRestoreSaid: boolean;
  /** What was wrong while it happened. */
  wrong: Verdict[];
  /** How often a delivery of a webhook was kept as a new one. */
  keptWebhooks: Map<string, number>;
  /** How many creations of a machine's account are on the wire, by "machine account". */
  onWire: Map<string, number>;
  /** An error that no program may end by. */
  broken: unknown;
  wireWorld: WireOptions['world'];
  onStep(machine: Machine, name: string): void;
}

const memoryFolder = '/dev/shm';
/** A fleet looks at everything much more often than one program. */
const jumpsMax = 2_000_000;

let newLedger: Promise<Buffer> | null = null;

async function readNewLedger(path: string): Promise<Buffer> {
  const database = openSqlite(path);
  await migrate(database);
  await database.close();
  return readFileSync(path);
}

/** A person has heard of the fail-over, and says so. */
export function sayRestored(world: FleetWorld): void {
  world.isRestoreSaid = true;
  if (world.olderCopy) world.olderCopy.saidAt ??= world.clock.monotonic();
}

export const accountName = (index: number): string => `account-${index}`;

function strikeSteps(world: FleetWorld, machine: Machine, name: string): void {
  world.steps += 1;
  const count = (world.stepsOf.get(name) ?? 0) + 1;
  world.stepsOf.set(name, count);
  for (const { step, when, atStep, strike } of world.plan.stepped) {
    if (name !== `${step}:${when}` || atStep !== count || world.clock.monotonic() >= world.calmAfterMs) continue;
    world.trace.push(`at step ${count} (${name})`);
    machine.strike(strike);
  }
}

async function makeWorld(plan: FleetPlan, folder: string, clock: VirtualClock): Promise<FleetWorld> {
  const random = makeSeededRandom(plan.seed).fork('fleet world');
  newLedger ??= readNewLedger(join(folder, 'new.db'));
  const commits = random.fork('commits');
  const watchLeases = makeLeaseWatch();
  const server = makeDatabaseServer({
    folder,
    clock,
    skewMs: plan.databaseSkewMs,
    bytes: await newLedger,
    commitMs: (owner) => {
      // The first operator gives the files, before the fleet begins.
      if (owner.startsWith('last/') || owner === 'operator-1') return 0;
      if (clock.monotonic() >= plan.fleetMs || !commits.percent(plan.slowCommits)) return commits.between(0, 3);
      return commits.between(100, 12_000);
    },
    onCommit({ owner, engineAccounts, leases, now }) {
      const at = { now, server: world.server.path(), onWire: world.onWire };
      const wrong = watchLeases(owner, leases, at);
      for (const { account, holder } of engineAccounts)
        if (holder !== owner) wrong.push(`${owner} wrote for ${account}, which ${holder} holds`);
      world.wrong.push(...wrong.map((what) => ({ invariant: 'I11', what })));
    },
  });
  const service = await openService(clock, plan.service, (webhook) => receiveWebhook(world, webhook), {
    limits: { creation: plan.accounts.length },
    windowMs: plan.windowMs,
  });
  const [seen, faults, trace]: [SeenRequest[], Map<string, number>, string[]] = [[], new Map(), []];
  const world: FleetWorld = {
    ...{ plan, clock, random, server, service, seen, faults, trace },
    placed: makePlaced({ clock, random: random.fork('placed') }, () =>
      clock.monotonic() < plan.fleetMs ? plan.wrongPlacing : 0,
    ),
    machines: [],
    accountNames: plan.accounts.map((_, index) => accountName(index + 1)),
    webhooks: [],
    steps: 0,
    stepsOf: new Map(),
    lives: 0,
    calmAfterMs: plan.fleetMs,
    rowsByBatch: new Map(),
    restoredAt: null,
    olderCopy: null,
    before: null,
    isRestoreSaid: false,
    wrong: [],
    keptWebhooks: new Map(),
    onWire: new Map(),
    broken: null,
    wireWorld: {
      ...{ clock, plan: plan.service, seen, service, faults, trace },
      steps: 0,
      sends: [],
      calmAfterMs: plan.fleetMs,
    },
    onStep: (machine, name) => strikeSteps(world, machine, name),
  };
  world.machines = plan.skewsMs.map((_, index) => makeMachine(world, index + 1));
  return world;
}

async function receiveWebhook(world: FleetWorld, webhook: SimulatedWebhook): Promise<number> {
  const { clock, random, machines, webhooks, trace } = world;
  await clock.sleep(random.between(1, 200));
  const running = machines.filter((machine) => machine.isRunning());
  if (running.length === 0) throw new Error('nobody listens');
  const receive = async () => {
    const answer = await random.pick(running).receiveWebhook(webhook);
    const name = `${webhook.scheme} ${JSON.stringify(webhook.headers)} ${webhook.body}`;
    const count = (world.keptWebhooks.get(name) ?? 0) + (answer === 'now' ? 1 : 0);
    world.keptWebhooks.set(name, count);
    if (count > 1) world.wrong.push({ invariant: 'I9', what: `a webhook was kept as new ${count} times` });
    return answer;
  };
  // Another machine gets it as well: the service has lost the answer, and has sent it again.
  if (random.percent(20)) void receive().catch(() => undefined);
  const received = await receive();
  trace.push(`${clock.monotonic()} webhook ${webhook.scheme} ${received}`);
  const isAcknowledged = received === 'now' || received === 'before';
  const digest = createHash('sha256').update(webhook.body).digest('hex');
  webhooks.push({ digest, genuine: webhook.genuine, isAcknowledged });
  return isAcknowledged ? 200 : received === 'rejected' ? 401 : 503;
}

/** The database is lost, and its replica becomes the primary: what the replica had not got yet is gone. */
async function failOver(world: FleetWorld): Promise<void> {
  const { plan, clock, server } = world;
  if (plan.failOver === null) return;
  const { atMs, lostMs } = plan.failOver;
  await clock.sleep(Math.max(0, atMs - lostMs));
  server.replicate();
  await clock.sleep(lostMs);
  note(world, 'fail_over', `with ${lostMs} ms lost at ${clock.monotonic()}`);
  const before = durableNow(world);
  server.failOver();
  const has = (reference: string) =>
    server.committed('SELECT 1 AS one FROM payments WHERE reference = ?', [reference]).length > 0;
  const references = world.service.payments().map(({ reference }) => reference);
  const olderCopy: OlderCopy = { lost: new Set(references.filter((one) => !has(one))), saidAt: null };
  // What was acknowledged and is lost with it, nobody has any more.
  Object.assign(world, { webhooks: [], keptWebhooks: new Map(), restoredAt: clock.monotonic(), olderCopy, before });
}

async function live(world: FleetWorld): Promise<void> {
  const { plan, clock, machines, placed } = world;
  await giveFiles(world);
  for (const machine of machines) void clock.sleep(world.random.between(0, 4_000)).then(() => machine.start(false));
  for (const { atMs, machine, strike } of plan.timed)
    void clock.sleep(atMs).then(() => machines[machine - 1]?.strike(strike));
  if (plan.placementLostAtMs !== null) {
    void clock.sleep(plan.placementLostAtMs).then(() => {
      note(world, 'placement_lost', `at ${clock.monotonic()}`);
      placed.lose();
    });
  }
  void failOver(world);
  await runPeople(world);
  await finish(world);
}

/** Runs one plan of a fleet to rest, and judges it. */
export async function simulateFleet(plan: FleetPlan): Promise<RunResult> {
  const folder = mkdtempSync(join(existsSync(memoryFolder) ? memoryFolder : tmpdir(), 'airbatch-fleet-'));
  const clock = makeVirtualClock(undefined, jumpsMax);
  const world = await makeWorld(plan, folder, clock);
  try {
    const circles: Verdict[] = await clock.drive(live(world)).then(
      () => [],
      (error: Error) => [{ invariant: 'I15', what: error.message }],
    );
    const {
      seen: requests,
      webhooks,
      restoredAt,
      olderCopy,
      rowsByBatch,
      faults,
      steps,
      lives,
      trace,
      service,
      server,
    } = world;
    server.stop();
    const db = openSqlite(server.path());
    const isBlind = restoredAt !== null && plan.service.version === 'v1';
    const payments = service.payments();
    const unseen = new Set(isBlind ? payments.map(({ reference }) => reference) : []);
    const facts = { rowsByBatch, payments, requests, webhooks, restoredAt, isBlind, unseen, olderCopy };
    const judged = await judge({ db, ...facts, haveReadAgain: false });
    await db.close();
    const violations = [...circles, ...world.wrong, ...judged, ...withinLimit(plan, requests)];
    if (world.broken !== null) violations.push({ invariant: 'ended', what: String(world.broken) });
    const traceHash = createHash('sha256').update(trace.join('\n')).digest('hex');
    return { seed: plan.seed, violations, faults, steps, sends: [], commits: [], lives, traceHash, trace };
  } finally {
    await world.service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function simulateFleetSeed(seed: number): Promise<RunResult> {
  return simulateFleet(makeFleetPlan(seed));
}
