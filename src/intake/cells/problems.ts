import type { ProblemCode, ProblemValues } from '../../core/state/problem-table.ts';

/** One problem of a row, in a text that a clerk understands. */
export interface Problem {
  code: ProblemCode;
  /** The line of the file where the row begins. */
  line: number;
  /** The file's own name of the column, or null for a problem of the whole row. */
  column: string | null;
  /** The cell as in the file, shortened; null for a problem of the whole row. */
  value: string | null;
  message: string;
  /** What to do about it. */
  suggestion: string;
  values?: ProblemValues;
}

/** How much of a cell a problem repeats: enough to find it, and not enough to inflate a report. */
const valueLengthMax = 80;

export function shortened(text: string): string {
  return text.length <= valueLengthMax ? text : `${text.slice(0, valueLengthMax - 1)}…`;
}
