import type { Findings } from '../input/findings.ts';
import { unguarded } from '../input/guards.ts';
import { firstInputAt, type ResultRow } from '../input/rows.ts';

/** The most rows that are named; the number of the others is given. */
const namedMax = 20;

interface Difference {
  rowNo: number;
  /** Empty if the row has no amount. */
  amount: string;
  cell: string;
}

/**
 * Compares the amount of each row with the cell of the file from which it was read. The chain says which column that
 * is. Chains of old program versions do not: then a column named "amount" is only probably the right one. Invalid and
 * skipped rows are not paid, so they are not compared.
 */
export class InputAmounts {
  readonly #known: number | null | undefined;
  #column: string | undefined;
  #isFirst = true;
  readonly #differing: Difference[] = [];
  #differingCount = 0;
  #agreeingCount = 0;
  readonly #unclear = { rows: 0, first: 0 };

  /**
   * `place`: `amount_column` of `batch.validate`, counted from 0 among the columns of the file; null if there is none.
   * `column`: its name, for who compares cells without the other columns of results.
   */
  constructor(place: unknown, column?: string) {
    this.#column = column;
    this.#known = typeof place === 'number' || place === null ? place : undefined;
  }

  add(row: ResultRow, rowNo: number): void {
    if (this.#isFirst) this.#column = this.#columnIn(Object.keys(row));
    this.#isFirst = false;
    const { status = '', amount = '' } = row;
    if (this.#column !== undefined) this.compare(rowNo, status, amount, unguarded(row[this.#column]) ?? '');
  }

  /** `amount`: empty if the row has none. `cell`: as it is in the file. */
  compare(rowNo: number, status: string, amount: string, cell: string): void {
    if (status === 'invalid' || status === 'skipped') return;
    const amounts = amountsIn(cell);
    if (amounts.length === 0) {
      // A product has no amount. After people were forgotten, and in masked rows, the cell says nothing.
      if (amount === '' || cell === '' || cell.includes('*')) return;
      this.#unclear.rows += 1;
      this.#unclear.first ||= rowNo;
    } else if (amounts.includes(plain(amount))) this.#agreeingCount += 1;
    else {
      this.#differingCount += 1;
      if (this.#differing.length < namedMax) this.#differing.push({ rowNo, amount, cell: cell.trim() });
    }
  }

  /**
   * Reports the differences: as findings if they are certain. `isChanged`: the rows are not those that were validated.
   */
  report(isChanged: boolean, findings: Findings): void {
    const name = this.#column;
    const { rows, first } = this.#unclear;
    if (rows > 0)
      findings.note(
        `${rows === 1 ? 'The amount of 1 row was' : `The amounts of ${rows} rows were`} not compared with the file: ${name} shows no one number, first in row ${first}.`,
      );
    const sentences = this.#differing.map(
      ({ rowNo, amount, cell }) => `row ${rowNo} has ${amount || 'no'} as its amount, and ${cell} as ${name}`,
    );
    const isCertain = this.#known !== undefined || (isChanged && this.#agreeingCount > this.#differingCount);
    const more = this.#differingCount - sentences.length;
    if (isCertain) {
      for (const sentence of sentences)
        findings.add('results.csv', `${sentence}: it was read as another amount, or one of the two was changed.`);
      if (more > 0) findings.add('results.csv', `has another amount than ${name} in ${rowsText(more)} more.`);
    } else if (sentences.length > 0)
      findings.note(
        `In ${rowsText(this.#differingCount)} the amount is not the one in ${name}: ${sentences[0]}. The audit chain does not say whether the amounts were read from that column.`,
      );
  }

  #columnIn(names: readonly string[]): string | undefined {
    if (this.#known === null) return undefined;
    if (this.#known === undefined) return names.find((name) => name.toLowerCase() === 'input_amount');
    const name = names[firstInputAt + this.#known];
    return name?.startsWith('input_') ? name : undefined;
  }
}

function rowsText(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}

/** Currencies, as codes, names or signs: letters with or without a point after them. */
const currency = /[\p{L}\p{Sc}]+\.?/gu;
/** "500/=", "500/-" and "500,-": the amount has no decimals. */
const nothingMore = /\/[=-]|[.,]--?(?=\s*$)/g;
/** Intake does not read longer cells. */
const lengthMax = 64;
const grouped = /^[0-9]{1,3}(?:(?:'|\s+)[0-9]{3})+(?:[.,][0-9]+)?$/;

/**
 * The amounts that a cell may mean, as plain decimals: "1,500" may be 1500 or 1.5; "1250.50" is only 1250.5. Empty if
 * the cell has no number, several numbers, or a negative one.
 */
export function amountsIn(cell: string): string[] {
  if (cell.length > lengthMax) return [];
  if (/^[0-9]+$/.test(cell)) return [plain(cell)];
  const text = cell
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/(?![0-9])\p{Nd}/gu, asciiDigit)
    .replaceAll('\u066B', '.')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u066C\u2019\u02BC]/g, "'")
    .replace(/^[\s='"\u2018`\u00B4\u201C]+|["\u201D\s]+$/g, '')
    .replace(currency, ' ')
    .replace(nothingMore, '')
    .trim()
    .replace(/^\+/, '');
  const number = grouped.test(text) ? text.replace(/['\s]/g, '') : text;
  return /^[0-9.,]*[0-9]$/.test(number) ? readingsOf(number) : [];
}

function readingsOf(number: string): string[] {
  const last = Math.max(number.lastIndexOf('.'), number.lastIndexOf(','));
  if (last < 0) return [plain(number)];
  const [sign = '', whole, fraction] = [number[last], number.slice(0, last), number.slice(last + 1)];
  const readings: string[] = [];
  if (!whole.includes(sign)) readings.push(plain(`${whole.replace(/[.,]/g, '')}.${fraction}`));
  const hasOneSign = !whole.replaceAll(sign, '').match(/[.,]/);
  if (fraction.length === 3 && hasOneSign) readings.push(plain(number.replaceAll(sign, '')));
  return readings;
}

/** A decimal without redundant zeros; any other text unchanged. */
function plain(decimal: string): string {
  const [, whole = '', fraction = ''] = /^0*([0-9]*)(?:\.([0-9]*?)0*)?$/.exec(decimal) ?? [];
  return `${whole || '0'}${fraction && `.${fraction}`}`;
}

/** The value of a digit of any script. In Unicode, the ten digits of a script follow one another from its zero. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value % 10);
}
