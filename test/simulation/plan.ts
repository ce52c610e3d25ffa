import type { DiskFault } from './disk.ts';
import type { Restore } from './restore.ts';
import { makeSeededRandom, type SeededRandom } from './seeded-random.ts';

/** What goes wrong in one simulated run, all of it made from the seed. Times in milliseconds of world time. */
export interface Plan {
  seed: number;
  version: 'v2' | 'v1';
  rows: number;
  /** A second file with some of the same rows, under the same run id or under another. */
  secondFile: { rows: number; overlap: number; changedAmounts: number; otherRun: boolean } | null;
  /** Of a hundred requests that leave, so many meet each of these. */
  network: Record<NetworkFault, number>;
  /** The process dies at these steps (a step is before or after everything that leaves the engine). */
  crashes: { atStep: number; powerLoss: boolean }[];
  /** The process is frozen at these steps, for so long; where it has a rival, another one is started meanwhile. */
  suspensions: { atStep: number; ms: number; rival: boolean }[];
  /** From this step on every commit fails, until the process was restarted. */
  disk: { atStep: number; fault: DiskFault; once: boolean }[];
  /** The wall clock is set by this much at these steps. */
  clockJumps: { atStep: number; byMs: number }[];
  /** Numbers that the service declines, by row. */
  declined: number[];
  /** Rows whose payment the service (Version 2) takes, and never ends: somebody says what became of it. */
  stuck: number[];
  /** Rows whose payment the service calls failed, and completes a minute later: charged after all. */
  reversed: number[];
  /** Rows whose reference another program of the account has used before, for another amount. */
  foreign: number[];
  /** Webhooks of both schemes, and how many of a hundred meet each fault. */
  webhooks: Record<WebhookFault, number> | null;
  /** How often an operator retries what has failed, once everything is at rest. */
  retries: number;
  /**
   * From which life on an operator feeds all rows of the run in again, with those that failed corrected; null: never.
   */
  fedAgainAtLife: number | null;
  /** What is fed in again: the whole file, or what has failed by then, as people correct or copy `failed.csv`. */
  fedAgainAs: 'whole_file' | 'failed_with_new_references' | 'failed_under_another_run';
  /** How long people wait before they pay again what has failed (ms), once all is at rest. */
  paidAgainAfterMs: number;
  /** From which life on a second person approves the first file, which waits for that; null: it goes without. */
  approvedAtLife: number | null;
  /**
   * So long after a file was taken in its batch is to be done (ms), and goes first where it has to; null: nobody says
   * a time.
   */
  finishAfterMs: number | null;
  /** Whether the program also runs a job of every hour. */
  job: boolean;
  /** Whether the files have no references: a row is what it asks for, and a corrected amount makes it another one. */
  unnamed: boolean;
  /** The answers to the requests that leave at these steps are lost. */
  lostAnswers: number[];
  /**
   * The answer to the request to create that leaves as this one (the first is 1) names another amount; null: none
   * does.
   */
  wrongAnswer: number | null;
  /** A backup of the ledger that is put back later. */
  restore: Restore | null;
  /** The machine is off for so long (ms) after a life; its clock may stand still meanwhile. */
  off: { afterLife: number; ms: number; clockStands: boolean } | null;
  /** Whether a program that stays reads again what has ended, once everything is at rest. It takes as long as some runs. */
  readsAgain: boolean;
  /** Faults of the network end after this much world time; then everything must come to rest. */
  calmAfterMs: number;
}

export const networkFaults = [
  'refused', // The connection is refused: nothing was sent.
  'request_lost',
  'response_lost',
  'duplicated', // The request is delivered twice.
  'refused_at_the_door', // A definitive no to this request, whatever became of the ones before it.
  'error_500_before',
  'error_500_after',
  'error_503',
  'throttled',
  'garbage',
  'cut',
  'slow',
  'list_lags',
] as const;
export type NetworkFault = (typeof networkFaults)[number];

const webhookFaults = ['webhook_lost', 'webhook_doubled', 'webhook_late', 'webhook_forged'] as const;
export type WebhookFault = (typeof webhookFaults)[number];

const none = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((fault) => [fault, 0])) as Record<Name, number>;

/** What is charged is not shown, and what is sent again is refused: where a no to the second must not end the first. */
const stubborn = { response_lost: 50, list_lags: 70, refused_at_the_door: 40 };

/** A plan in which nothing goes wrong. */
export function calmPlan(version: Plan['version'], rows: number): Plan {
  return {
    seed: 1,
    version,
    rows,
    secondFile: null,
    network: none(networkFaults),
    crashes: [],
    suspensions: [],
    disk: [],
    clockJumps: [],
    declined: [],
    stuck: [],
    reversed: [],
    foreign: [],
    webhooks: null,
    retries: 0,
    fedAgainAtLife: null,
    fedAgainAs: 'whole_file',
    paidAgainAfterMs: 0,
    approvedAtLife: null,
    finishAfterMs: null,
    job: false,
    unnamed: false,
    lostAnswers: [],
    wrongAnswer: null,
    restore: null,
    off: null,
    readsAgain: false,
    calmAfterMs: 0,
  };
}

/** The plan of a seed: calm, rough or wild, so that faults are met alone as well as together. */
export function makePlan(seed: number): Plan {
  const random = makeSeededRandom(seed);
  const wildness = random.pick([0.3, 1, 1, 3]);
  const some = (most: number) => Array.from({ length: random.between(0, Math.round(most * wildness)) });
  const shares = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(
      names.map((fault) => [fault, random.percent(35) ? random.fraction() * 12 * wildness : 0]),
    ) as Record<Name, number>;
  const rows = random.between(1, 10);
  const overlap = random.between(0, rows);
  const version = random.percent(50) ? 'v2' : 'v1';
  const plan: Plan = {
    seed,
    version,
    rows,
    secondFile: random.percent(30)
      ? {
          rows: overlap + random.between(0, 3),
          overlap,
          changedAmounts: random.between(0, Math.min(2, overlap)),
          otherRun: random.percent(35),
        }
      : null,
    network: random.percent(8) ? { ...none(networkFaults), ...stubborn } : shares(networkFaults),
    crashes: some(3).map(() => ({ atStep: random.between(1, 80), powerLoss: random.percent(40) })),
    suspensions: random.percent(25) ? some(2).map(() => makeSuspension(random)) : [],
    disk: random.percent(25)
      ? [
          {
            atStep: random.between(1, 60),
            fault: random.pick(['LEDGER_FULL', 'LEDGER_IO', 'LEDGER_SYNC'] as const),
            once: random.percent(50),
          },
        ]
      : [],
    clockJumps: random.percent(20)
      ? some(2).map(() => ({ atStep: random.between(1, 80), byMs: random.between(-30, 30) * 3_600_000 }))
      : [],
    declined: some(2).map(() => random.between(1, rows)),
    stuck: version === 'v2' ? makeStuck(rows, random.fork('stuck')) : [],
    reversed: [],
    foreign: random.percent(10) ? [random.between(1, rows)] : [],
    webhooks: version === 'v2' && random.percent(40) ? shares(webhookFaults) : null,
    retries: random.percent(25) ? random.between(1, 2) : 0,
    lostAnswers: [],
    wrongAnswer: makeWrongAnswer(rows, random.fork('answers')),
    calmAfterMs: random.between(0, 600_000),
    fedAgainAtLife: random.percent(20) ? random.between(1, 4) : null,
    fedAgainAs: 'whole_file',
    paidAgainAfterMs: 0,
    approvedAtLife: random.percent(20) ? random.between(1, 3) : null,
    finishAfterMs: makeFinish(random.fork('times')),
    job: random.percent(20),
    unnamed: random.percent(25),
    restore: makeRestore(version, random.fork('restore')),
    off: makeOff(random.fork('off')),
    readsAgain: false,
  };
  // Frozen later than others are, when all rows are sent and the slots of the job are being brought. Drawn apart: no
  // other draw moves.
  const ofJob = random.fork('job');
  const isSlow = plan.job && ofJob.percent(50);
  if (isSlow) plan.suspensions.push({ ...makeSuspension(ofJob, true), atStep: ofJob.between(20, 100) });
  const reversed = makeReversed(plan, random.fork('reversed'));
  return { ...plan, ...reversed, readsAgain: random.fork('again').percent(reversed.reversed ? 10 : 1) };
}

/** One seed in seven; in most of them people pay again what has failed. Drawn apart as well. */
function makeReversed({ rows, fedAgainAtLife, retries }: Plan, random: SeededRandom): Partial<Plan> {
  if (!random.percent(14)) return {};
  const wait = random.fork('wait');
  const again = {
    fedAgainAtLife: random.between(1, 4),
    fedAgainAs: random.pick(['failed_with_new_references', 'failed_under_another_run'] as const),
    paidAgainAfterMs: wait.percent(30) ? wait.between(0, 120_000) : wait.between(7 * 60_000, 26 * 3_600_000),
  };
  return {
    reversed: Array.from({ length: random.between(1, 2) }, () => random.between(1, rows)),
    ...(random.percent(75) ? again : { fedAgainAtLife }),
    retries: random.percent(40) ? Math.max(1, retries) : retries,
  };
}

/**
 * One seed in ten, most with Version 2, of which more is asked. Some are put back minutes after, some when the service
 * forgot all keys.
 */
function makeRestore(version: Plan['version'], random: SeededRandom): Restore | null {
  if (!random.percent(version === 'v2' ? 14 : 6)) return null;
  return {
    backup: random.pick(['new', 'received', 'begun'] as const),
    afterLife: random.between(1, 3),
    delayMs: random.percent(50) ? random.between(5, 60) * 60_000 : random.between(24, 72) * 3_600_000,
    isUnsaid: random.percent(40),
  };
}

/** One seed in eight: for less time than the service remembers a key, or for more. */
function makeOff(random: SeededRandom): Plan['off'] {
  if (!random.percent(12)) return null;
  return {
    afterLife: random.between(1, 3),
    ms: random.between(1, 72) * 3_600_000,
    clockStands: random.percent(60),
  };
}

/** One seed in eight of Version 2: each must be waited for, half an hour of the service's promise. */
function makeStuck(rows: number, random: SeededRandom): number[] {
  return random.percent(12) ? [random.between(1, rows)] : [];
}

/** One seed in five: some times are past before the first row is sent. */
function makeFinish(random: SeededRandom): number | null {
  return random.percent(20) ? random.between(1, 600) * 1_000 : null;
}

/** One seed in twenty: what stops the account leaves less for other faults to strike. */
function makeWrongAnswer(rows: number, random: SeededRandom): number | null {
  return random.percent(5) ? random.between(1, rows) : null;
}

/** Some last longer than a lease, so that a rival can take the account meanwhile. */
function makeSuspension(random: SeededRandom, rival = random.percent(50)): Plan['suspensions'][number] {
  return {
    atStep: random.between(1, 60),
    ms: rival ? random.between(500_000, 2_000_000) : random.between(1_000, 60_000),
    rival,
  };
}
