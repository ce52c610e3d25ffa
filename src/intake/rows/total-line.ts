import type { AirbatchError } from '../../core/basics/errors.ts';
import { type FileReason, rejectedFile } from '../../core/basics/rejected-file.ts';
import { addAmounts, compareAmounts, moneyText } from '../../core/money/money.ts';
import type { ProblemValues } from '../../core/state/problem-table.ts';
import { currencyWritten, decimalsOf, readAmount } from '../cells/amount.ts';
import { plainText } from '../cells/plain-text.ts';
import type { CheckedRow } from './file-rows.ts';
import type { CheckContext, RowUnderCheck } from './row-under-check.ts';

/** Names of total lines, without accents. */
const totalName =
  /^(?:(?:grand|sub|net|overall|montant|importe|monto|valor)[ -]*)?(?:totals?|totaux|sum|somme|suma|soma|summe|gesamt|gesamtsumme|gesamtbetrag|zwischensumme|insgesamt|jumla)(?: (?:general|geral|global|net|amount|airtime|kuu|ndogo))?(?: ?\([^)]*\)| [A-Za-z]{3})?\s*[:=.]*$/i;

function isTotalName(cell: string): boolean {
  const text = plainText(cell);
  // No such name is longer.
  return text.length <= 40 && totalName.test(text.normalize('NFKD').replace(/\p{M}/gu, ''));
}

/** Whether a row has no number and has a cell that names it as a total. */
export function isTotalLine({ cell, context }: RowUnderCheck, cells: readonly string[]): boolean {
  return context.plan.amount !== undefined && !/\p{N}/u.test(cell.phone_number) && cells.some(isTotalName);
}

/** Whether the line has a sum that can be compared with the rows. */
export function hasSum({ cell }: RowUnderCheck): boolean {
  const reading = readAmount(cell.amount);
  return reading.kind !== 'none' && !reading.negative;
}

/** The fault of a total line, which is skipped only if a person allows it. */
export function offeredTotal<Fault extends { values?: ProblemValues }>(fault: Fault): Fault {
  return { ...fault, suggestion: totalLineOffer, values: { ...fault.values, why: 'total' } };
}

const totalLineOffer =
  'If this line is the total of the rows, add --total-line skip (in the configuration, intake.totalLine): it is then compared with their sum, and skipped. Otherwise fill in the phone number with its country code.';

/** Amounts of rows by currency; "" if the currency is not known. */
interface Sum {
  byCurrency: Map<string, string>;
  rows: number;
  /** The line of the first row whose amount could not be read. */
  unreadLine: number | null;
  /** The line of the first row whose currency is not known. */
  namelessLine: number | null;
}

const noSum = (): Sum => ({ byCurrency: new Map(), rows: 0, unreadLine: null, namelessLine: null });

/**
 * Compares each total line with the rows above it: all of them, or those since the previous total. Throws
 * `FILE_REJECTED` if the sums differ or cannot be compared: then a row may be missing, or an amount may have been
 * misread.
 */
export function makeTotalLines({ plan, settings }: CheckContext): {
  note(row: CheckedRow, cells: readonly string[]): void;
  checkAtEnd(): void;
} {
  const all = noSum();
  let part = noSum();
  let lastLine: number | null = null;
  const cellAt = (cells: readonly string[], index: number | undefined) => cells[index ?? -1] ?? '';

  const add = ({ amount, currency, line }: CheckedRow, cell: string) => {
    if (plainText(cell) === '') return;
    const reading = readAmount(cell);
    const read = reading.kind === 'read' ? `${reading.negative ? '-' : ''}${reading.value}` : null;
    const value = amount ?? read;
    for (const sum of [all, part]) {
      sum.rows += 1;
      if (value === null) sum.unreadLine ??= line;
      if (currency === null) sum.namelessLine ??= line;
      if (value !== null)
        sum.byCurrency.set(currency ?? '', addAmounts(sum.byCurrency.get(currency ?? '') ?? '0', value));
    }
  };

  const compare = (line: number, cells: readonly string[]) => {
    const cell = cellAt(cells, plan.amount);
    const reading = readAmount(cell);
    if (reading.kind === 'none') return;
    const written = plainText(cellAt(cells, plan.currency));
    const named = written === '' ? reading.currency : currencyWritten(written);
    const currencies = [...all.byCurrency.keys()];
    // If no row has a currency, the numbers can be compared.
    const unread = all.unreadLine ?? (currencies.length > 1 ? all.namelessLine : null);
    if (unread !== null)
      throw rejected(
        'TOTAL_UNREADABLE',
        { line, other_line: unread },
        `the total in line ${line} cannot be compared with the rows: the amount in line ${unread} or its currency could not be read`,
      );
    const currency = named !== null && decimalsOf(named) !== null ? named : (currencies[0] ?? '');
    if (named === null && currencies.length > 1)
      throw rejected(
        'TOTAL_CURRENCY',
        { line, currencies: currencies.join(', ') },
        `the total in line ${line} names no currency, but the rows above it are in ${currencies.join(' and ')}`,
      );
    const values = reading.kind === 'read' ? [reading.value] : [reading.grouped, reading.decimal];
    const sums = [all, part].map(({ byCurrency }) => byCurrency.get(currency) ?? '0');
    if (sums.some((sum) => values.some((value) => compareAmounts(sum, value) === 0))) return;
    throw wrongTotal(line, plainText(cell), currency === '' ? (sums[0] ?? '0') : moneyText(currency, sums[0] ?? '0'));
  };

  return {
    note(row, cells) {
      if (settings.totalLine !== 'skip') return;
      if (row.problems[0]?.code !== 'TOTAL_LINE') return add(row, cellAt(cells, plan.amount));
      compare(row.line, cells);
      part = noSum();
      lastLine = row.line;
    },
    checkAtEnd() {
      if (lastLine === null || part.rows === 0) return;
      const below = part.rows === 1 ? '1 row below it has an amount' : `${part.rows} rows below it have amounts`;
      throw rejected(
        'TOTAL_PARTIAL',
        { line: lastLine, rows: part.rows },
        `the last total, in line ${lastLine}, does not count all rows: ${below}`,
      );
    },
  };
}

function wrongTotal(line: number, stated: string, written: string): AirbatchError {
  const message = `the total in line ${line} is ${stated}, but the rows above it add up to ${written}`;
  return rejected('TOTAL_WRONG', { line, stated, written }, message);
}

function rejected(code: FileReason, values: Readonly<Record<string, string | number>>, message: string): AirbatchError {
  return rejectedFile(code, values, message, {
    hint: 'Compare the file with its source, and correct the row or the total. Without --total-line skip (intake.totalLine), the total is an invalid row and nothing is compared. Nothing was sent.',
  });
}
