import { pageEvents } from '../src/ledger/audit/events.ts';
import { pageRows } from '../src/ledger/rows/rows.ts';
import { openLedger } from '../src/runtime/session/ledger.ts';
import { type AirbatchRun, runAirbatch } from './airbatch-child.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { addApprovedBatch, batchId } from './ledger.ts';
import { startSandbox } from './sandbox.ts';
import { defaultLimits, furnish, inWorkplace, noLimits } from './workplace.ts';

/**
 * At full speed, at a pace (a window of a second, in which as much is allowed as the service does in a minute), and at
 * the service's own.
 */
const paces = {
  'no limit': { sandbox: ['--rate', '1000000000'], limits: noLimits },
  '60 a second': { sandbox: ['--rate', '60', '--window-ms', '1000'], limits: defaultLimits(1_000) },
  '60 a minute': { sandbox: ['--rate', '60', '--window-ms', '60000'], limits: defaultLimits(60_000) },
} as const;
type Pace = keyof typeof paces;

const itemsPerPage = 1_000;
/** By the minute: two windows, and the first rows of a third. */
const rowsByTheMinute = 125;
/** The rows of that third window. */
const lastRows = 5;

interface Run {
  readsPerRow: number;
  /** Between a row's end at the service and its end in the ledger (ms), in the order in which the ends were seen. */
  delays: readonly number[];
  rowsPerSecond: number;
}

/**
 * What following rows to their ends costs in reads of the service, with webhooks and without, and how soon an end is
 * seen.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const count = rows ?? (quick ? 100 : 10_000);
  // A batch of 300 rows or fewer has every row read for its details, so that the slow one is larger than that.
  const pacedCount = Math.min(count, 1_500);
  const figures = [
    ...figuresOf('no webhooks', await follow(count, 'no limit', false), { atMost: 0.03 }),
    ...figuresOf('webhooks', await follow(count, 'no limit', true), { atMost: 0.015 }),
  ];
  if (!quick) {
    figures.push(
      ...figuresOf('60 a second, no webhooks', await follow(pacedCount, '60 a second', false), { atMost: 0.03 }),
      ...figuresOf('60 a second, webhooks', await follow(pacedCount, '60 a second', true), { atMost: 0.015 }),
      ...endsOf('60 a minute, no webhooks', await follow(rowsByTheMinute, '60 a minute', false)),
    );
  }
  const notes = [
    `${count} rows at the sandbox without a limit (${pacedCount} at 60 a second, ${rowsByTheMinute} at 60 a minute); each ends 0.75 to 1.5 s after its creation. Delays are medians.`,
  ];
  return { figures, notes };
};

function figuresOf(name: string, { readsPerRow, delays, rowsPerSecond }: Run, goal: { atMost: number }): Figure[] {
  return [
    { name, value: readsPerRow, unit: 'reads/row', goal },
    { name: `${name}: an end is seen after`, value: median(delays), unit: 'ms', goal: { atMost: 5_000 } },
    { name: `${name}: speed`, value: rowsPerSecond, unit: 'rows/s' },
  ];
}

/** How late ends are seen at the service's own rate. Reads for the provider's references of so small a batch are extra. */
function endsOf(name: string, { delays }: Run): Figure[] {
  const worst = (some: readonly number[], atMost: number) => ({
    value: Math.max(...some),
    unit: 'ms' as const,
    goal: { atMost },
  });
  return [
    { name: `${name}: an end is seen after, worst`, ...worst(delays, 10_000) },
    { name: `${name}: of the last ${lastRows} rows, worst`, ...worst(delays.slice(-lastRows), 2_000) },
  ];
}

async function follow(count: number, pace: Pace, webhooks: boolean): Promise<Run> {
  const { sandbox: options, limits } = paces[pace];
  await using sandbox = await startSandbox(options);
  const { url } = sandbox;
  return await inWorkplace(async (folder) => {
    const place = await furnish(folder, { baseUrl: url, limits });
    const db = await openLedger(place.ledgerPath);
    await addApprovedBatch(db, count, url);
    const run = await runAirbatch(place, { webhooks, counted: true });
    const delays = await delaysOf(db);
    await db.close();
    if (delays.length !== count) throw new Error(`${delays.length} rows of ${count} ended`);
    return {
      readsPerRow: readsOf(run) / count,
      delays,
      rowsPerSecond: (count * 1_000) / (run.endedAt - run.startedAt),
    };
  });
}

function readsOf({ answers }: AirbatchRun): number {
  const { create: _sent, ...reads } = answers;
  return Object.values(reads).reduce((sum, number) => sum + number, 0);
}

async function delaysOf(db: Awaited<ReturnType<typeof openLedger>>): Promise<number[]> {
  const endedAt = new Map<number, number>();
  for (let after = 0; ; ) {
    const page = await pageRows(db, batchId, after, itemsPerPage);
    for (const { row_no, completed_at } of page) if (completed_at !== null) endedAt.set(row_no, completed_at);
    const last = page.at(-1);
    if (!last) break;
    after = last.row_no;
  }
  const delays: number[] = [];
  for (let after = 0; ; ) {
    const page = await pageEvents(db, batchId, after, itemsPerPage);
    for (const { kind, row_no, at } of page) {
      const ended = row_no === null ? undefined : endedAt.get(row_no);
      if (kind === 'row.complete' && ended !== undefined) delays.push(at - ended);
    }
    const last = page.at(-1);
    if (!last) return delays;
    after = last.seq;
  }
}
