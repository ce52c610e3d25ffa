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
  /**
   * The hosts suspend the machines, which do not count it themselves: wall time alone shows it. Never where a clock is
   * set as well: nothing inside the machine can then show it.
   */
  suspendedByHosts: boolean;
  /** The rows of the first file of each account. */
  accounts: number[];
  /** Later files: of an account, with some of the rows of the first, at a time. */
  laterFiles: { account: number; atMs: number; rows: number; overlap: number }[];
  /** People pause all batches, and resume them a while later. */
  pauses: { atMs: number; ms: number }[];
  /** Until when the fleet works; then all is calm, and one program does the rest. */
  fleetMs: number;
  timed: { atMs: number; machine: number; strike: Strike }[];
  /**
   * At a commit or a request of any machine: before it, or after it. `made`: the database has committed, and the machine
   * does not know it yet.
   */
  stepped: { step: 'send' | 'commit'; when: 'before' | 'made' | 'after'; atStep: number; strike: Strike }[];
  /** Of a hundred commits. */
  slowCommits: number;
  unknownCommits: number;
  /** Of a hundred times that a machine asks for accounts, it gets those of another one. */
  wrongPlacing: number;
  placementLostAtMs: number | null;
  failOver: { atMs: number; lostMs: number; toldAfterMs: number } | null;
  job: boolean;
  /** One creation of each account in so long (ms). */
  windowMs: number;
  /** The network to the service, the numbers that are declined, and webhooks: as for one program. */
  service: Plan;
}

function makeStrike(random: SeededRandom, clockMsMax: number): Strike {
  const some = random.between(1, 100);
  if (some <= 22) return { kind: 'kill' };
  if (some <= 44) return { kind: 'freeze', ms: random.between(3_000, 30_000) };
  if (some <= 56) return { kind: 'suspend', ms: random.between(5_000, 30_000) };
  if (some <= 74)
    return { kind: 'cut_database', ms: random.between(500, 25_000), cut: random.percent(50) ? 'reset' : 'silent' };
  if (some <= 80) return { kind: 'cut_service', ms: random.between(1_000, 60_000) };
  if (some <= 92) return { kind: 'stop' };
  return { kind: 'set_clock', byMs: random.between(-clockMsMax, clockMsMax) };
}

/** Most seeds have more of one kind of fault, so that it meets everything else. */
function themed(plan: FleetPlan, random: SeededRandom): FleetPlan {
  const times = Array.from({ length: 8 });
  switch (random.between(1, 8)) {
    case 1:
      return {
        ...plan,
        skewsMs: plan.skewsMs.map(() => random.between(-60_000, 60_000)),
        wrongPlacing: 60,
        job: false,
      };
    case 2:
      return {
        ...plan,
        stepped: times.map(() => {
          const kind = random.pick(['freeze', 'suspend', 'suspend'] as const);
          const strike: Strike = { kind, ms: random.between(11_000, 25_000) };
          return { step: 'send' as const, when: 'before' as const, atStep: random.between(1, 20), strike };
        }),
      };
    case 3:
      return {
        ...plan,
        unknownCommits: 25,
        slowCommits: 20,
        service: { ...plan.service, network: { ...plan.service.network, throttled: 8 } },
      };
    case 4:
      return {
        ...plan,
        failOver: {
          atMs: random.between(5_000, plan.fleetMs - 5_000),
          lostMs: random.between(1_000, 6_000),
          toldAfterMs: random.between(10_000, 20_000),
        },
      };
    case 5:
      return {
        ...plan,
        pauses: times.map(() => ({ atMs: random.between(500, 4_000), ms: random.between(500, 3_000) })),
      };
    case 6:
      // Accounts that change their machine within a window, and soon after one another.
      return {
        ...plan,
        windowMs: Math.round(plan.fleetMs / random.between(2, 5)),
        timed: times.map((_, index) => ({
          atMs: Math.round((plan.fleetMs * (index + 1)) / 9) + random.between(0, 2_000),
          machine: random.between(1, plan.machines),
          strike: { kind: random.pick(['stop', 'stop', 'kill'] as const) },
        })),
      };
    case 8:
      // Cut off in the middle of a commit, for longer than a lease lasts, and so shortly that the commit is looked up.
      return {
        ...plan,
        stepped: times.map(() => {
          const strike: Strike = { kind: 'cut_database', ms: random.between(10_500, 15_000), cut: 'reset' };
          return { step: 'commit' as const, when: 'made' as const, atStep: random.between(1, 60), strike };
        }),
      };
    default:
      return plan;
  }
}

/**
 * In most fleets little goes wrong on the way to the service: a runner sends only once the service has answered it, and
 * a fleet works for seconds.
 */
function makeNetwork({ network }: Plan, random: SeededRandom): Plan['network'] {
  if (random.percent(20)) return network;
  const shares = Object.entries(network).map(([fault, percent]) => [fault, percent / 8]);
  return Object.fromEntries(shares) as Plan['network'];
}

export function makeFleetPlan(seed: number): FleetPlan {
  const random = makeSeededRandom(seed).fork('fleet');
  const wildness = random.pick([0.4, 1, 1, 2]);
  // Most fleets are small: a fault that needs several machines needs few rows.
  const isLarge = seed % 10 === 0;
  const machines = random.pick(isLarge ? [2, 3, 4, 5] : [2, 2, 3]);
  const fleetMs = isLarge ? random.between(20_000, 60_000) : random.between(12_000, 30_000);
  const accounts = Array.from({ length: random.pick(isLarge ? [1, 2, 3] : [1, 1, 1, 1, 2]) }, () =>
    isLarge ? random.between(4, 14) : random.between(2, 5),
  );
  // Faults strike at requests and commits that most fleets reach.
  const sendsMax = isLarge ? 40 : 20;
  // The rows last for most of the time, so that something is being sent whenever a fault strikes.
  const windowMs = Math.round(fleetMs / random.between(8, 24));
  const some = (most: number) => Array.from({ length: random.between(0, Math.round(most * wildness)) });
  const single = makePlan(seed);
  const rows = accounts.reduce((sum, count) => sum + count, 0);
  const hasFailOver = random.percent(20);
  const job = random.percent(20);
  // A job of every minute has a slot for each that a clock is ahead.
  const clockMsMax = job ? 60_000 : 7_200_000;
  const failOverAtMs = random.between(5_000, fleetMs);
  const plan: FleetPlan = {
    seed,
    machines,
    skewsMs: Array.from({ length: machines }, () =>
      random.percent(10) ? random.between(-clockMsMax, clockMsMax) : random.between(-20_000, 20_000),
    ),
    databaseSkewMs: random.between(-10_000, 10_000),
    suspendedByHosts: false,
    accounts,
    laterFiles: some(2).map(() => ({
      account: random.between(1, accounts.length),
      atMs: random.between(1_000, fleetMs),
      rows: random.between(1, isLarge ? 6 : 2),
      overlap: random.between(0, 2),
    })),
    pauses: random.percent(20) ? [{ atMs: random.between(1_000, fleetMs), ms: random.between(500, 20_000) }] : [],
    fleetMs,
    timed: some(4).map(() => ({
      atMs: random.between(500, fleetMs),
      machine: random.between(1, machines),
      strike: makeStrike(random, clockMsMax),
    })),
    stepped: some(6).map(() => {
      const step = random.percent(65) ? ('send' as const) : ('commit' as const);
      const when = random.percent(70) ? ('before' as const) : ('after' as const);
      const strike = makeStrike(random, clockMsMax);
      return { step, when, atStep: random.between(1, step === 'send' ? sendsMax : 4 * sendsMax), strike };
    }),
    slowCommits: random.percent(40) ? random.between(1, 15) : 0,
    unknownCommits: random.percent(50) ? random.between(2, 15) : 0,
    wrongPlacing: random.percent(50) ? random.between(2, 40) : 0,
    placementLostAtMs: random.percent(10) ? random.between(1_000, fleetMs) : null,
    failOver: hasFailOver
      ? { atMs: failOverAtMs, lostMs: random.between(0, 4_000), toldAfterMs: random.between(1_000, 20_000) }
      : null,
    job,
    windowMs,
    service: {
      ...calmPlan(single.version, rows),
      seed,
      network: makeNetwork(single, random.fork('network')),
      declined: random.percent(40) ? [random.between(1, 10)] : [],
      webhooks: accounts.length === 1 ? single.webhooks : null,
      calmAfterMs: fleetMs,
    },
  };
  const made = themed(plan, random.fork('theme'));
  const isClockSet = [...made.timed, ...made.stepped].some(({ strike }) => strike.kind === 'set_clock');
  return { ...made, suspendedByHosts: seed % 2 === 1 && !isClockSet };
}
