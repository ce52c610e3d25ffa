import type { ProblemCode } from '../../core/state/problem-table.ts';

/** One thing that is wrong with a row, in words that a clerk understands. */
export interface Problem {
  code: ProblemCode;
  /** The line of the file on which the row begins. */
  line: number;
  /** The file's own name of the column, or null where the row as a whole is meant. */
  column: string | null;
  /** The cell as it stands in the file, cut to a readable length; null where the row as a whole is meant. */
  value: string | null;
  message: string;
  /** What to do about it. */
  suggestion: string;
}

/** How much of a cell a problem repeats: enough to find it again, little enough that no cell can bloat a report. */
const valueLengthMax = 80;

export function shortened(text: string): string {
  return text.length <= valueLengthMax ? text : `${text.slice(0, valueLengthMax - 1)}…`;
}
