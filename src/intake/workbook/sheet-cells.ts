import { dayMs } from '../../core/time/clock.ts';
import { general, shownDate } from '../cells/number-format.ts';
import { shownAmount } from '../cells/shown-amount.ts';
import type { ShownCell } from '../file/record-chunk.ts';
import { type CellStyle, plainCharacters, readStyles, readTexts, type Workbook } from './workbook-parts.ts';
import { damagedWorkbook, type ZipArchive } from './zip-archive.ts';

/** A raw cell of the sheet: its type, its style, and the content of its `v` or `is`. */
export interface RawCell {
  column: number;
  type: string;
  style: number;
  text: string;
  /** Whether it has a value, which may be an empty text. */
  hasValue: boolean;
  /** The beginning of its formula, or "" if another cell has that; null without a formula. */
  formula: string | null;
}

/** Reads the cells of a workbook. */
export interface CellReader {
  /**
   * The text of a cell. If a formula has no stored value (a program wrote the workbook, and no spreadsheet has opened
   * it since), the formula itself is returned: an empty cell would mean something else.
   */
  text(cell: RawCell): string;
  /** How a number is shown, if its format adds something or shows something else; null for any other cell. */
  shown(cell: RawCell): ShownCell | null;
  isStruck(cell: RawCell): boolean;
}

const plainStyle: CellStyle = { format: general, isStruck: false };

export async function makeCellReader(
  archive: ZipArchive,
  { textsPath, stylesPath, from1904 }: Workbook,
): Promise<CellReader> {
  const texts = textsPath === null ? [] : await readTexts(archive, textsPath);
  const styles = stylesPath === null ? [] : await readStyles(archive, stylesPath);
  const firstDay = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const styleOf = ({ style }: RawCell) => styles[style] ?? plainStyle;
  const storedText = (cell: RawCell): string => {
    const { type, text } = cell;
    if (type === 's') {
      const shared = texts[Number(text)];
      if (shared === undefined) throw damagedWorkbook('a cell refers to a text that is not there');
      return shared;
    }
    if (type === 'str' || type === 'inlineStr') return plainCharacters(text);
    if (type === 'b') return text === '1' || text === 'true' ? 'TRUE' : 'FALSE';
    const number = numberIn(cell);
    if (number === null) return text;
    return styleOf(cell).format.kind === 'date' ? dateText(firstDay, number) : numberText(number);
  };
  return {
    text(cell) {
      if (cell.text !== '') return storedText(cell);
      if (cell.formula === null || (cell.type === 'str' && cell.hasValue)) return '';
      return `=${cell.formula || '…'}`;
    },
    shown(cell) {
      const { format } = styleOf(cell);
      if (format === general) return null;
      const number = numberIn(cell);
      if (number === null) return null;
      if (format.kind === 'date') {
        const at = dateAt(firstDay, number);
        const name = at === null ? null : shownDate(format, at);
        return { amount: null, name: name ?? dateText(firstDay, number) };
      }
      const text = numberText(number);
      const amount = shownAmount(text, format);
      return amount === text ? null : { amount, name: null };
    },
    isStruck: (cell) => styleOf(cell).isStruck && (cell.hasValue || cell.formula !== null),
  };
}

function numberIn({ type, text }: RawCell): number | null {
  if (text === '' || (type !== '' && type !== 'n')) return null;
  const number = Number(text);
  return Number.isNaN(number) ? null : number;
}

function dateAt(firstDay: number, days: number): number | null {
  const at = new Date(firstDay + Math.round(days * dayMs)).getTime();
  return Number.isNaN(at) ? null : at;
}

function dateText(firstDay: number, days: number): string {
  const at = dateAt(firstDay, days);
  if (at === null) return String(days);
  const text = new Date(at).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

/**
 * A number as its sheet shows it: with 15 digits, since 3 times 1250.55 is stored as 3751.6499999999996. As a text,
 * "1.234" could mean 1234; a number in a sheet cannot, which one more zero shows.
 */
function numberText(value: number): string {
  const text = String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));
  return /^-?[0-9]+\.[0-9]{3}$/.test(text) ? `${text}0` : text;
}
