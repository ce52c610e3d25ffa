import type { z } from 'zod';
import type { checkMigration } from '../../operations/migration/check-migration.ts';
import { counted, grouped } from '../../reports/text/counted-text.ts';
import { tableText } from '../base/table.ts';
import type { Terminal } from '../base/terminal.ts';

type Migration = z.output<typeof checkMigration.result>;
type CheckedRow = Migration['rows'][number];
type MigrationNote = CheckedRow['notes'][number];

/** How many kinds of changes and how many rows are shown to people. `--json` contains all of them. */
const changesShownMax = 30;
const rowsShownMax = 30;
/** Wide enough for two numbers and a word between them. Longer texts are broken over several lines. */
const exampleWidth = 36;
const whyWidth = 50;
const valueWidth = 26;

function needsPerson({ notes }: CheckedRow): boolean {
  return notes.some(({ effect }) => effect === 'needed');
}

/**
 * What a clerk needs to know: how many rows there are, what they become, which of them need a person, and what is true
 * of all rows.
 */
export function migrationLines(
  terminal: Pick<Terminal, 'paint' | 'answerColumns'>,
  { counts, rows, rules, knows_products: knowsProducts }: Migration,
): string[] {
  const { total, as_they_are: asTheyAre, known, person } = counts;
  const lines = [
    `File       ${counted(total, 'row')} of Version 1`,
    `Ready      ${counted(asTheyAre, 'row')} can go through Version 2 as ${asTheyAre === 1 ? 'it is' : 'they are'}`,
    `Changes    ${counted(known, 'row')}: what to change is shown below`,
    `To decide  ${counted(person, 'row')}: a value is missing that a person must fill in`,
  ];
  lines.push(...changeLines(terminal, rows), ...personLines(terminal, rows));
  const usesProducts = rows.some(({ notes }) => notes.some(({ field }) => field === 'product_id'));
  if (usesProducts && !knowsProducts) {
    lines.push(
      '',
      'The products of Version 1 could not be looked up: configure its account too, and name it with --old-account.',
    );
  }
  lines.push('', terminal.paint('bold', 'For every file'), ...rules.map((rule) => `- ${rule}`));
  return lines;
}

/** The known changes, grouped by kind, with the first change of each kind as its example. */
function changeLines(terminal: Pick<Terminal, 'paint' | 'answerColumns'>, rows: readonly CheckedRow[]): string[] {
  const groups = new Map<string, { note: MigrationNote; count: number }>();
  for (const note of rows.flatMap(({ notes }) => notes).filter(({ effect }) => effect !== 'needed')) {
    const key = JSON.stringify([note.field, note.effect, note.why]);
    const group = groups.get(key);
    if (group) group.count += 1;
    else groups.set(key, { note, count: 1 });
  }
  if (groups.size === 0) return [];
  const columns = [
    { name: 'column' },
    { name: 'rows', align: 'right' },
    { name: 'for example', widthMax: exampleWidth },
    { name: 'why', widthMax: whyWidth },
  ] as const;
  const places = [...new Set([...groups.values()].map(({ note }) => note.field))];
  const sorted = [...groups.values()].sort(
    (a, b) => places.indexOf(a.note.field) - places.indexOf(b.note.field) || b.count - a.count,
  );
  const shown = sorted.slice(0, changesShownMax);
  const lines = shown.map(({ note, count }) => [note.field, grouped(count), exampleOf(note), note.why]);
  const more = groups.size - shown.length;
  return [
    '',
    terminal.paint('bold', 'What changes'),
    tableText(terminal, columns, lines),
    ...(more > 0 ? [`and ${counted(more, 'other change')} (--json has them all)`] : []),
  ];
}

function exampleOf({ effect, from, to }: MigrationNote): string {
  if (effect === 'dropped') return `${from ?? ''} is left out`;
  return from === null ? `is now ${to ?? ''}` : `${from} becomes ${to ?? ''}`;
}

/** The rows that need a person, in file order, with one line for all values that the person must fill in. */
function personLines(terminal: Pick<Terminal, 'paint' | 'answerColumns'>, rows: readonly CheckedRow[]): string[] {
  const waiting = rows.filter(needsPerson);
  if (waiting.length === 0) return [];
  const columns = [
    { name: 'line', align: 'right' },
    { name: 'column' },
    { name: 'now', widthMax: valueWidth },
    { name: 'to do', widthMax: whyWidth + valueWidth },
  ] as const;
  const shown = waiting.slice(0, rowsShownMax);
  const lines = shown.flatMap(({ line, notes }) =>
    notes
      .filter(({ effect }) => effect === 'needed')
      .map(({ field, from, why }, index) => [index === 0 ? String(line) : '', field, from ?? '(empty)', why]),
  );
  const more = waiting.length - shown.length;
  return [
    '',
    terminal.paint('bold', 'What a person must decide'),
    tableText(terminal, columns, lines),
    ...(more > 0 ? [`and ${counted(more, 'other row')} (--json has them all)`] : []),
  ];
}
