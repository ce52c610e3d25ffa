import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../simulation/seeded-random.ts';
import type { CommandResult, RunningCommand } from '../support/command.ts';
import type { CutConnection } from '../support/cut-connection.ts';
import type { Fleet } from '../support/fleet.ts';
import type { PostgresPair } from './postgres-pair.ts';

/** A worker of a fleet, and its way to the database. */
export interface Member {
  command: RunningCommand;
  way: CutConnection;
}

export interface Chaos {
  fleet: Fleet;
  pair: PostgresPair;
  random: SeededRandom;
  members: Member[];
  /** Starts a worker, with more options of `airbatch serve`. */
  join(...options: string[]): Promise<Member>;
  /** From now on, everybody reaches the server that is the primary now. */
  leadToPrimary(): void;
  /** How long accounts of struck workers were without another holder (ms), by strike. */
  takeOvers: Map<StrikeName, number[]>;
  /** What is wrong, in words. */
  violations: string[];
}

/** A worker has ended, or its accounts have gone to others, after this time at the latest. */
const endMsMax = 180_000;
const restoredCode = 6;

export const strikes = { kill, term, suspend, cut, sever, away, slow, failOver } as const;
export type StrikeName = keyof typeof strikes;

async function kill(chaos: Chaos, member: Member): Promise<void> {
  const { command } = member;
  const own = await accountsOf(chaos, member);
  command.child.kill('SIGKILL');
  await noteTakeOver('kill', chaos, { member, own, withinMs: endMsMax });
  await replace(chaos, member, 'kill', ({ signal }) => signal === 'SIGKILL');
}

/** As a rolling upgrade does. On a busy machine, requests may take longer than `--grace`: then it ends with 5. */
async function term(chaos: Chaos, member: Member): Promise<void> {
  const own = await accountsOf(chaos, member);
  member.command.child.kill('SIGTERM');
  await noteTakeOver('term', chaos, { member, own, withinMs: endMsMax });
  await replace(chaos, member, 'term', ({ code }) => code === 0 || code === 5);
}

/** Often for longer than its leases last. */
async function suspend(chaos: Chaos, member: Member): Promise<void> {
  const { child } = member.command;
  const own = await accountsOf(chaos, member);
  child.kill('SIGSTOP');
  const withinMs = chaos.random.between(1_000, 25_000);
  const woken = sleep(withinMs).then(() => child.kill('SIGCONT'));
  await noteTakeOver('suspend', chaos, { member, own, withinMs });
  await woken;
}

/** In the middle of a commit: the program cannot know whether the server has received it. */
async function cut({ random }: Chaos, { way }: Member): Promise<void> {
  way.cutAtCommit(random.percent(50) ? 'before' : 'answer');
}

/** The worker cannot reach the database. */
async function sever({ random }: Chaos, { way }: Member): Promise<void> {
  way.sever();
  await sleep(random.between(500, 20_000));
  way.mend();
}

/** The database is away for all. */
async function away({ random, members }: Chaos): Promise<void> {
  for (const { way } of members) way.sever();
  await sleep(random.between(500, 20_000));
  for (const { way } of members) way.mend();
}

/** The worker is far from the database: sometimes so far that it takes it for lost. */
async function slow({ random }: Chaos, { way }: Member): Promise<void> {
  way.slow(random.between(20, random.percent(50) ? 200 : 3_000));
  await sleep(random.between(1_000, 15_000));
  way.slow(0);
}

/**
 * The replica takes over, and lacks what was committed last. All workers end, and so does one that starts, until a
 * person says `--restored`.
 */
async function failOver(chaos: Chaos): Promise<void> {
  const { random, pair, join } = chaos;
  const before = [...chaos.members];
  await pair.failOver(random.percent(70) ? random.between(200, 3_000) : 0);
  chaos.leadToPrimary();
  const restored = ({ code }: CommandResult) => code === restoredCode;
  await requireEnd(chaos, await join(), 'a start after a fail-over', restored);
  // A person may be sooner than the programs that still run.
  const isSoon = random.percent(50);
  if (isSoon) chaos.members = [await join('--restored')];
  for (const member of before) await requireEnd(chaos, member, 'a fail-over', restored);
  if (!isSoon) chaos.members = [await join('--restored')];
  while (chaos.members.length < before.length) chaos.members.push(await join());
}

async function accountsOf({ fleet }: Chaos, { command }: Member): Promise<string[]> {
  return (await fleet.holders()).get(command.child.pid ?? 0) ?? [];
}

/** Waits until others hold the accounts, and notes how long it took. */
async function noteTakeOver(
  name: StrikeName,
  { fleet, takeOvers, violations }: Chaos,
  { member: { command }, own, withinMs }: { member: Member; own: readonly string[]; withinMs: number },
): Promise<void> {
  if (own.length === 0) return;
  const since = performance.now();
  while (performance.now() - since < withinMs) {
    const holders = await fleet.holders();
    holders.delete(command.child.pid ?? 0);
    const held = [...holders.values()].flat();
    if (own.every((account) => held.includes(account))) {
      takeOvers.set(name, [...(takeOvers.get(name) ?? []), performance.now() - since]);
      return;
    }
    await sleep(50);
  }
  // A worker that was suspended for a moment keeps its accounts.
  if (name !== 'suspend') violations.push(`${name}: nobody takes over ${own.join(', ')}`);
}

async function replace(
  chaos: Chaos,
  member: Member,
  name: StrikeName,
  isExpected: (result: CommandResult) => boolean,
): Promise<void> {
  await requireEnd(chaos, member, name, isExpected);
  chaos.members[chaos.members.indexOf(member)] = await chaos.join();
}

async function requireEnd(
  { violations }: Chaos,
  { command }: Member,
  what: string,
  isExpected: (result: CommandResult) => boolean,
): Promise<void> {
  const result = await Promise.race([command.ended, sleep(endMsMax, null, { ref: false })]);
  if (result === null) {
    violations.push(`${what}: a worker does not end`);
    command.child.kill('SIGKILL');
  } else if (!isExpected(result))
    violations.push(`${what}: a worker ended with ${result.code ?? result.signal}: ${result.stderr.slice(-500)}`);
}
