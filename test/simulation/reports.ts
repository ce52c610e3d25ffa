import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { sameAmount } from '../../src/core/money/money.ts';
import type { Clock } from '../../src/core/time/clock.ts';
import type { BatchRecord } from '../../src/ledger/batches/batches.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { verdictOf } from '../../src/reports/sentences/verdict.ts';
import type { BatchSummary } from '../../src/reports/summary/summary-shape.ts';
import { openSigningKey } from '../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import type { Judged, JudgedPayment, Verdict } from './invariants.ts';

/** A row of results.csv or failed.csv. */
type ReportRow = Record<string, string>;

/** States in which the end of a row is not known yet. */
const openStates = ['ready', 'sending', 'accepted', 'in_doubt', 'held'];
/** Of these rows nothing was paid, unless the service contradicts a failed one. */
const unpaidStates = ['failed', 'cancelled', 'invalid'];

interface ReportsJudged extends Pick<Judged, 'rowsByBatch' | 'payments' | 'isBlind'> {
  db: Database;
  clock: Clock;
  /** Where the reports are written. */
  folder: string;
}

/**
 * The reports of each batch, as the program writes them: `verify` accepts them, each row of the file is there once,
 * what they say of each payment is so at the service, the same ledger gives the same files, and masked ones show no
 * number. It writes to the ledger, so nothing else may judge that afterwards.
 */
export async function judgeReports(judged: ReportsJudged, batches: readonly BatchRecord[]): Promise<Verdict[]> {
  const { clock, folder } = judged;
  const db: Database = { ...judged.db, snapshot: (work) => work(judged.db) };
  const key = await openSigningKey(join(folder, 'signing-key.pem'));
  const signing = { key, clock, person: 'amina', through: 'cli' as const };
  const faults: Verdict[] = [];
  for (const { batch_id } of batches) {
    const fault = (what: string) => void faults.push({ invariant: 'reports', what: `${batch_id}: ${what}` });
    const { dir } = await writeReports(db, batch_id, folder, { signing });
    const { ok, findings } = await verifyReports(dir);
    if (!ok) fault(`verify refuses them: ${JSON.stringify(findings)}`);
    const before = filesIn(dir);
    await writeReports(db, batch_id, folder, { signing });
    const after = filesIn(dir);
    for (const [name, bytes] of after)
      if (!before.get(name)?.equals(bytes)) fault(`the same ledger gives another ${name}`);
    const rows = readCsv(dir, 'results.csv');
    const summary = JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')) as BatchSummary;
    for (const what of [...rowsAreThere(rows, judged.rowsByBatch.get(batch_id) ?? 0), ...chargesAreSo(rows, judged)])
      fault(what);
    for (const { reference = '', row } of readCsv(dir, 'failed.csv'))
      if (isPaid(judged, reference)) fault(`failed.csv has row ${row}, which was paid`);
    for (const what of toneIsSo(rows, summary)) fault(what);
    const masked = await writeReports(db, batch_id, folder, { signing, mask: true });
    for (const number of numbersIn(masked.dir, rows)) fault(`the masked reports show ${number}`);
  }
  return faults;
}

function filesIn(dir: string): Map<string, Buffer> {
  const files = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(files.map(({ name }) => [name, readFileSync(join(dir, name))]));
}

function readCsv(dir: string, name: string): ReportRow[] {
  if (!readdirSync(dir).includes(name)) return [];
  return parse(readFileSync(join(dir, name)), { columns: true, bom: true });
}

function rowsAreThere(rows: readonly ReportRow[], count: number): string[] {
  const numbers = rows.map(({ row }) => Number(row)).sort((a, b) => a - b);
  const isWhole = numbers.length === count && numbers.every((number, index) => number === index + 1);
  return isWhole ? [] : [`of ${count} rows, results.csv has ${numbers.join(', ')}`];
}

/** The live payment of this reference that was completed at once. */
function paymentOf({ payments }: Pick<Judged, 'payments'>, reference: string): JudgedPayment | undefined {
  return payments.find((one) => one.reference === reference && one.live && one.arrivedAfterAllAt === null);
}

function isPaid(judged: Pick<Judged, 'payments' | 'isBlind'>, reference: string): boolean {
  return !judged.isBlind && paymentOf(judged, reference) !== undefined;
}

function chargesAreSo(rows: readonly ReportRow[], judged: Pick<Judged, 'payments'>): string[] {
  return rows.flatMap(({ row, status, reference = '', cost = '' }) => {
    const payment = paymentOf(judged, reference);
    if (status !== 'completed' || payment === undefined || cost === '' || sameAmount(cost, payment.cost)) return [];
    return [`row ${row} cost ${cost}, and the service charged ${payment.cost}`];
  });
}

/** "Good" means that every row is paid, once; "open" that something is still to come. */
function toneIsSo(rows: readonly ReportRow[], summary: BatchSummary): string[] {
  const { tone } = verdictOf(summary);
  const isOpen = rows.some(({ status = '' }) => openStates.includes(status));
  if (isOpen && tone !== 'open') return [`rows are open, and the verdict is "${tone}"`];
  const isPaidOnce = ({ status = '', contradicted = '', second_topup_id = '' }: ReportRow) =>
    second_topup_id === '' && (contradicted === '' ? !unpaidStates.includes(status) : status === 'failed');
  const isGood = rows.every(isPaidOnce);
  return tone === 'good' && !isGood ? ['the verdict is "good", and not every row is paid once'] : [];
}

/** Numbers of these rows that stand in a file of the folder; events.jsonl has none, and its hashes are left out. */
function numbersIn(dir: string, rows: readonly ReportRow[]): string[] {
  const texts = readdirSync(dir)
    .filter((name) => /\.(csv|json|html)$/.test(name) && name !== 'manifest.json')
    .map((name) => readFileSync(join(dir, name), 'utf8'));
  const numbers = rows
    .map(({ phone_number = '' }) => phone_number.replace(/^\+/, ''))
    .filter((number) => number !== '');
  return numbers.filter((number) => texts.some((text) => text.includes(number)));
}
