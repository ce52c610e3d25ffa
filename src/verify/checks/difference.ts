import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ChainFacts } from '../chain/chain-facts.ts';
import { ownLines } from '../input/files.ts';
import type { Findings } from '../input/findings.ts';
import { unguarded } from '../input/guards.ts';
import type { Manifest, Previous } from '../input/manifest.ts';
import { csvLines, type ResultRow, resultRows } from '../input/rows.ts';
import { readSummary, type Summary } from './summary.ts';

export const file = 'difference.csv';
const header = ['row', 'line', 'reference', 'column', 'before', 'after'];

/** The events about late changes of rows that had ended. */
const lateKinds = ['row.refund', 'row.contradicted', 'row.changed_late'];

export interface Versioned {
  dir: string;
  manifest: Manifest;
  summary: Summary;
  chain: ChainFacts;
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * The lines that difference.csv must have because of the chain after the previous version, by digest and number, so
 * that they need not be in memory.
 */
export async function lateChangeLines(dir: string, { events }: Previous): Promise<LineMarks> {
  const marks = new LineMarks();
  let seq = 0;
  for await (const lines of ownLines(join(dir, 'events.jsonl')))
    for (const line of lines) {
      seq += 1;
      if (seq <= events) continue;
      const { kind, row_no, body } = JSON.parse(line);
      if (!lateKinds.includes(kind)) continue;
      const { why, amount, currency } = JSON.parse(body);
      marks.add([String(row_no ?? ''), '', '', kind, '', why ?? (amount ? `${currency} ${amount}` : '')]);
    }
  return marks;
}

/** A fingerprint of lines in order, and their number: two sequences of the same lines are equal. */
class LineMarks {
  readonly #digest = createHash('sha256');

  add(line: readonly string[]): void {
    this.#digest.update(`${JSON.stringify(line.map(unguarded))}\n`);
  }

  hex(): string {
    return this.#digest.copy().digest('hex');
  }
}

/** Every line of difference.csv must be true, none may be missing, and summary.json must count them correctly. */
export async function checkDifference(
  { dir, manifest, summary, chain }: Versioned,
  {
    earlier,
    late,
    difference,
  }: { earlier: string | null; late: LineMarks; difference: NonNullable<Summary['difference']> },
  findings: Findings,
): Promise<void> {
  const forgotten = chain.batch.forgotten !== null;
  const cells = earlier === null ? byOwn(dir) : byBoth(earlier, dir, forgotten);
  const counted = { rows: 0, columns: new Map<string, number>(), late: new Map<string, number>() };
  const found = new LineMarks();
  let [lineNo, rowNo] = [0, ''];
  for await (const line of csvLines(join(dir, file))) {
    lineNo += 1;
    const [row = '', , , column = ''] = line;
    if (lineNo === 1) {
      if (!same(line, header)) findings.add(file, 'has other columns than it must have.');
    } else if (lateKinds.includes(column)) {
      found.add(line);
      counted.late.set(column, (counted.late.get(column) ?? 0) + 1);
    } else {
      if (counted.late.size > 0) findings.add(file, `line ${lineNo} comes after the late changes.`);
      if (row !== rowNo) counted.rows += 1;
      rowNo = row;
      counted.columns.set(column, (counted.columns.get(column) ?? 0) + 1);
      if (await cells.holds(line)) continue;
      findings.add(file, `line ${lineNo} (row ${row}, ${column}) is not what these reports say.`);
      return;
    }
  }
  if (!(await cells.isAll())) findings.add(file, 'lacks a difference from the previous version.');
  if (found.hex() !== late.hex()) findings.add(file, 'has other late changes than the audit chain.');
  const counts = { rows: counted.rows, columns: sorted(counted.columns), late: sorted(counted.late), forgotten };
  const { rows, columns, late: lateCounts, forgotten: isSaid } = difference;
  const said = {
    rows,
    columns: sorted(Object.entries(columns)),
    late: sorted(Object.entries(lateCounts)),
    forgotten: isSaid,
  };
  if (!same(counts, said)) findings.add('summary.json', 'has other counts of differences than difference.csv.');
  await checkTotals({ manifest, summary, difference, earlier }, findings);
}

async function checkTotals(
  {
    manifest,
    summary,
    difference: { before, after },
    earlier,
  }: Pick<Versioned, 'manifest' | 'summary'> & {
    difference: NonNullable<Summary['difference']>;
    earlier: string | null;
  },
  findings: Findings,
): Promise<void> {
  const then = earlier === null ? null : await readSummary(earlier, manifest, findings);
  if (!same(totalsOf(summary), after) || (then !== null && !same(totalsOf(then), before)))
    findings.add('summary.json', 'has other counts and sums for a version than that version has.');
}

function totalsOf({ rows, requested, charged, refunded }: Summary) {
  return { rows: rows.by_status, paid: requested.completed, charged: charged.total, refunded };
}

const sorted = (counts: Iterable<[string, number]>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

/** The cells that differ between the results of two versions, which both have the rows in file order. */
async function* differingCells(earlier: string, dir: string, forgotten: boolean): AsyncGenerator<string[], undefined> {
  const [then, now] = [earlier, dir].map((folder) => csvLines(join(folder, 'results.csv'))) as [Lines, Lines];
  const [was, is] = [uniqueNames(await then.next()), uniqueNames(await now.next())];
  const names = [...new Set([...is, ...was])].filter((name) => !forgotten || !namesPeople(name));
  const columns = names.map((name) => [name, was.indexOf(name), is.indexOf(name)] as const);
  const place = ['row', 'line', 'reference'].map((name) => [was.indexOf(name), is.indexOf(name)] as const);
  for (;;) {
    const [before, after] = await Promise.all([then.next(), now.next()]);
    if (before.done && after.done) return;
    const [old, row] = [before.value ?? [], after.value ?? []];
    const named = place.map(([at, to]) => row[to] || old[at] || '');
    for (const [name, at, to] of columns) {
      const [from, next] = [old[at] ?? '', row[to] ?? ''];
      if (from !== next) yield [...named, name, from, next];
    }
  }
}

type Lines = AsyncGenerator<string[], undefined>;

/** The second of two columns with one name gets a number. */
function uniqueNames({ value }: { value: string[] | undefined }): string[] {
  const seen = new Map<string, number>();
  return (value ?? []).map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  });
}

/** Once people are forgotten, the columns that name them must not be repeated. */
function namesPeople(name: string): boolean {
  return name.startsWith('input_') || ['phone_number', 'sms_message', 'failure_reason'].includes(name);
}

/** Proves the cells of difference.csv, which are queried in order. */
interface CellProof {
  holds(line: readonly string[]): Promise<boolean>;
  /** Whether nothing else differs, if that can be known. */
  isAll(): Promise<boolean>;
}

function byBoth(earlier: string, dir: string, forgotten: boolean): CellProof {
  const cells = differingCells(earlier, dir, forgotten);
  return {
    holds: async (line) => same((await cells.next()).value, line),
    isAll: async () => (await cells.next()).done === true,
  };
}

/** Uses only the results in the folder: the values before cannot be checked. */
function byOwn(dir: string): CellProof {
  const rows = resultRows(dir);
  let row: ResultRow | null = null;
  return {
    async holds([rowNo = '', line, reference, column = '', , after]) {
      while (row === null || Number(row.row) < Number(rowNo)) {
        const { value, done } = await rows.next();
        if (done) return false;
        row = value;
      }
      // The number after the name distinguishes columns with the same name.
      const isOne = column in row || !/#\d+$/.test(column);
      const isOfRow = row.row === rowNo && row.line === line && (!row.reference || row.reference === reference);
      return isOfRow && (!isOne || (row[column] ?? '') === after);
    },
    isAll: async () => true,
  };
}
