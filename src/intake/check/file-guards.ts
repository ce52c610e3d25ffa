import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { addAmounts, compareAmounts, moneyText } from '../../core/money/money.ts';
import { MinorSums, readAmount } from '../cells/amount.ts';
import { signOf } from '../cells/amount-signs.ts';
import { plainText } from '../cells/plain-text.ts';
import type { CheckedRow } from '../rows/file-rows.ts';
import type { CheckContext } from '../rows/row-under-check.ts';
import { makeTotalLines } from '../rows/total-line.ts';
import type { Trailer } from '../table/trailer.ts';

/** What a whole file must satisfy; see `guards` in the settings. Each check throws `FILE_REJECTED` if it fails. */
export interface FileGuards {
  /** Notes a row, with its cells as they stand in the file. */
  note(row: CheckedRow, cells: readonly string[]): void;
  /** Checks the guards that can be decided before the end of the file. */
  checkSoFar(): void;
  checkAtEnd(trailer: Trailer | null): void;
}

const cutShort = 'Export the file again: it may have been cut short. Nothing was sent.';

export function makeFileGuards(context: CheckContext): FileGuards {
  const { guards } = context.settings;
  const totalLines = makeTotalLines(context);
  let rows = 0;
  /** The sum of everything in the amount column, in any currency. A trailer states this sum. */
  let written = '0';
  /** The amounts of all understood rows, and those of valid rows, in the currencies that a guard names. */
  const understood = new MinorSums();
  const payable = new MinorSums();
  const expected = new Set(Object.keys(guards.expectedSums));
  const limited = new Set(Object.keys(guards.batchMax));
  return {
    note(row, cells) {
      totalLines.note(row, cells);
      if (row.status === 'skipped') return;
      rows += 1;
      if (guards.trailer !== null) {
        const value = decimalIn(context, cells[context.plan.amount ?? -1] ?? '');
        if (value !== null) written = addAmounts(written, value);
      }
      const { amount, currency } = row;
      if (amount === null || currency === null) return;
      if (expected.has(currency)) understood.add(currency, amount);
      if (row.status !== 'invalid' && limited.has(currency)) payable.add(currency, amount);
    },
    checkSoFar() {
      if (rows > guards.rowsMax) {
        throw rejectedFile('TOO_MANY_ROWS', { rows: guards.rowsMax }, `the file has more than ${guards.rowsMax} rows`, {
          hint: 'Split it, or raise intake.guards.rowsMax. Nothing was sent.',
        });
      }
      refuseBeyond(payable, guards.batchMax);
    },
    checkAtEnd(trailer) {
      totalLines.checkAtEnd();
      if (guards.trailer !== null) checkTrailer(context, guards.trailer, trailer, { rows, sum: written });
      if (guards.expectedRows !== null && guards.expectedRows !== rows) {
        const message = `the file should have ${guards.expectedRows} rows, but has ${rows}`;
        throw rejectedFile('ROWS_EXPECTED', { expected: guards.expectedRows, rows }, message, { hint: cutShort });
      }
      for (const [currency, sum] of Object.entries(guards.expectedSums)) {
        const own = understood.of(currency);
        if (compareAmounts(own, sum) === 0) continue;
        const message = `the amounts of the file should add up to ${moneyText(currency, sum)}, but add up to ${moneyText(currency, own)}`;
        throw rejectedFile('SUM_EXPECTED', { currency, amount: sum, sum: own }, message, { hint: cutShort });
      }
    },
  };
}

function refuseBeyond(sums: MinorSums, batchMax: Readonly<Record<string, string>>): void {
  for (const [currency, most] of Object.entries(batchMax)) {
    if (compareAmounts(sums.of(currency), most) <= 0) continue;
    throw rejectedFile(
      'SUM_TOO_LARGE',
      { currency, amount: most },
      `the amounts of the file add up to more than ${moneyText(currency, most)}`,
      {
        hint: 'Split it, or raise intake.guards.batchMax. Nothing was sent.',
      },
    );
  }
}

function decimalIn({ settings, evidence, signs }: CheckContext, cell: string): string | null {
  const reading = readAmount(cell);
  if (reading.kind === 'none') return null;
  const sign = settings.decimalSign === 'auto' ? signOf(evidence?.signs ?? signs) : settings.decimalSign;
  const value =
    reading.kind === 'read' ? reading.value : sign === reading.separator ? reading.decimal : reading.grouped;
  return reading.negative ? `-${value}` : value;
}

function checkTrailer(
  context: CheckContext,
  word: string,
  trailer: Trailer | null,
  { rows, sum }: { rows: number; sum: string },
): void {
  if (trailer === null) {
    const message = `the file does not end in a line that begins with "${word}"`;
    throw rejectedFile('END_MISSING', { word }, message, { hint: cutShort });
  }
  const [, statedRows = '', statedSum] = trailer.cells.map(plainText).filter((cell) => cell !== '');
  if (statedRows !== String(rows)) {
    const message = `the last line (${trailer.line}) says ${statedRows || 'no number of'} rows, but the file has ${rows}`;
    throw rejectedFile('END_ROWS', { line: trailer.line, stated: statedRows, rows }, message, { hint: cutShort });
  }
  if (statedSum === undefined) return;
  const plainSum = decimalIn(context, statedSum);
  if (plainSum === null || compareAmounts(plainSum, sum) !== 0) {
    const message = `the last line (${trailer.line}) says ${statedSum} in all, but the amounts of the file add up to ${sum}`;
    throw rejectedFile('END_SUM', { line: trailer.line, stated: statedSum, written: sum }, message, { hint: cutShort });
  }
}
