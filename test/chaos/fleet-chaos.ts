import { setTimeout as sleep } from 'node:timers/promises';
import { makeSeededRandom, type SeededRandom } from '../simulation/seeded-random.ts';
import type { RunningCommand } from '../support/command.ts';
import { type CutConnection, openCutConnection } from '../support/cut-connection.ts';
import { type Fleet, makeFleet, until } from '../support/fleet.ts';
import type { Lifetime } from '../support/folder.ts';
import { startPostgres } from '../support/postgres.ts';

const strikes = ['kill', 'suspend', 'cut', 'sever', 'away', 'term'] as const;
type Strike = (typeof strikes)[number];

/** What many strikes against a fleet came to. */
export interface FleetChaosResult {
  rows: number;
  strikes: Map<Strike, number>;
  /** How long the accounts of a killed worker were without a holder, each time (ms). */
  takeOvers: number[];
  /** What was wrong, in words; empty is a pass. */
  violations: string[];
}

interface Member {
  command: RunningCommand;
  /** Its way to the database. */
  way: CutConnection;
}

const workers = 4;
const creationsPerSecond = 1;
/** Rows that wait for lookups after a strike do not end for a while. */
const stillMsMax = 180_000;

/**
 * Runs a fleet of real workers over one PostgreSQL for so many minutes, and strikes a worker every few seconds: it is
 * killed, suspended past its lease, stopped as for an upgrade, or its connections to the database are cut. At times the
 * database is away for all of them.
 */
export async function fleetChaos({
  minutes,
  accounts: accountsMax,
  seed,
}: {
  minutes: number;
  accounts: number;
  seed: number;
}): Promise<FleetChaosResult> {
  const random = makeSeededRandom(seed);
  const accounts = Array.from({ length: accountsMax }, (_, index) => `account-${index + 1}`);
  const result: FleetChaosResult = { rows: 0, strikes: new Map(), takeOvers: [], violations: [] };
  await using end = new AsyncDisposableStack();
  const lifetime: Lifetime = { after: (work) => end.defer(async () => void (await work())) };
  const postgres = await startPostgres();
  lifetime.after(() => postgres.stop());
  const fleet = await makeFleet(lifetime, { accounts, creationsPerSecond, ledgerUrl: postgres.url });
  const join = async (): Promise<Member> => {
    const way = await openCutConnection(postgres.url);
    lifetime.after(() => way.close());
    return { way, command: await fleet.start(way.url) };
  };
  const members = [await join()];
  const rowsEach = Math.round(minutes * 60 * creationsPerSecond * 0.7);
  for (const account of accounts) await fleet.submit(account, rowsEach);
  result.rows = rowsEach * accounts.length;
  while (members.length < workers) members.push(await join());
  const over = performance.now() + minutes * 60_000;
  while (performance.now() < over) {
    await sleep(random.between(2_000, 8_000));
    const index = random.between(0, workers - 1);
    const strike = strikes[random.between(0, strikes.length - 1)] as Strike;
    result.strikes.set(strike, (result.strikes.get(strike) ?? 0) + 1);
    const member = members[index] as Member;
    const ways = (strike === 'away' ? members : [member]).map(({ way }) => way);
    const facts = { fleet, random, takeOvers: result.takeOvers };
    if (await strikeMember(strike, member, ways, facts)) continue;
    const { code, signal, stderr } = await member.command.ended;
    if (strike === 'term' ? code !== 0 : signal !== 'SIGKILL')
      result.violations.push(`${strike}: a worker ended with ${code ?? signal}: ${stderr.slice(-500)}`);
    members[index] = await join();
  }
  if (!(await comesToRest(fleet, result.rows)))
    result.violations.push(`rows do not end: ${JSON.stringify([...(await fleet.counts())])}`);
  for (const { command } of members)
    if (command.child.exitCode !== null)
      result.violations.push(`a worker has ended: ${(await command.ended).stderr.slice(-500)}`);
  result.violations.push(...(await fleet.violations()));
  return result;
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

/** Returns whether the worker lives on. */
async function strikeMember(
  strike: Strike,
  { command, way }: Member,
  ways: readonly CutConnection[],
  { fleet, random, takeOvers }: { fleet: Fleet; random: SeededRandom; takeOvers: number[] },
): Promise<boolean> {
  switch (strike) {
    case 'kill': {
      const own = (await fleet.holders()).get(command.child.pid ?? 0) ?? [];
      command.child.kill('SIGKILL');
      const since = performance.now();
      const isTaken = async () => {
        const holders = await fleet.holders();
        holders.delete(command.child.pid ?? 0);
        const held = [...holders.values()].flat();
        return own.every((account) => held.includes(account));
      };
      await until('the accounts of a killed worker are taken over', isTaken);
      takeOvers.push(performance.now() - since);
      return false;
    }
    case 'term':
      command.child.kill('SIGTERM');
      return false;
    case 'suspend':
      command.child.kill('SIGSTOP');
      await sleep(random.between(1_000, 25_000));
      command.child.kill('SIGCONT');
      return true;
    case 'cut':
      way.cutAt('COMMIT', random.percent(50) ? 'before' : 'answer');
      return true;
    case 'sever':
    case 'away':
      for (const one of ways) one.sever();
      await sleep(random.between(500, 20_000));
      for (const one of ways) one.mend();
      return true;
  }
}
