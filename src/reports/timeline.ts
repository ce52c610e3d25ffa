/** How many rows ended when: in buckets of equal width, as narrow as a chart can show them. */
export interface Timeline {
  /** Milliseconds. */
  bucketMs: number;
  /** The beginning of the first bucket (epoch ms). */
  startMs: number;
  buckets: { completed: number; failed: number }[];
}

/** Buckets that a chart shows at most. The memory of a timeline does not grow with the batch. */
const bucketsMax = 96;
const narrowestMs = 1_000;

/** Gathers a timeline in one pass. The buckets widen by themselves, and do not depend on the order in which rows come. */
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
    bucketMs *= 2;
    for (const [bucket, { completed, failed }] of before) addTo(Math.floor(bucket / 2), completed, failed);
  };

  return {
    add(status: 'completed' | 'failed', at: number): void {
      first = Math.min(first, at);
      last = Math.max(last, at);
      while (Math.floor(last / bucketMs) - Math.floor(first / bucketMs) >= bucketsMax) widen();
      addTo(Math.floor(at / bucketMs), status === 'completed' ? 1 : 0, status === 'failed' ? 1 : 0);
    },
    /** Null where no row has ended. */
    timeline(): Timeline | null {
      if (counts.size === 0) return null;
      const start = Math.floor(first / bucketMs);
      const length = Math.floor(last / bucketMs) - start + 1;
      const buckets = Array.from({ length }, (_, at) => counts.get(start + at) ?? { completed: 0, failed: 0 });
      return { bucketMs, startMs: start * bucketMs, buckets };
    },
  };
}
