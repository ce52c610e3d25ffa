import type { Clock } from '../../core/time/clock.ts';

/** The answers to the requests of one admission, which are written together where they come together. */
export interface SiblingAnswers {
  /** Call once for each answer. */
  arrived(): void;
  /** Resolves when all have arrived, or a moment after the first. */
  gathered: Promise<void>;
}

/**
 * How long an answer waits for the others of its admission (ms). A unit of work costs as much as ten changes of rows.
 * Until an answer is written, a kill leaves its row in doubt, so this wait is much shorter than that for the answer.
 */
const gatherMs = 20;
/** The answers of a larger admission come so fast that the committer groups them. */
const fewRows = 8;

export function makeSiblingAnswers(clock: Clock, count: number): SiblingAnswers {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = count;
  if (count > fewRows) resolve();
  return {
    arrived() {
      missing -= 1;
      if (missing === 0) resolve();
      else if (missing === count - 1 && count <= fewRows) void clock.sleep(gatherMs).then(resolve);
    },
    gathered: promise,
  };
}
