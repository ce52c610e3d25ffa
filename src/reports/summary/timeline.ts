/** How many rows ended when, in buckets of equal width, as narrow as a chart can show. */
export interface Timeline {
  /** Milliseconds. */
  bucketMs: number;
  /** The beginning of the first bucket (epoch ms). */
  startMs: number;
  /** When the first row ended, and the last (epoch ms). */
  firstMs: number;
  lastMs: number;
  buckets: { completed: number; failed: number }[];
}

/** The most buckets of a chart. The memory of a timeline does not grow with the batch. */
const bucketsMax = 96;
const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/**
 * Widths as on a clock, each a multiple of the one before it, so that buckets can be merged; beyond them, days are
 * doubled.
 */
const widthsMs = [
  ...[0.1, 0.5, 1, 5, 15, 30].map((seconds) => seconds * second),
  ...[1, 5, 15, 30].map((minutes) => minutes * minute),
  ...[1, 3, 6, 12, 24].map((hours) => hours * hour),
];
const [narrowestMs = 100] = widthsMs;

/** Makes a timeline in one pass. The buckets widen as needed; the order of the rows does not matter. */
export function makeTimelineGatherer() {
  let bucketMs = narrowestMs;
  let counts = new Map<number, { completed: number; failed: number }>();
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

  const addTo = (bucket: number, completed: number, failed: number) => {
    const known = counts.get(bucket) ?? { completed: 0, failed: 0 };
    counts.set(bucket, { completed: known.completed + completed, failed: known.failed + failed });
  };
  const widen = () => {
    const before = counts;
    counts = new Map();
    const widerMs = widthsMs.find((width) => width > bucketMs) ?? bucketMs * 2;
    const times = widerMs / bucketMs;
    bucketMs = widerMs;
    for (const [bucket, { completed, failed }] of before) addTo(Math.floor(bucket / times), completed, failed);
  };

  return {
    add(status: 'completed' | 'failed', at: number): void {
      first = Math.min(first, at);
      last = Math.max(last, at);
      while (Math.floor(last / bucketMs) - Math.floor(first / bucketMs) >= bucketsMax) widen();
      addTo(Math.floor(at / bucketMs), status === 'completed' ? 1 : 0, status === 'failed' ? 1 : 0);
    },
    /** Null if no row has ended. */
    timeline(): Timeline | null {
      if (counts.size === 0) return null;
      const start = Math.floor(first / bucketMs);
      const length = Math.floor(last / bucketMs) - start + 1;
      const buckets = Array.from({ length }, (_, at) => counts.get(start + at) ?? { completed: 0, failed: 0 });
      return { bucketMs, startMs: start * bucketMs, firstMs: first, lastMs: last, buckets };
    },
  };
}
