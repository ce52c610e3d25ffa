import type { ProblemCode } from '../../core/state/problem-table.ts';
import { MinorSums } from '../cells/amount.ts';
import type { Problem } from '../cells/problems.ts';
import type { CheckedRow } from '../rows/file-rows.ts';
import { makeCountedAmounts } from './counted-amounts.ts';
import type { Findings } from './findings-shape.ts';

/** How many rows are shown for a problem: enough to see what they have in common. */
const examplesMax = 3;

type ProblemExample = Findings['problems'][number]['examples'][number];

export type Tallied = Omit<Findings, 'file' | 'understood' | 'warnings'>;

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
    keepExample(known.examples, { row: rowNo, ...problem });
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
      product_rows: productRows,
      text_rows: textRows,
      unusual: amounts.unusual(),
      problems: [...problems]
        .sort(([, a], [, b]) => b.count - a.count)
        .map(([code, { count, examples }]) => ({ code, count, examples })),
    }),
  };
}

/** Advice that no example has yet, such as what to do with a total line, replaces one that is repeated. */
function keepExample(examples: ProblemExample[], added: ProblemExample): void {
  if (examples.length >= examplesMax) {
    const isKnown = ({ suggestion }: ProblemExample, before: readonly ProblemExample[]) =>
      before.some((other) => other.suggestion === suggestion);
    const repeated = examples.findLastIndex((example, index) => isKnown(example, examples.slice(0, index)));
    if (repeated < 0 || isKnown(added, examples)) return;
    examples.splice(repeated, 1);
  }
  examples.push(added);
}
