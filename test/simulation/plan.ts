import { makeSeededRandom } from './seeded-random.ts';

/** What goes wrong in one simulated run, all of it made from the seed. Times in milliseconds of world time. */
export interface Plan {
  seed: number;
  version: 'v2' | 'v1';
  rows: number;
  /** A second file under the same run id, with some of the same rows. */
  secondFile: { rows: number; overlap: number; changedAmounts: number; atMs: number } | null;
  /** Of a hundred requests that leave, so many meet each of these. */
  network: Record<NetworkFault, number>;
  /** The process dies at these steps (a step is before or after everything that leaves the engine). */
  crashes: { atStep: number; powerLoss: boolean }[];
  /** The process is frozen at these steps, for so long. */
  suspensions: { atStep: number; ms: number }[];
  /** From this step on every commit fails, until the process was restarted so many times. */
  disk: { atStep: number; fault: 'LEDGER_FULL' | 'LEDGER_IO' }[];
  /** The wall clock is set by this much at these steps. */
  clockJumps: { atStep: number; byMs: number }[];
  /** Numbers that the service declines, by row. */
  declined: number[];
  /** Faults of the network end after this much world time; then everything must come to rest. */
  calmAfterMs: number;
}

export const networkFaults = [
  'refused', // The connection is refused: nothing was sent.
  'request_lost',
  'response_lost',
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

/** The plan of a seed: calm, rough or wild, so that faults are met alone as well as together. */
export function makePlan(seed: number): Plan {
  const random = makeSeededRandom(seed);
  const wildness = random.pick([0.3, 1, 1, 3]);
  const some = (most: number) => Array.from({ length: random.between(0, Math.round(most * wildness)) });
  const network = Object.fromEntries(
    networkFaults.map((fault) => [fault, random.percent(35) ? random.fraction() * 12 * wildness : 0]),
  ) as Record<NetworkFault, number>;
  const rows = random.between(1, 10);
  const overlap = random.between(0, rows);
  return {
    seed,
    version: random.percent(50) ? 'v2' : 'v1',
    rows,
    secondFile: random.percent(30)
      ? { rows: overlap + random.between(0, 3), overlap, changedAmounts: random.between(0, Math.min(2, overlap)), atMs: random.between(0, 40_000) }
      : null,
    network,
    crashes: some(3).map(() => ({ atStep: random.between(1, 160), powerLoss: random.percent(40) })),
    suspensions: random.percent(25) ? some(2).map(() => ({ atStep: random.between(1, 120), ms: random.between(1_000, 60_000) })) : [],
    disk: random.percent(25) ? [{ atStep: random.between(1, 120), fault: random.pick(['LEDGER_FULL', 'LEDGER_IO'] as const) }] : [],
    clockJumps: random.percent(20) ? some(2).map(() => ({ atStep: random.between(1, 160), byMs: random.between(-30, 30) * 3_600_000 })) : [],
    declined: some(2).map(() => random.between(1, rows)),
    calmAfterMs: random.between(0, 600_000),
  };
}
