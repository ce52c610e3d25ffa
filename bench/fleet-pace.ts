import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { AccountRequests } from './accounts-service.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { type Fleet, type FleetUsage, inFleet, servers, usedBetween } from './fleet-base.ts';
import { approveBatch } from './ledger.ts';
import { defaultLimits } from './workplace.ts';

/** How many of the accounts pay, window by window, on how many workers. */
const plans: Plan[] = [
  { workers: 1, accounts: 1_000, sizes: [200, 500, 1_000], windowMs: 60_000 },
  { workers: 4, accounts: 1_000, sizes: [200, 500, 1_000], windowMs: 60_000 },
];
const quickPlan: Plan = { workers: 1, accounts: 2, sizes: [1, 2], windowMs: 1_000 };
const rate = 60;
/**
 * The part of a window before its end in which further accounts begin. That window is not measured: each sends what its
 * service allows in it within this time.
 */
const beginShare = 0.25;

interface Plan {
  workers: number;
  /** The accounts that the workers hold; those that do not pay are idle. */
  accounts: number;
  sizes: number[];
  windowMs: number;
}

/**
 * Many accounts at the service's rate on the workers of a fleet. In every other window of the service further accounts
 * begin to pay. In the whole window after it, the bench counts how many of the rows that the service allows arrive, and
 * what they cost.
 */
export const bench: Bench = async ({ quick }) => {
  const figures: Figure[] = [];
  for (const plan of quick ? [quickPlan] : plans) figures.push(...(await payBy(plan)));
  const notes = [
    `Each worker holds its share of ${plans[0]?.accounts} accounts, of which so many pay, each with a limit of ${rate} a minute; the others are idle. ${servers}`,
    '"Time / least time" compares the rows that the service allows in a minute with those that arrived, of the account in the middle and of the slowest one. Where the cores are busy, more accounts need more machines.',
    'Statements, round trips and processor time are those of the whole minute, with the idle accounts. Further accounts begin in a minute of their own, which is not measured.',
  ];
  return { figures, notes };
};

/** What was used when a window began or ended, or soon after it. */
interface Mark {
  /** Epoch milliseconds. */
  at: number;
  usage: FleetUsage;
  cores: Cores;
}

async function payBy({ workers, accounts, sizes, windowMs }: Plan): Promise<Figure[]> {
  const names = Array.from({ length: accounts }, (_, number) => `account-${number}`);
  const options = {
    size: workers,
    accounts: names,
    limits: defaultLimits(windowMs),
    service: { rate, windowMs, settleMs: 300 },
  };
  return await inFleet(options, async (fleet) => {
    const batches = await addBatches(fleet, names, sizes);
    const marks: [from: Mark, to: Mark][] = [];
    for (const [step, size] of sizes.entries()) {
      await wait(msUntil(1 - beginShare, windowMs));
      // Together, because one by one they would take longer than is left of the window.
      await Promise.all(batches.slice(sizes[step - 1] ?? 0, size).map((batch) => approveBatch(fleet.db, batch)));
      await wait(msUntil(1, windowMs));
      const from = await mark(fleet);
      await wait(msUntil(1, windowMs));
      marks.push([from, await mark(fleet)]);
    }
    const requests = await fleet.service.requests();
    return sizes.flatMap((size, step) => {
      const [from, to] = marks[step] as (typeof marks)[number];
      const asked = names.slice(0, size).map((name) => requests[name] as AccountRequests);
      return figuresOf(`${size} accounts, workers: ${workers}`, asked, { from, to, windowMs });
    });
  });
}

/** Each account has rows for all windows in which it pays. */
async function addBatches(fleet: Fleet, names: readonly string[], sizes: readonly number[]): Promise<string[]> {
  const batches: string[] = [];
  for (const [number, name] of names.entries()) {
    // For one window more: on a machine that has too much to do, the windows that are measured begin later.
    const windows = 1 + 2 * sizes.filter((size) => size > number).length;
    batches.push(await fleet.addBatch(name, windows * rate));
  }
  return batches;
}

/** Until so much of the window has passed, of this one or of the next. */
function msUntil(share: number, windowMs: number): number {
  const left = share * windowMs - (Date.now() % windowMs);
  return left > 0 ? left : left + windowMs;
}

async function mark(fleet: Fleet): Promise<Mark> {
  return { at: Date.now(), usage: await fleet.usage(), cores: coresNow() };
}

interface Cores {
  idleMs: number;
  allMs: number;
}

function coresNow(): Cores {
  const times = cpus().map(({ times }) => times);
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
  return { idleMs, allMs: times.reduce((sum, one) => sum + one.user + one.nice + one.sys + one.irq + one.idle, 0) };
}

function figuresOf(
  name: string,
  asked: readonly AccountRequests[],
  { from, to, windowMs }: { from: Mark; to: Mark; windowMs: number },
): Figure[] {
  const [begin, end] = [from.at, to.at].map((at) => Math.floor(at / windowMs) * windowMs) as [number, number];
  const allowed = (rate * (end - begin)) / windowMs;
  const arrived = asked.map(({ acceptedAt }) => acceptedAt.filter((at) => at >= begin && at < end).length);
  const rows = arrived.reduce((sum, count) => sum + count, 0);
  const paces = arrived.map((count) => allowed / Math.max(1, count));
  const used = usedBetween(from.usage, to.usage);
  const msOfRow = (seconds: number) => (seconds * 1_000) / Math.max(1, rows);
  const busy = 1 - (to.cores.idleMs - from.cores.idleMs) / (to.cores.allMs - from.cores.allMs);
  const goal = { atMost: 1.03 };
  return [
    { name: `${name}: rows`, value: (rows * 1_000) / (end - begin), unit: 'rows/s' },
    { name: `${name}: time / least time, median`, value: median(paces), unit: 'x', goal },
    { name: `${name}: time / least time, worst`, value: Math.max(...paces), unit: 'x', goal },
    {
      name: `${name}: answers of 429`,
      value: asked.reduce((sum, { throttled }) => sum + throttled, 0),
      unit: 'requests',
      goal: { atMost: 0 },
    },
    { name: `${name}: main threads`, value: msOfRow(used.mainSeconds), unit: 'ms/row' },
    { name: `${name}: all threads of the workers`, value: msOfRow(used.cpuSeconds), unit: 'ms/row' },
    { name: `${name}: processor time of PostgreSQL`, value: msOfRow(used.databaseSeconds), unit: 'ms/row' },
    { name: `${name}: statements`, value: used.statements / Math.max(1, rows), unit: 'statements/row' },
    { name: `${name}: round trips`, value: used.roundTrips / Math.max(1, rows), unit: 'round trips/row' },
    {
      name: `${name}: connections`,
      value: Math.max(from.usage.connections, to.usage.connections),
      unit: 'connections',
    },
    { name: `${name}: memory of the largest worker`, value: to.usage.residentMiB, unit: 'MiB' },
    { name: `${name}: all cores busy`, value: busy * 100, unit: '%' },
  ];
}
