/** One measured value, with what is to be reached where there is such a thing. */
export interface Figure {
  name: string;
  value: number;
  /** `x` is a ratio within the same run. */
  unit:
    | 'x'
    | 'ms'
    | 's'
    | 'rows/s'
    | 'us/row'
    | 'ms/row'
    | 'MiB'
    | '%'
    | 'requests'
    | 'reads/row'
    | 'statements/row'
    | 'commits/row'
    | 'round trips/row'
    | 'rows'
    | 'connections';
  /** What is to be reached, where a goal was set. */
  goal?: { atMost: number } | { atLeast: number };
}

export interface BenchOptions {
  /** Small enough for all benches to end within a minute: shows that they work, and its figures mean nothing. */
  quick: boolean;
  /** Another size than the bench's own, or null. */
  rows: number | null;
  /** How much longer a round trip to the database takes, where that is measured alone (ms). */
  distanceMs: number | null;
}

/** What a bench found: its figures, and what the reader must know of them, as sentences. */
export interface BenchResult {
  figures: Figure[];
  notes?: string[];
}

/** Every file `bench/NAME.ts` that is named in `bench/main.ts` exports one of these as `bench`. */
export type Bench = (options: BenchOptions) => Promise<BenchResult>;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] =
    sorted.length % 2 === 0 ? [sorted[middle - 1], sorted[middle]] : [sorted[middle], sorted[middle]];
  return (low + high) / 2;
}

export function isReached({ value, goal }: Figure): boolean | null {
  if (!goal) return null;
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
}
