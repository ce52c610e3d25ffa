/**
 * What can be wrong with a row, by stable code. Every problem of a row is collected; the row is then `invalid`, and the
 * rest of the file goes on. `docs/problems.md` carries the same table with an example each, and a test keeps them equal.
 */
export const problemTable = {
  PHONE_MISSING: { title: 'The phone number is missing' },
} as const satisfies Record<string, { title: string }>;

export type ProblemCode = keyof typeof problemTable;

/** One thing that is wrong with a row, in words that a clerk understands. */
export interface Problem {
  code: ProblemCode;
  /** The file's own name of the column, or null where the row as a whole is meant. */
  column: string | null;
  message: string;
  /** What to do about it. */
  suggestion: string;
}
