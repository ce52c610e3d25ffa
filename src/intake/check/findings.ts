import type { PlacedUnusualAmount } from '../../core/money/unusual-amounts.ts';
import type { ProblemCode } from '../../core/state/problem-table.ts';
import { MinorSums } from '../cells/amount.ts';
import type { DecimalSign } from '../cells/amount-signs.ts';
import type { Problem } from '../cells/problems.ts';
import type { UnderstoodColumn } from '../columns/columns.ts';
import type { CheckedRow } from '../rows/file-rows.ts';
import { makeCountedAmounts } from './counted-amounts.ts';

/** One row as an example of a problem. */
export interface ProblemExample extends Omit<Problem, 'code'> {
  row: number;
}

/** What was found in a file. */
export interface FileFindings {
  file: {
    name: string;
    bytes: number;
    sha256: string;
    format: string;
    encoding: string | null;
    delimiter: string | null;
    sheet: string | null;
    /** The decimal sign of its amounts; null if no amount shows one. */
    decimal_sign: DecimalSign | 'both' | null;
  };
  /** `rows` is the sum of the others: `valid` rows are ready to be sent. */
  counts: { rows: number; valid: number; invalid: number; held: number; skipped: number };
  /** What the valid rows ask for, by currency, as decimal texts. */
  sums: Record<string, string>;
  /** The same by country of the number. */
  countries: Record<string, { rows: number; sums: Record<string, string> }>;
  /** Valid rows that buy a product. Only the service knows its price. */
  productRows: number;
  /** Valid rows with a text message. */
  textRows: number;
  /**
   * Amounts of valid rows that a person should check before they are paid, with some of the lines that ask for them.
   */
  unusual: PlacedUnusualAmount[];
  /** The most frequent problem first; `count` is the number of rows. */
  problems: { code: ProblemCode; count: number; examples: ProblemExample[] }[];
  /** How each column of the header was understood. */
  understood: UnderstoodColumn[];
  /** What could not be checked, in a sentence each. */
  warnings: string[];
}

/** How many rows are shown for a problem: enough to see what they have in common. */
const examplesMax = 3;

export type Tallied = Pick<
  FileFindings,
  'counts' | 'sums' | 'countries' | 'productRows' | 'textRows' | 'unusual' | 'problems'
>;

/** Counts rows, sums and problems as the rows are read. */
export function makeTally(): { add(row: CheckedRow): void; result(): Tallied } {
  const counts = { rows: 0, valid: 0, invalid: 0, held: 0, skipped: 0 };
  const countries = new Map<string, { rows: number; sums: MinorSums }>();
  const problems = new Map<ProblemCode, { count: number; examples: ProblemExample[]; lastRow: number }>();
  const amounts = makeCountedAmounts();
  let productRows = 0;
  let textRows = 0;

  const addProblem = (rowNo: number, { code, ...problem }: Problem) => {
    const known = problems.get(code) ?? { count: 0, examples: [], lastRow: 0 };
    problems.set(code, known);
    if (known.lastRow === rowNo) return;
    known.count += 1;
    known.lastRow = rowNo;
    if (known.examples.length < examplesMax) known.examples.push({ row: rowNo, ...problem });
  };

  const addReady = ({ line, country, amount, currency, sms_message }: CheckedRow) => {
    if (sms_message !== null) textRows += 1;
    let own = countries.get(country ?? '');
    if (!own) {
      own = { rows: 0, sums: new MinorSums() };
      countries.set(country ?? '', own);
    }
    own.rows += 1;
    if (amount === null || currency === null) {
      productRows += 1;
      return;
    }
    own.sums.add(currency, amount);
    amounts.add(currency, amount, line);
  };

  const sumOfAll = () => {
    const sums = new MinorSums();
    for (const own of countries.values()) sums.addAll(own.sums);
    return sums;
  };

  return {
    add(row) {
      counts.rows += 1;
      counts[row.status === 'ready' ? 'valid' : row.status] += 1;
      if (row.status === 'ready') addReady(row);
      for (const problem of row.problems) addProblem(row.row_no, problem);
    },
    result: () => ({
      counts: { ...counts },
      sums: sumOfAll().toObject(),
      countries: Object.fromEntries(
        [...countries]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([country, own]) => [country, { rows: own.rows, sums: own.sums.toObject() }]),
      ),
      productRows,
      textRows,
      unusual: amounts.unusual(),
      problems: [...problems]
        .sort(([, a], [, b]) => b.count - a.count)
        .map(([code, { count, examples }]) => ({ code, count, examples })),
    }),
  };
}
