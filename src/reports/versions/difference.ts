import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { eventPages, lateKinds, readData } from '../../ledger/audit/events.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { amountsByCurrency, type BatchSummary } from '../summary/summary-shape.ts';
import { listedRowsMax } from '../summary/survey.ts';
import { csvText } from '../text/csv.ts';
import { csvRecords } from '../text/csv-records.ts';
import type { Difference, Totals } from './version-shape.ts';

/** A line of difference.csv, by `differenceColumns`. */
export type DifferenceLine = readonly string[];

/** For a cell that differs, `column` is its name in results.csv; for a late change, the kind of the event. */
const differenceColumns = ['row', 'line', 'reference', 'column', 'before', 'after'] as const;

const comparedSummary = z.object({
  rows: z.object({ by_status: z.record(z.string(), z.number()) }),
  requested: z.object({ completed: amountsByCurrency }),
  charged: z.object({ total: amountsByCurrency }),
  refunded: z.object({ rows: z.number(), amounts: amountsByCurrency }),
});

function totalsOf({ rows, requested, charged, refunded }: z.infer<typeof comparedSummary>): Totals {
  return { rows: rows.by_status, paid: requested.completed, charged: charged.total, refunded };
}

/** The counts and sums in a summary.json. */
export async function totalsIn(path: string): Promise<Totals> {
  return totalsOf(comparedSummary.parse(JSON.parse(await readFile(path, 'utf8'))));
}

/** What is compared: two results.csv, and the chain after the event at which the earlier one was made. */
export interface Compared {
  before: string;
  after: string;
  afterSeq: number;
  forgotten: boolean;
}

/**
 * The text of difference.csv. Both results.csv have the rows in file order, so they are read as two streams side by
 * side, and memory does not grow with them. The returned counts are complete when the text is.
 */
export function differenceCsv(
  view: Queryable,
  batchId: string,
  compared: Compared,
): { content: AsyncIterable<string>; counts: Pick<Difference, 'rows' | 'columns' | 'late'>; first: DifferenceLine[] } {
  const counts = { rows: 0, columns: {} as Record<string, number>, late: {} as Record<string, number> };
  const first: DifferenceLine[] = [];
  async function* lines(): AsyncGenerator<DifferenceLine> {
    let rowNo = '';
    for await (const line of differingCells(compared)) {
      if (line[0] !== rowNo) counts.rows += 1;
      rowNo = line[0] ?? '';
      note(counts.columns, line);
      yield line;
    }
    for await (const line of lateChangeLines(view, batchId, compared)) {
      note(counts.late, line);
      yield line;
    }
  }
  const note = (counts: Record<string, number>, line: DifferenceLine) => {
    const column = line[3] ?? '';
    counts[column] = (counts[column] ?? 0) + 1;
    if (first.length < listedRowsMax) first.push(line);
  };
  return { content: csvOf(lines()), counts, first };
}

/** How many lines are made into text at once. */
const linesAtOnce = 64;

async function* csvOf(lines: AsyncIterable<DifferenceLine>): AsyncGenerator<string> {
  let some: string[][] = [[...differenceColumns]];
  for await (const line of lines) {
    some.push([...line]);
    if (some.length < linesAtOnce) continue;
    yield csvText(some);
    some = [];
  }
  yield csvText(some);
}

/** Columns of results.csv about people, in addition to those of the file. */
const columnsOfPeople = ['phone_number', 'sms_message', 'failure_reason'];

async function* differingCells({ before, after, forgotten }: Compared): AsyncGenerator<DifferenceLine> {
  const [earlier, later] = [csvLines(before), csvLines(after)];
  try {
    const isCompared = (name: string) => !forgotten || !(name.startsWith('input_') || columnsOfPeople.includes(name));
    const header = async (lines: AsyncIterator<string[]>) => uniqueNames((await lines.next()).value ?? []);
    const [was, is] = [await header(earlier), await header(later)];
    const columns = [...new Set([...is, ...was])]
      .filter(isCompared)
      .map((name) => ({ name, was: was.indexOf(name), is: is.indexOf(name) }));
    const place = ['row', 'line', 'reference'].map((name) => ({ was: was.indexOf(name), is: is.indexOf(name) }));
    for (;;) {
      const [one, other] = await Promise.all([earlier.next(), later.next()]);
      if (one.done && other.done) return;
      const [old, now]: [string[], string[]] = [one.value ?? [], other.value ?? []];
      const named = place.map(({ was, is }) => now[is] || old[was] || '');
      for (const { name, was, is } of columns) {
        const [from, to] = [old[was] ?? '', now[is] ?? ''];
        if (from !== to) yield [...named, name, from, to];
      }
    }
  } finally {
    await Promise.all([earlier.return(undefined), later.return(undefined)]);
  }
}

/** A file may have two columns with one name: a number is added to the second. */
function uniqueNames(header: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  });
}

async function* csvLines(path: string): AsyncGenerator<string[], undefined> {
  yield* csvRecords(createReadStream(path));
}

/** Events read at once. */
const eventsPerPage = 64;

async function* lateChangeLines(
  view: Queryable,
  batchId: string,
  { afterSeq }: Compared,
): AsyncGenerator<DifferenceLine> {
  const kinds: readonly string[] = lateKinds;
  for await (const page of eventPages(view, batchId, eventsPerPage, afterSeq))
    for (const { kind, row_no, body } of page)
      if (kinds.includes(kind)) yield [String(row_no ?? ''), '', '', kind, '', lateText(body)];
}

/** The reason in the event; for a refund, the amount. */
function lateText(body: string): string {
  const { why, amount, currency } = readData(body) as Record<string, string | null | undefined>;
  return why ?? (amount ? `${currency} ${amount}` : '');
}

/** The difference, with the counts and sums of both versions. */
export function differenceOf(
  counts: Pick<Difference, 'rows' | 'columns' | 'late'>,
  { before, summary, forgotten }: { before: Totals; summary: BatchSummary; forgotten: boolean },
): Difference {
  return { ...counts, forgotten, before, after: totalsOf(summary) };
}
