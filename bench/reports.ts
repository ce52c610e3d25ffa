import { fork } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { parseReference } from '../src/core/identity/ids.ts';
import { systemClock } from '../src/core/time/clock.ts';
import type { ServicePayment } from '../src/gateway/contract/gateway.ts';
import { findBatch } from '../src/ledger/batches/batches.ts';
import { openSqlite } from '../src/ledger/drivers/sqlite/sqlite.ts';
import { pageRows } from '../src/ledger/rows/rows.ts';
import { reconcile } from '../src/reports/reconcile/reconcile.ts';
import { resultLine, resultsCsv } from '../src/reports/render/results.ts';
import { resultsXlsx } from '../src/reports/render/xlsx.ts';
import { writeReports } from '../src/reports/reports.ts';
import { summaryOf } from '../src/reports/summary/summary.ts';
import { surveyRows } from '../src/reports/summary/survey.ts';
import { writeFolder } from '../src/reports/versions/files.ts';
import { openSigningKey } from '../src/reports/versions/signing-key.ts';
import { markOf } from '../src/reports/versions/versions.ts';
import { verifyReports } from '../src/verify/verify.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { batchId, phoneNumber } from './ledger.ts';
import { asLauncher, peakMiB } from './memory.ts';
import { benchStartMs, fillLedger } from './reports-ledger.ts';
import { inWorkplace } from './workplace.ts';

interface Measured {
  part: string;
  rowsPerSecond: number;
  peakMiB: number;
  seconds: number;
  /** Of the processor, all threads together. */
  cpuSeconds: number;
}

/** The parts, in their order. Each runs in a process of its own, so that its peak memory is its own. */
const parts = {
  'csv-stringify alone': floorStream,
  'results.csv': resultsOnly,
  'results.xlsx': xlsxOnly,
  'all reports, signed': allReports,
  verify: verifyAll,
  reconcile: reconcileAll,
} as const;
type Part = keyof typeof parts;

/** What is compared: csv-stringify alone, and results.csv, by turns. */
const compared: readonly Part[] = ['csv-stringify alone', 'results.csv'];

/** Results, workbook, reconciliation and proof of one large batch; results.csv as a ratio to csv-stringify alone. */
export const bench: Bench = async ({ quick, rows }) => {
  const count = rows ?? (quick ? 1_000 : 1_000_000);
  const rounds = quick ? 1 : 3;
  return await inWorkplace(async (folder) => {
    await fillLedger(join(folder, 'ledger.db'), count);
    const measured: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const part of compared) measured.push(await inChild(folder, part, count));
    }
    const others = (Object.keys(parts) as Part[]).filter((part) => !compared.includes(part));
    for (const part of others) measured.push(await inChild(folder, part, count));
    const of = (part: Part, what: 'seconds' | 'cpuSeconds' | 'peakMiB' | 'rowsPerSecond') =>
      median(measured.filter((one) => one.part === part).map((one) => one[what]));
    const ratio = (what: 'seconds' | 'cpuSeconds') => of('results.csv', what) / of('csv-stringify alone', what);
    const figures: Figure[] = [
      { name: 'results.csv / csv-stringify alone', value: ratio('seconds'), unit: 'x', goal: { atMost: 1.5 } },
      { name: 'results.csv / csv-stringify alone: processor', value: ratio('cpuSeconds'), unit: 'x' },
      ...[...compared, ...others].flatMap((part): Figure[] => [
        { name: part, value: of(part, 'rowsPerSecond'), unit: 'rows/s' },
        { name: `${part}: processor`, value: (of(part, 'cpuSeconds') * 1_000_000) / count, unit: 'us/row' },
        {
          name: `${part}: peak memory`,
          value: of(part, 'peakMiB'),
          unit: 'MiB',
          ...(part === 'csv-stringify alone' ? {} : { goal: { atMost: 250 } }),
        },
      ]),
    ];
    return {
      figures,
      notes: [
        `${count} rows, each part in a process of its own, started with ${asLauncher.execArgv.join(' ')} as the command starts itself. What is compared ran ${rounds} times by turns; medians.`,
        'csv-stringify alone writes the same columns from 1,000 lines that lie in memory, ready made, by its stream; it neither reads nor digests anything.',
      ],
    };
  });
};

function inChild(folder: string, part: Part, rows: number): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [folder, part, String(rows)], {
      stdio: 'inherit',
      env: { ...process.env, ...asLauncher.env },
      execArgv: [...process.execArgv, ...asLauncher.execArgv],
    });
    child.once('message', (measured) => resolve(measured as Measured));
    child.once('exit', (code) => reject(new Error(`${part} ended with code ${code}`)));
  });
}

/** Lines as results.csv has them, our columns and the file's, of the first rows of the batch. */
async function sampleLines(folder: string): Promise<(string | number | null)[][]> {
  const db = openSqlite(join(folder, 'ledger.db'));
  const batch = await findBatch(db, batchId);
  if (!batch) throw new Error('the bench has no batch');
  const rows = await pageRows(db, batchId, 0, 1_000);
  await db.close();
  return rows.map((row) => {
    const { values, input, place } = resultLine(batch, row, { mask: false });
    return [...values, ...input, ...place];
  });
}

/** What csv-stringify alone takes for such lines, already in memory. */
async function floorStream(folder: string, rows: number): Promise<void> {
  const sample = await sampleLines(folder);
  function* lines() {
    for (let at = 0; at < rows; at++) yield sample[at % sample.length];
  }
  await pipeline(lines, stringify({ escape_formulas: true }), createWriteStream(join(folder, 'floor.csv')));
}

async function withBatch(
  folder: string,
  name: string,
  content: (
    view: Parameters<typeof surveyRows>[0],
    batch: Parameters<typeof surveyRows>[1],
  ) => AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const db = openSqlite(join(folder, 'ledger.db'));
  await db.snapshot(async (view) => {
    const batch = await findBatch(view, batchId);
    if (!batch) throw new Error('the bench has no batch');
    await writeFolder(
      join(folder, 'single'),
      [],
      async (writer) => void (await writer.write({ name, content: content(view, batch) })),
    );
  });
  await db.close();
}

/** What csv-stringify is compared with: the one pass that writes results.csv. No line of the bench's file is ragged. */
async function resultsOnly(folder: string): Promise<void> {
  await withBatch(folder, 'results.csv', (view, batch) =>
    resultsCsv(
      view,
      batch,
      { cellsMax: 0, messageRows: 0, refundedRows: 0, contradictedRows: 0, paidTwiceRows: 0 },
      { mask: false },
    ),
  );
}

async function xlsxOnly(folder: string): Promise<void> {
  await withBatch(folder, 'results.xlsx', async function* (view, batch) {
    const survey = await surveyRows(view, batch);
    const stored = { found: null, toKeep: null, kept: null };
    const { mark } = await markOf(view, batch, { stored, isSigned: false });
    const options = { mask: false, version: { ...mark, difference: null, difference_unknown: null } };
    yield* resultsXlsx(view, batch, survey, await summaryOf(view, batch, survey), options);
  });
}

async function allReports(folder: string): Promise<void> {
  const db = openSqlite(join(folder, 'ledger.db'));
  await writeReports(db, batchId, join(folder, 'reports'), {
    signing: {
      key: await openSigningKey(join(folder, 'key.pem')),
      clock: systemClock,
      person: 'bench',
      through: 'cli',
    },
  });
  await db.close();
}

async function verifyAll(folder: string): Promise<void> {
  const { ok, findings } = await verifyReports(join(folder, 'reports', batchId));
  if (!ok) throw new Error(`the reports of the bench do not verify: ${findings[0]?.message}`);
}

async function reconcileAll(folder: string, rows: number): Promise<void> {
  const db = openSqlite(join(folder, 'ledger.db'));
  const page = (at: number): ServicePayment[] =>
    Array.from({ length: Math.min(100, rows - at) }, (_, index) => paymentAt(at + index + 1));
  const evidence = { httpStatus: 200, code: 'ok', message: '', requestId: null };
  const gateway = {
    list: async (query: { page: number }) => {
      const at = (query.page - 1) * 100;
      const hasNext = at + 100 < rows;
      return { kind: 'page' as const, payments: page(at), unreadable: [], page: query.page, hasNext, total: rows };
    },
    read: async () => ({ kind: 'not_found' as const, evidence }),
    lookup: async () => ({ kind: 'not_found' as const, evidence }),
    balance: async () => ({ kind: 'balance' as const, balance: { total: null, wallets: [], readAt: benchStartMs } }),
  };
  const clock = {
    now: () => benchStartMs,
    monotonic: () => 0,
    uptime: () => 0,
    sleep: async () => undefined,
    turn: async () => undefined,
  };
  const deps = {
    gateway,
    clock,
    random: { fraction: () => 0, hex: () => '0000' },
    admit: <Answer>(ask: () => Promise<Answer>) => ask(),
    noteThrottled: async () => undefined,
    refused: () => new Error('the service of the bench refuses nobody'),
    unanswered: () => undefined,
    key: await openSigningKey(join(folder, 'key.pem')),
  };
  const period = { account: 'main', fromMs: benchStartMs - 1, toMs: benchStartMs + rows * 10 };
  const { reconciliation } = await reconcile(db, deps, period, join(folder, 'reconciled'));
  if (reconciliation.counts.matched !== rows) throw new Error('the reconciliation of the bench does not match');
  await db.close();
}

function paymentAt(rowNo: number): ServicePayment {
  const reference = `payroll-2026-11/R-${rowNo}`;
  if (!parseReference(reference)) throw new Error('the bench has references of ours');
  return {
    topupId: `topup-${rowNo}`,
    serviceStatus: 'completed',
    state: 'completed',
    unknownStatus: false,
    reference,
    phoneNumber: phoneNumber(rowNo),
    amount: { value: '10.5', currency: 'KES' },
    cost: { value: '0.8', currency: 'USD' },
    productId: null,
    providerReference: null,
    failureCode: null,
    failureReason: null,
    createdAt: benchStartMs + rowNo,
    completedAt: null,
    full: false,
  };
}

if (process.send && process.argv[1] === import.meta.filename) {
  const [folder = '', part = '', rows = ''] = process.argv.slice(2);
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  await parts[part as Part](folder, Number(rows));
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpuStart);
  process.send({
    part,
    seconds,
    cpuSeconds: (user + system) / 1_000_000,
    peakMiB: peakMiB(),
    rowsPerSecond: Math.round(Number(rows) / seconds),
  } satisfies Measured);
}
