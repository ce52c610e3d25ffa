import { setTimeout as wait } from 'node:timers/promises';
import { until } from './accounts.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { type Fleet, inFleet } from './fleet-base.ts';
import { approveBatch } from './ledger.ts';
import type { ServeProcess } from './serve-child.ts';

const size = 4;
const accountsEach = 3;
const rowsEach = 1_500;
/** How often each account may pay, so that a pause of its requests is seen. */
const ratePerSecond = 2;
const takeOversMin = 50;
/** How many workers are killed at the same time. */
const killedMax = 2;
/** Requests that a worker had sent before it was killed arrive until then; nobody takes an account over so soon. */
const inFlightMs = 1_000;

/**
 * How soon the accounts of a worker are paid from elsewhere: after workers were killed, and while they are replaced one
 * after the other, as for an upgrade.
 */
export const bench: Bench = async ({ quick }) => {
  const workers = quick ? 2 : size;
  const accounts = Array.from({ length: workers * accountsEach }, (_, number) => `account-${number}`);
  const limit = { limit: ratePerSecond, windowMs: 1_000 };
  const read = { limit: 1_000, windowMs: 1_000 };
  const service = { limits: { creation: ratePerSecond, read: 1_000 }, windowMs: 1_000, settleMs: 300 };
  const figures = await inFleet(
    { size: workers, accounts, limits: { creation: limit, read }, service },
    async (fleet) => {
      for (const account of accounts) await approveBatch(fleet.db, await fleet.addBatch(account, rowsEach));
      await until(async () => (await sent(fleet, accounts, 0)).length === accounts.length, 100);
      const figures = await upgrade(fleet, quick ? 1 : workers);
      return quick ? figures : [...figures, ...(await killMany(fleet))];
    },
  );
  const notes = [
    `${size} workers, each as if on a machine of its own, and ${size * accountsEach} accounts that pay ${ratePerSecond} rows a second each. ${killedMax} workers are killed at the same time, and two new ones start; each account counts once, from the kill until the service accepts its next request.`,
    'A hand-over is the longest time between two requests of an account while its worker is stopped by SIGTERM and a new one starts.',
  ];
  return { figures, notes };
};

/** The accounts from which the service has accepted a request since then. */
async function sent({ service }: Fleet, accounts: readonly string[], since: number): Promise<string[]> {
  const requests = await service.requests();
  return accounts.filter((account) => (requests[account]?.acceptedAt.at(-1) ?? 0) > since);
}

async function accountsOf(fleet: Fleet, workers: readonly ServeProcess[]) {
  const pids = await Promise.all(workers.map(async (worker) => (await worker.usage()).pid));
  const holders = await fleet.holders();
  return { pids, accounts: [...holders].flatMap(([account, pid]) => (pids.includes(pid) ? account : [])) };
}

/** Stops workers one after the other, each once a new one has its share. */
async function upgrade(fleet: Fleet, stops: number): Promise<Figure[]> {
  const pauses: number[] = [];
  for (let stopped = 0; stopped < stops; stopped++) {
    await fleet.join();
    await fleet.spread(1);
    const [worker] = fleet.workers.splice(0, 1);
    if (!worker) throw new Error('a fleet has workers');
    const { accounts } = await accountsOf(fleet, [worker]);
    const begun = Date.now();
    await worker[Symbol.asyncDispose]();
    const end = Date.now();
    await until(async () => (await sent(fleet, accounts, end + inFlightMs)).length === accounts.length, 100);
    const requests = await fleet.service.requests();
    for (const account of accounts) pauses.push(longestPause(requests[account]?.acceptedAt ?? [], begun));
  }
  return figuresOf('pause of an account that is handed over', pauses, 2);
}

/** The longest time between two requests, of which the second is later than `since` (ms). */
function longestPause(acceptedAt: readonly number[], since: number): number {
  const pauses = acceptedAt.flatMap((at, index) => (at > since && index > 0 ? at - (acceptedAt[index - 1] ?? at) : []));
  return Math.max(...pauses);
}

async function killMany(fleet: Fleet): Promise<Figure[]> {
  const times: number[] = [];
  while (times.length < takeOversMin) {
    await fleet.spread(accountsEach - 1);
    const killed = fleet.workers.splice(0, killedMax);
    const { pids, accounts } = await accountsOf(fleet, killed);
    const at = Date.now();
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await Promise.all(killed.map(() => fleet.join()));
    await wait(inFlightMs);
    await until(async () => (await sent(fleet, accounts, at + inFlightMs)).length === accounts.length, 100);
    const requests = await fleet.service.requests();
    for (const account of accounts) {
      const next = requests[account]?.acceptedAt.find((one) => one > at + inFlightMs) ?? Number.NaN;
      times.push(next - at);
    }
  }
  return figuresOf(`${times.length} accounts of killed workers send again after`, times, 15);
}

function figuresOf(name: string, ms: readonly number[], atMost: number): Figure[] {
  return [
    { name: `${name}: median`, value: median(ms) / 1_000, unit: 's' },
    { name: `${name}: worst`, value: Math.max(...ms) / 1_000, unit: 's', goal: { atMost } },
  ];
}
