import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeSeededRandom, type SeededRandom } from '../simulation/seeded-random.ts';
import type { RunningCommand } from '../support/command.ts';
import { type CutConnection, openCutConnection } from '../support/cut-connection.ts';
import { type Fleet, makeFleet } from '../support/fleet.ts';
import type { Lifetime } from '../support/folder.ts';
import { type Chaos, type StrikeName, strikes } from './fleet-strikes.ts';
import { openPair } from './postgres-pair.ts';

/** What many strikes against a fleet came to. */
export interface FleetChaosResult {
  rows: number;
  strikes: Map<StrikeName, number>;
  /** How long accounts of struck workers were without another holder (ms), by strike. */
  takeOvers: Map<StrikeName, number[]>;
  /** What was wrong, in words; empty is a pass. */
  violations: string[];
}

export interface FleetChaosOptions {
  minutes: number;
  accounts: number;
  seed: number;
  /** Called with what happens, in words. */
  onStrike: (what: string) => void;
}

const workers = 4;
/** Of each account: so slow that two cores carry 40 of them, also beside other work. */
const creation = { limit: 1, windowMs: 8_000 };
/** The part of the time for which each account has rows: strikes cost some of it. */
const paidShare = 0.7;
/** Rows that wait for lookups after a strike do not end for a while. */
const stillMsMax = 180_000;

/**
 * Runs a fleet of real workers over a PostgreSQL with a streaming replica for so many minutes, and strikes every few
 * seconds: see `strikes`. Each account has rows for nearly the whole time.
 */
export async function fleetChaos({
  minutes,
  accounts: accountsMax,
  seed,
  onStrike,
}: FleetChaosOptions): Promise<FleetChaosResult> {
  const random = makeSeededRandom(seed);
  const accounts = Array.from({ length: accountsMax }, (_, index) => `account-${index + 1}`);
  await using end = new AsyncDisposableStack();
  const chaos = await prepare({ after: (work) => end.defer(async () => void (await work())) }, accounts, random);
  const rowsEach = Math.ceil((minutes * 60_000 * paidShare) / creation.windowMs);
  for (const account of accounts) await chaos.fleet.submit(account, rowsEach);
  while (chaos.members.length < workers) chaos.members.push(await chaos.join());
  const rows = rowsEach * accounts.length;
  const counts = new Map<StrikeName, number>();
  const begun = performance.now();
  for (let order: StrikeName[] = []; performance.now() - begun < minutes * 60_000; ) {
    await sleep(random.between(2_000, 8_000));
    if (order.length === 0) order = shuffled(random);
    const name = order.shift() as StrikeName;
    const index = random.between(0, workers - 1);
    onStrike(`${((performance.now() - begun) / 1_000).toFixed(0)} s: ${name} ${index + 1}`);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const member = chaos.members[index];
    if (member) await strikes[name](chaos, member);
  }
  onStrike('no strikes any more');
  const { violations, takeOvers } = chaos;
  if (!(await comesToRest(chaos.fleet, rows)))
    violations.push(`rows do not end: ${JSON.stringify([...(await chaos.fleet.counts())])}`);
  for (const { command } of chaos.members)
    if (command.child.exitCode !== null || command.child.signalCode !== null)
      violations.push(`a worker has ended: ${(await command.ended).stderr.slice(-500)}`);
  violations.push(...(await chaos.fleet.violations()));
  if (violations.length > 0) await keepEvidence(chaos, onStrike);
  return { rows, strikes: counts, takeOvers, violations };
}

interface Prepared extends Chaos {
  /** All workers that ever ran. */
  ever: RunningCommand[];
}

async function prepare(lifetime: Lifetime, accounts: readonly string[], random: SeededRandom): Promise<Prepared> {
  const pair = await openPair(lifetime);
  const ways = new Set<CutConnection>();
  const openWay = async () => {
    const way = await openCutConnection(pair.url());
    ways.add(way);
    lifetime.after(() => way.close());
    return way;
  };
  const { url: ledgerUrl } = await openWay();
  const fleet = await makeFleet(lifetime, { accounts, creation, ledgerUrl });
  const ever: RunningCommand[] = [];
  return {
    ...{ fleet, pair, random, ever, members: [], takeOvers: new Map(), violations: [] },
    async join(...options) {
      const way = await openWay();
      const command = await fleet.start(way.url, options);
      ever.push(command);
      return { way, command };
    },
    leadToPrimary() {
      for (const way of ways) way.lead(pair.url());
    },
  };
}

const rowsShownMax = 20;

/** Writes what shows the cause to a file: the logs of all workers, and the events of the first rows that are wrong. */
async function keepEvidence({ fleet, ever, violations }: Prepared, onStrike: (what: string) => void): Promise<void> {
  const parts = [violations.join('\n')];
  const rows = violations
    .map((text) => /^(.+)\/row-([0-9]+)(?=:| is)/.exec(text))
    .filter((found) => found !== null)
    .slice(0, rowsShownMax);
  for (const [, runId, row] of rows)
    parts.push(JSON.stringify(await fleet.history(String(runId), Number(row)), null, 1));
  for (const { child, ended } of ever) {
    child.kill('SIGKILL');
    const { stdout, stderr } = await ended;
    parts.push(`worker ${child.pid}:\n${stdout}\n${stderr}`);
  }
  const path = join(tmpdir(), `airbatch-chaos-${process.pid}.log`);
  writeFileSync(path, parts.join('\n\n'));
  onStrike(`evidence: ${path}`);
}

/** All strikes once. */
function shuffled(random: SeededRandom): StrikeName[] {
  const names = Object.keys(strikes) as StrikeName[];
  return names
    .map((name) => ({ name, place: random.fraction() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ name }) => name);
}

/** Waits until all rows have ended. False if none has ended for too long. */
async function comesToRest(fleet: Fleet, rows: number): Promise<boolean> {
  for (let ended = -1, since = performance.now(); performance.now() - since < stillMsMax; await sleep(1_000)) {
    const now = (await fleet.counts()).get('completed') ?? 0;
    if (now === rows) return true;
    if (now > ended) since = performance.now();
    ended = now;
  }
  return false;
}
