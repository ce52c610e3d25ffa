import Table from 'cli-table3';
import stringWidth from 'string-width';
import type { SnakeNames } from '../../core/text/json-output.ts';
import { visible } from '../../core/text/visible.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import type { Terminal } from './terminal.ts';

/** A column of a table for people. Amounts and ids are aligned right, because they are easier to compare that way. */
export interface TableColumn {
  name: string;
  align?: 'left' | 'right';
  /** Longer cells are broken over several lines. Without a maximum, a column is as wide as its longest cell. */
  widthMax?: number;
  /** For file names: on a narrow screen they may be broken after a hyphen, an underscore, a dot or a slash. */
  breaksInWords?: boolean;
}

/** A column with what its cells show of a row; null: nothing. */
export interface Column<Row> extends TableColumn {
  cell: (row: Row) => string | null;
}

/**
 * Prints a table for people, or the same rows as JSON. Prints `none` if there are no rows. Empty columns are left out.
 */
export function printTable<Row, Document>(
  context: CommandContext,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { json, none }: { json: Document & SnakeNames<Document>; none: string },
): void {
  const lines = rows.map((row) => columns.map(({ cell }) => cell(row) ?? ''));
  answer<unknown>(context, json, lines.length === 0 ? none : tableText(context.terminal, columns, lines));
}

/**
 * How many rows are laid out together. The time for this grows with the square of their number: 20,000 rows take a
 * minute.
 */
const linesAtOnce = 100;

/** Spaces between two columns: on a wide screen, and on a narrow one. */
const paddings = [2, 1] as const;

/**
 * A table whose only rule is below its head: short on a screen, and readable with a hundred rows. On a narrow screen,
 * cells are broken over several lines. If even that does not fit, each row becomes a few lines of cells with their
 * column names.
 */
export function tableText(
  terminal: Pick<Terminal, 'paint' | 'answerColumns'>,
  columns: readonly TableColumn[],
  lines: readonly (readonly string[])[],
): string {
  const cells = lines.map((line) => line.map(visible));
  const shown = columns.flatMap((column, index) => (cells.some((line) => line[index]) ? [{ column, index }] : []));
  const sizes = shown.map(({ column, index }) => {
    const texts = [column.name, ...cells.map((line) => line[index] ?? '')];
    const longest = Math.min(widest(texts), column.widthMax ?? Infinity);
    // Amounts and numbers are never broken.
    const least = column.align === 'right' ? longest : widest(texts.flatMap((text) => piecesOf(text, column)));
    return { width: longest, least: Math.min(longest, least) };
  });
  const padding = paddings.find((spaces) => fitted(sizes, spaces, terminal.answerColumns) !== null);
  const widths = padding && fitted(sizes, padding, terminal.answerColumns);
  if (!widths) return blocks(terminal, shown, cells);
  const none = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '', left: '', right: '', middle: '' };
  const frame = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' };
  const foot = { bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' };
  const drawn = (head: string[], some: string[][]): string => {
    const table = new Table({
      head,
      colAligns: shown.map(({ column }) => column.align ?? 'left'),
      colWidths: widths.map((width) => width + padding),
      wordWrap: true,
      chars: { ...none, ...frame, ...foot },
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': padding },
    });
    table.push(...some);
    return table.toString();
  };
  const head = shown.map(({ column }) => terminal.paint('bold', column.name));
  const rule = widths.map((width) => '─'.repeat(width));
  const body = cells.map((line) =>
    shown.map(({ column, index }, at) => broken(line[index] ?? '', column, widths[at] ?? 0)),
  );
  const parts = [drawn(head, [rule])];
  for (let at = 0; at < body.length; at += linesAtOnce) parts.push(drawn([], body.slice(at, at + linesAtOnce)));
  return parts
    .join('\n')
    .split('\n')
    .map((text) => text.trimEnd())
    .join('\n');
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, stringWidth(text)), 0);
}

/** The parts of a cell that are never broken, each with the character that ends it. */
function piecesOf(text: string, { breaksInWords = false }: TableColumn): string[] {
  return breaksInWords ? text.split(/(?<=[-_./ ])/) : text.split(' ');
}

/** Adds line breaks within the words of a cell. The table library breaks only between words. */
function broken(text: string, column: TableColumn, width: number): string {
  if (column.breaksInWords !== true) return text;
  const lines = [''];
  for (const piece of piecesOf(text, column)) {
    const line = `${lines.at(-1)}${piece}`;
    if (stringWidth(line.trimEnd()) <= width) lines[lines.length - 1] = line;
    else lines.push(piece);
  }
  return lines.join('\n');
}

/** The column widths that fit the screen, with the widest columns narrowed first; null if none fit. */
function fitted(sizes: readonly { width: number; least: number }[], padding: number, screen: number): number[] | null {
  const widths = sizes.map(({ width }) => width);
  let over = widths.reduce((sum, width) => sum + width + padding, -padding) - screen;
  for (; over > 0; over--) {
    const spare = widths.map((width, at) => (width > (sizes[at]?.least ?? 0) ? width : 0));
    const most = Math.max(...spare);
    if (most === 0) return null;
    widths[spare.indexOf(most)] = most - 1;
  }
  return widths;
}

/** Separates two cells of a row that is shown as lines. */
const between = ' · ';

/**
 * Shows each row of a table as a few lines of cells, each with its column name before it. A cell is broken only if it
 * does not fit into one line.
 */
function blocks(
  { paint, answerColumns }: Pick<Terminal, 'paint' | 'answerColumns'>,
  shown: readonly { column: TableColumn; index: number }[],
  cells: readonly (readonly string[])[],
): string {
  const block = (line: readonly string[]) => {
    const lines: string[] = [];
    let room = 0;
    for (const { column, index } of shown) {
      if (!line[index]) continue;
      const cell = `${paint('bold', column.name)} ${line[index]}`;
      const width = stringWidth(`${between}${column.name} ${line[index]}`);
      if (lines.length > 0 && width <= room) {
        lines[lines.length - 1] += `${between}${cell}`;
        room -= width;
      } else {
        const indent = lines.length === 0 ? '' : '  ';
        lines.push(`${indent}${cell}`);
        room = answerColumns - indent.length - width + between.length;
      }
    }
    return lines.join('\n');
  };
  return cells.map(block).join('\n\n');
}
