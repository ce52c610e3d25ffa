import Table from 'cli-table3';
import { visible } from '../core/visible.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import type { Terminal } from './terminal.ts';

/** A column of a table for people: money and ids are easier to compare where their ends stand below each other. */
export interface TableColumn {
  name: string;
  align?: 'left' | 'right';
  /** Longer cells go over several lines; without it a column is as wide as its longest cell. */
  widthMax?: number;
}

/** Prints a table for people, or the same as JSON; `none` is said where there are no lines. Columns in which no line has anything are left out. */
export function printTable(
  context: CommandContext,
  columns: readonly TableColumn[],
  lines: readonly (readonly string[])[],
  { json, none }: { json: unknown; none: string },
): void {
  answer(context, json, lines.length === 0 ? none : tableText(context.terminal, columns, lines));
}

/** Spaces between two columns. */
const cellPadding = 2;

/** A table with a rule below its head only: short on a screen, and readable with a hundred lines. */
export function tableText(
  terminal: Pick<Terminal, 'paint'>,
  columns: readonly TableColumn[],
  lines: readonly (readonly string[])[],
): string {
  const cells = lines.map((line) => line.map(visible));
  const shown = columns.flatMap((column, index) => (cells.some((line) => line[index]) ? [{ column, index }] : []));
  const widths = shown.map(({ column, index }) => {
    const longest = Math.max(column.name.length, ...cells.map((line) => line[index]?.length ?? 0));
    return Math.min(longest, column.widthMax ?? longest) + cellPadding;
  });
  const none = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '', left: '', right: '', middle: '' };
  const frame = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' };
  const foot = { bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' };
  const table = new Table({
    head: shown.map(({ column }) => terminal.paint('bold', column.name)),
    colAligns: shown.map(({ column }) => column.align ?? 'left'),
    colWidths: widths,
    wordWrap: true,
    chars: { ...none, ...frame, ...foot },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': cellPadding },
  });
  table.push(shown.map((_, place) => '─'.repeat((widths[place] ?? 0) - cellPadding)));
  for (const line of cells) table.push(shown.map(({ index }) => line[index] ?? ''));
  return table
    .toString()
    .split('\n')
    .map((text) => text.trimEnd())
    .join('\n');
}
