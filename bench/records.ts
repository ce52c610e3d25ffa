import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import Table from 'cli-table3';
import { type Figure, isReached } from './figures.ts';

/** One run of one bench, as `bench/results/NAME.json` has it. */
export interface BenchRecord {
  bench: string;
  command: string;
  /** ISO 8601. */
  at: string;
  machine: string;
  node: string;
  seconds: number;
  figures: Figure[];
  notes: string[];
}

const results = join(import.meta.dirname, 'results');
const document = resolve(import.meta.dirname, '../docs/performance.md');

/** Keeps a record, and brings the tables of the document up to date with all that are kept. */
export async function keepRecord(record: BenchRecord): Promise<void> {
  await mkdir(results, { recursive: true });
  await writeFile(join(results, `${record.bench}.json`), `${JSON.stringify(record, null, 2)}\n`);
  const names = (await readdir(results)).filter((name) => name.endsWith('.json')).sort();
  const records = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(results, name), 'utf8')) as BenchRecord),
  );
  const text = await readFile(document, 'utf8');
  const withGoals = replacePart(text, 'goals', goalsMarkdown(records));
  await writeFile(document, replacePart(withGoals, 'figures', records.map(markdown).join('\n\n')));
}

/** Puts `content` between the marks of a part of the document that the bench writes. */
function replacePart(text: string, part: string, content: string): string {
  const begin = `<!-- ${part}: written by "npm run bench" -->`;
  const end = `<!-- end of ${part} -->`;
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${document} has no place for the ${part}`);
  return `${before}${begin}\n\n${content}\n\n${end}${after}`;
}

/** What was to be reached, and whether it was: one table for whoever reads no further. */
function goalsMarkdown(records: readonly BenchRecord[]): string {
  const lines = records.flatMap(({ bench, figures }) =>
    figures
      .filter(({ goal }) => goal)
      .map((figure) => {
        return `| [${bench}](#${bench}) | ${figure.name} | ${valueText(figure)} | ${goalText(figure)} | ${verdict(figure)} |`;
      }),
  );
  return ['| bench | figure | measured | to reach | |', '|---|---|---:|---:|---|', ...lines].join('\n');
}

/** All figures in one table, for a screen. Figures of a quick run mean nothing, and are not judged. */
export function figureTable(records: readonly BenchRecord[], { judged }: { judged: boolean }): string {
  const table = new Table({
    head: ['bench', 'figure', 'measured', 'to reach', ''],
    colAligns: ['left', 'left', 'right', 'right', 'left'],
    style: { head: [], border: [] },
  });
  for (const { bench, figures } of records) {
    for (const figure of figures) {
      table.push([bench, figure.name, valueText(figure), goalText(figure), judged ? verdict(figure) : '']);
    }
  }
  return table.toString();
}

function markdown({ bench, command, at, machine, node, seconds, figures, notes }: BenchRecord): string {
  const lines = figures.map(
    (figure) => `| ${figure.name} | ${valueText(figure)} | ${goalText(figure)} | ${verdict(figure)} |`,
  );
  return [
    `### ${bench}`,
    '',
    `\`${command}\`, ${at.slice(0, 10)}, ${machine}, Node ${node}, ${seconds} s.`,
    '',
    '| figure | measured | to reach | |',
    '|---|---:|---:|---|',
    ...lines,
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
  ].join('\n');
}

function verdict(figure: Figure): string {
  const reached = isReached(figure);
  if (reached === null) return '';
  return reached ? 'reached' : 'MISSED';
}

function valueText({ value, unit }: Figure): string {
  return `${numberText(value)} ${unit}`;
}

function goalText({ goal, unit }: Figure): string {
  if (!goal) return '';
  return 'atMost' in goal
    ? `at most ${numberText(goal.atMost)} ${unit}`
    : `at least ${numberText(goal.atLeast)} ${unit}`;
}

/** Three significant digits at least; whole numbers in full. */
function numberText(value: number): string {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
