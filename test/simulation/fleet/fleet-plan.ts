import { calmPlan, makePlan, type Plan } from '../plan.ts';
import { makeSeededRandom, type SeededRandom } from '../seeded-random.ts';
import type { Cut } from './connections.ts';

/** What strikes one machine, at a time (ms of world time) or at a step of it (a commit or a request of any machine). */
export type Strike =
  | { kind: 'kill' }
  /** SIGSTOP, and SIGCONT after so long. */
  | { kind: 'freeze'; ms: number }
  /** The whole machine is suspended: its monotonic clock stands still. */
  | { kind: 'suspend'; ms: number }
  | { kind: 'cut_database'; ms: number; cut: Cut }
  | { kind: 'cut_service'; ms: number }
  /** SIGTERM: a planned hand-over. */
  | { kind: 'stop' }
  /** Somebody sets its wall clock. */
  | { kind: 'set_clock'; byMs: number };

/** Everything that goes wrong for a fleet, made from the seed. */
export interface FleetPlan {
  seed: number;
  machines: number;
  /** How far the clock of each machine is from the world's (ms). */
  skewsMs: number[];
  databaseSkewMs: number;
  /** The rows of the first file of each account. */
  accounts: number[];
  /** Later files: of an account, with some of the rows of the first, at a time. */
  laterFiles: { account: number; atMs: number; rows: number; overlap: number }[];
  /** People pause all batches, and resume them a while later. */
  pauses: { atMs: number; ms: number }[];
  /** Until when the fleet works; then all is calm, and one program does the rest. */
  fleetMs: number;
  timed: { atMs: number; machine: number; strike: Strike }[];
  stepped: { atStep: number; strike: Strike }[];
  /** Of a hundred commits. */
  slowCommits: number;
  unknownCommits: number;
  /** Of a hundred times that a machine asks for accounts, it gets those of another one. */
  wrongPlacing: number;
  placementLostAtMs: number | null;
  failOver: { atMs: number; lostMs: number; toldAfterMs: number } | null;
  job: boolean;
  /** Creations in ten seconds; null: the usual limit. */
  limit: number | null;
  /** The network to the service, the numbers that are declined, and webhooks: as for one program. */
  service: Plan;
}

function makeStrike(random: SeededRandom, clockMsMax: number): Strike {
  const some = random.between(1, 100);
  if (some <= 22) return { kind: 'kill' };
  if (some <= 44) return { kind: 'freeze', ms: random.between(500, 30_000) };
  if (some <= 56) return { kind: 'suspend', ms: random.between(5_000, 30_000) };
  if (some <= 74)
    return { kind: 'cut_database', ms: random.between(500, 25_000), cut: random.percent(50) ? 'reset' : 'silent' };
  if (some <= 80) return { kind: 'cut_service', ms: random.between(1_000, 60_000) };
  if (some <= 92) return { kind: 'stop' };
  return { kind: 'set_clock', byMs: random.between(-clockMsMax, clockMsMax) };
}

export function makeFleetPlan(seed: number): FleetPlan {
  const random = makeSeededRandom(seed).fork('fleet');
  const wildness = random.pick([0.4, 1, 1, 2]);
  const machines = random.between(2, 5);
  const fleetMs = random.between(25_000, 90_000);
  const accounts = Array.from({ length: random.between(1, 3) }, () => random.between(2, 10));
  const some = (most: number) => Array.from({ length: random.between(0, Math.round(most * wildness)) });
  const single = makePlan(seed);
  const rows = accounts.reduce((sum, count) => sum + count, 0);
  const hasFailOver = random.percent(15);
  const job = random.percent(20);
  // A job of every minute has a slot for each that a clock is ahead.
  const clockMsMax = job ? 60_000 : 7_200_000;
  const failOverAtMs = random.between(5_000, fleetMs);
  return {
    seed,
    machines,
    skewsMs: Array.from({ length: machines }, () =>
      random.percent(10) ? random.between(-clockMsMax, clockMsMax) : random.between(-20_000, 20_000),
    ),
    databaseSkewMs: random.between(-10_000, 10_000),
    accounts,
    laterFiles: some(2).map(() => ({
      account: random.between(1, accounts.length),
      atMs: random.between(1_000, fleetMs),
      rows: random.between(1, 6),
      overlap: random.between(0, 3),
    })),
    pauses: random.percent(20) ? [{ atMs: random.between(1_000, fleetMs), ms: random.between(500, 20_000) }] : [],
    fleetMs,
    timed: some(4).map(() => ({
      atMs: random.between(500, fleetMs),
      machine: random.between(1, machines),
      strike: makeStrike(random, clockMsMax),
    })),
    stepped: some(4).map(() => ({ atStep: random.between(1, 120), strike: makeStrike(random, clockMsMax) })),
    slowCommits: random.percent(30) ? random.between(1, 15) : 0,
    unknownCommits: random.percent(40) ? random.between(1, 10) : 0,
    wrongPlacing: random.percent(30) ? random.between(1, 30) : 0,
    placementLostAtMs: random.percent(10) ? random.between(1_000, fleetMs) : null,
    failOver: hasFailOver
      ? { atMs: failOverAtMs, lostMs: random.between(0, 4_000), toldAfterMs: random.between(1_000, 20_000) }
      : null,
    job,
    limit: null,
    service: {
      ...calmPlan(single.version, rows),
      seed,
      network: single.network,
      declined: random.percent(40) ? [random.between(1, 10)] : [],
      webhooks: accounts.length === 1 ? single.webhooks : null,
      calmAfterMs: fleetMs,
    },
  };
}
