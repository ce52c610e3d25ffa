import type { TestContext } from 'node:test';
import { makeContentDigest } from '../../src/core/identity/content-digest.ts';
import { idempotencyKey, paymentReference, sha256 } from '../../src/core/identity/ids.ts';
import { Sums } from '../../src/core/money/money.ts';
import type { RowEvent } from '../../src/core/state/row-state.ts';
import { nextGeneration } from '../../src/engine/payments/next-generation.ts';
import { balanceEventData } from '../../src/engine/plan/known-balance.ts';
import type { Balance } from '../../src/gateway/contract/gateway.ts';
import { v2Body } from '../../src/gateway/v2/v2-wire.ts';
import type { EventData } from '../../src/ledger/audit/events.ts';
import { type BatchRecord, findBatch } from '../../src/ledger/batches/batches.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { insertPayments, type PaymentRecord } from '../../src/ledger/rows/payments.ts';
import { writeRefund } from '../../src/ledger/rows/refunds.ts';
import { findRow, type NewRow, type RowRecord } from '../../src/ledger/rows/rows.ts';
import type { RowFields } from '../../src/ledger/rows/update-row.ts';
import { inUnit, type Unit } from '../../src/ledger/unit-of-work.ts';
import type { ReportOptions } from '../../src/reports/reports.ts';
import type { SigningKey } from '../../src/reports/versions/signing-key.ts';
import { aBatch, aRow, memoryLedger } from '../support/ledger.ts';

/** 1 November 2026, 08:00 UTC. */
export const startMs = Date.UTC(2026, 10, 1, 8);

/** A clock that is where the test put it, and notes how long it was waited for (ms). */
export function testClock() {
  let at = startMs;
  const slept: number[] = [];
  return {
    slept,
    now: () => at,
    monotonic: () => at,
    uptime: () => at,
    sleep: async (ms: number) => void slept.push(ms),
    turn: async () => undefined,
    set: (ms: number) => {
      at = ms;
    },
  };
}

const clocks = new WeakMap<Database, ReturnType<typeof testClock>>();

/**
 * The time of a ledger of tests: a minute after the start, as the sample batch ends, until the service says something
 * late.
 */
export function clockOf(db: Database): ReturnType<typeof testClock> {
  const clock = clocks.get(db) ?? testClock();
  if (!clocks.has(db)) clock.set(startMs + 60_000);
  clocks.set(db, clock);
  return clock;
}

/** Amina signs reports of this ledger. */
export function signedBy(db: Database, key: SigningKey): ReportOptions {
  return { signing: { key, clock: clockOf(db), person: 'amina', through: 'cli' as const } };
}

/** The ledger that the environment asks for: in memory, or on PostgreSQL. */
export async function testLedger(t: TestContext): Promise<Database> {
  const db = await memoryLedger();
  t.after(() => db.close());
  return db;
}

export const columns = ['phone_number', 'network_id', 'amount', 'currency', 'product_id', 'reference', 'name'];

export function newRow(batchId: string, rowNo: number, fields: Partial<NewRow> = {}): NewRow {
  const row = aRow(rowNo, { batch_id: batchId, row_ref: `R-${rowNo}`, amount: '100.50', ...fields });
  const cells = [
    row.phone_number,
    row.network_id,
    row.amount,
    row.currency,
    row.product_id,
    row.row_ref,
    `Person ${rowNo}`,
  ];
  return { ...row, input: fields.input ?? JSON.stringify(cells.map((cell) => (cell === null ? '' : String(cell)))) };
}

export function invalidRow(batchId: string, rowNo: number, fields: Partial<NewRow> = {}): NewRow {
  const problem = {
    code: 'PHONE_INVALID',
    column: 'phone_number',
    message: '"0712" is too short to be a phone number.',
    suggestion: 'Write the whole number, with its country code.',
  };
  const cells = ['0712', '1', '100', 'KES', '', `R-${rowNo}`, `Person ${rowNo}`];
  return newRow(batchId, rowNo, {
    status: 'invalid',
    row_ref: null,
    phone_number: null,
    problems: JSON.stringify([problem]),
    input: JSON.stringify(cells),
    ...fields,
  });
}

export function newBatch(
  batchId: string,
  fields: Partial<BatchRecord> = {},
): Omit<BatchRecord, 'audit_seq' | 'audit_head'> {
  return aBatch({
    batch_id: batchId,
    service: 'https://service.example',
    run_id: 'payroll-2026-11',
    status: 'received',
    file_sha256: sha256('the file'),
    columns: JSON.stringify(columns),
    program: 'airbatch 0.1.0',
    created_by: 'amina',
    created_at: startMs,
    ...fields,
  });
}

export function balanceJson(wallets: Record<string, string>, readAt: number): string {
  return JSON.stringify({
    total: null,
    wallets: Object.entries(wallets).map(([walletId, balance]) => ({
      walletId,
      name: `${walletId} wallet`,
      currency: walletId.slice(0, 3),
      balance,
      active: true,
    })),
    readAt,
  });
}

/** What the audit log has of a step besides; undefined: without that member. */
type StepData = { [Member in keyof EventData]: EventData[Member] | undefined };
/** One step of a row's way: an event with what it sets. */
export type Step = [event: RowEvent, fields?: RowFields, data?: StepData];

export function completedWay(rowNo: number, cost = '0.80'): Step[] {
  return [
    ['send', { attempts: 1, first_sent_at: startMs + rowNo * 1_000 }],
    [
      'accept',
      {
        topup_id: `topup-${rowNo}`,
        service_status: 'pending',
        cost,
        cost_currency: 'USD',
        accepted_at: startMs + rowNo * 1_000 + 200,
      },
    ],
    [
      'complete',
      { service_status: 'completed', provider_reference: `P-${rowNo}`, completed_at: startMs + rowNo * 1_000 + 900 },
    ],
  ];
}

export function failedWay(rowNo: number, code = 'PROVIDER_DECLINED', reason = 'The operator declined it'): Step[] {
  const failure = { failure_code: code, failure_reason: reason };
  return [
    ['send', { attempts: 1, first_sent_at: startMs + rowNo * 1_000 }],
    [
      'accept',
      {
        topup_id: `topup-${rowNo}`,
        service_status: 'pending',
        cost: '0.80',
        cost_currency: 'USD',
        accepted_at: startMs + rowNo * 1_000 + 200,
      },
    ],
    ['fail', { service_status: 'failed', cost: '0', completed_at: startMs + rowNo * 1_000 + 900, ...failure }],
  ];
}

/** A payment that failed, was charged 0.80 all the same, and whose row was sent again and paid. */
export function paidAgain(rowNo: number): Step[] {
  const sentAgain = { attempts: 1, first_sent_at: startMs + rowNo * 1_000 + 5_000 };
  const [, accept, complete] = completedWay(rowNo) as [Step, Step, Step];
  return [
    ...completedWay(rowNo).slice(0, 2),
    ['fail', { service_status: 'UNDERLIVERED', failure_code: 'UNDERLIVERED', completed_at: startMs + 3_000 }],
    ['retry', nextGeneration({ generation: 1 }, null)],
    ['send', sentAgain],
    [accept[0], { ...accept[1], topup_id: `topup-${rowNo}~2` }],
    complete,
  ];
}

/** What the engine keeps of such an event in the audit log. */
function eventData(batch: Pick<BatchRecord, 'account' | 'run_id'>, row: RowRecord, event: RowEvent): EventData {
  if (event === 'send') {
    const identity = {
      account: batch.account,
      runId: batch.run_id,
      rowRef: row.row_ref ?? '',
      generation: row.generation,
    };
    return { key: idempotencyKey(identity), attempt: row.attempts };
  }
  if (event === 'hold' && row.service_status !== null)
    return { why: 'MAY_BE_PAID', service_status: row.service_status, first_sent_at: row.first_sent_at };
  if (event === 'fail') return { failure_code: row.failure_code, failure_reason: row.failure_reason };
  return event === 'complete' ? { service_status: row.service_status } : {};
}

/** The payment that is bound when a row is sent for the first time. */
function paymentOf(batch: Pick<BatchRecord, 'account' | 'run_id'>, row: RowRecord, at: number): PaymentRecord {
  const { account } = batch;
  const identity = { account, runId: batch.run_id, rowRef: row.row_ref ?? '', generation: row.generation };
  const reference = paymentReference(identity);
  const { phone_number, network_id, amount, currency, product_id: productId, sms_message: smsMessage } = row;
  const order = { phoneNumber: phone_number ?? '', networkId: network_id ?? 0, productId, smsMessage, reference };
  const money = amount === null ? null : { value: amount, currency: currency ?? '' };
  const body = v2Body({ ...order, amount: money, callbackUrl: null }, 'auto');
  return {
    idempotency_key: idempotencyKey(identity),
    account,
    batch_id: row.batch_id,
    row_no: row.row_no,
    generation: row.generation,
    reference,
    body,
    body_digest: sha256(body),
    attempts: 1,
    open_attempts: 1,
    first_intent_at: at,
    last_intent_at: at,
    lookups: 0,
    aged_lookups: 0,
    resends: 0,
    same_errors: 0,
    last_evidence: null,
  };
}

/** What intake and an approval keep of the rows in the audit log. */
function meantBy(rows: readonly NewRow[]) {
  const digest = makeContentDigest();
  const sums = new Sums();
  for (const row of rows) {
    digest.add(row);
    if (row.status === 'ready' && row.amount !== null) sums.add(row.currency ?? '', row.amount);
  }
  const content_sha256 = digest.hex();
  const count = (status: string) => rows.filter((row) => row.status === status).length;
  const counts = { invalid: count('invalid'), held: count('held'), skipped: count('skipped') };
  return {
    validated: { content_sha256, rows: rows.length, valid: count('ready'), ...counts, amount_column: 2 },
    approved: { content_sha256, rows: count('ready'), products: 0, sums: JSON.stringify(sums.toObject()) },
  };
}

/** Writes a batch the way the program does: through units of work, so that its counts and its audit chain are real. */
export async function writeBatch(
  db: Database,
  batch: Omit<BatchRecord, 'audit_seq' | 'audit_head'>,
  rows: readonly { row: NewRow; way?: Step[] }[],
  end: Partial<BatchRecord> | null = { completed_at: startMs + 60_000 },
): Promise<void> {
  const clock = testClock();
  const act = <Result>(actor: string, work: (unit: Unit) => Promise<Result>) => inUnit(db, { clock, actor }, work);
  const { batch_id: id, account, service, run_id, file_sha256, created_by, finish_by } = batch;
  const { validated, approved } = meantBy(rows.map(({ row }) => row));
  const current = async (unit: Unit) => (await findBatch(unit.tx, id)) as BatchRecord;
  await act('amina', async (unit) => {
    await unit.addBatch(batch, { account, service, run_id, file_sha256, created_by, finish_by });
    await unit.addRows(
      id,
      rows.map(({ row }) => row),
    );
    const { content_sha256 } = validated;
    await unit.changeBatch(await current(unit), 'validate', { content_sha256 }, validated);
  });
  await act('brian', async (unit) => {
    const fields = { approved_by: 'brian', approved_at: startMs };
    const data = { ...approved, ...notifiedIn(batch.balance_before) };
    await unit.changeBatch(await current(unit), 'approve', fields, data);
  });
  await act('engine', async (unit) => {
    await unit.changeBatch(await current(unit), 'start', { started_at: startMs }, {});
  });
  for (const { row, way = [] } of rows) {
    for (const [event, fields = {}, data = {}] of way) {
      // A request is written down as it is sent.
      clock.set((event === 'send' && fields.first_sent_at) || clock.now() + 250);
      await act('engine', async (unit) => {
        const before = (await findRow(unit.tx, id, row.row_no)) as RowRecord;
        if (event === 'send') await insertPayments(unit.tx, [paymentOf(batch, before, unit.at)]);
        await unit.changeRow(
          before,
          event,
          fields,
          Object.assign(eventData(batch, { ...before, ...fields }, event), data),
        );
      });
    }
  }
  if (end === null) return;
  clock.set(end.completed_at ?? clock.now());
  const data = notifiedIn(end.balance_after ?? null);
  await act('engine', async (unit) => void (await unit.changeBatch(await current(unit), 'complete', end, data)));
}

/** What the engine keeps in the audit log of a balance that the ledger has. */
function notifiedIn(stored: string | null): EventData {
  return balanceEventData(stored === null ? null : (JSON.parse(stored) as Balance));
}

/** A finished batch of ten rows: most are paid, one failed, one is invalid, one was skipped. */
export async function writeSampleBatch(
  db: Database,
  batchId = 'B-1',
  fields: Partial<BatchRecord> = {},
): Promise<void> {
  const rows: { row: NewRow; way?: Step[] }[] = [];
  for (let rowNo = 1; rowNo <= 7; rowNo++) rows.push({ row: newRow(batchId, rowNo), way: completedWay(rowNo) });
  rows.push({ row: newRow(batchId, 8), way: failedWay(8) });
  rows.push({ row: invalidRow(batchId, 9) });
  rows.push({ row: newRow(batchId, 10, { status: 'held' }), way: [['skip', {}]] });
  const before = balanceJson({ 'USD-global': '100' }, startMs - 500);
  await writeBatch(db, newBatch(batchId, { balance_before: before, ...fields }), rows, {
    completed_at: startMs + 60_000,
    balance_after: balanceJson({ 'USD-global': '94.4' }, startMs + 60_500),
  });
}

/** Gives the money of these rows of B-1 back: how much in USD, or null where that was not told. */
export async function refundRows(
  db: Database,
  refunds: readonly [rowNo: number, amount: string | null][],
): Promise<void> {
  for (const [rowNo, amount] of refunds) {
    const row = (await findRow(db, 'B-1', rowNo)) as RowRecord;
    const refund_currency = amount === null ? null : 'USD';
    await writeRefund(db, row, { refunded_at: startMs, refund_amount: amount, refund_currency });
  }
}
