import { idempotencyKey } from '../src/core/ids.ts';
import { findBatch } from '../src/ledger/batches.ts';
import { insertPayment } from '../src/ledger/payments.ts';
import type { NewRow, RowRecord } from '../src/ledger/rows.ts';
import { findRow } from '../src/ledger/rows.ts';
import { migrate } from '../src/ledger/schema.ts';
import { openSqlite } from '../src/ledger/sqlite.ts';
import { inUnit } from '../src/ledger/unit-of-work.ts';

export const batchId = 'B-bench';
export const benchStartMs = Date.UTC(2026, 10, 1, 8);

const rowsPerUnit = 5_000;
const columns = ['phone_number', 'network_id', 'amount', 'currency', 'product_id', 'reference', 'name'];

/** A ledger with one finished batch, written as the program writes it: every row sent and completed, with its events. */
export async function fillLedger(path: string, count: number): Promise<void> {
  const db = openSqlite(path);
  await migrate(db);
  const clock = {
    now: () => benchStartMs,
    monotonic: () => 0,
    sleep: async () => undefined,
    turn: async () => undefined,
  };
  const options = { clock, actor: 'engine' };
  const balance = (value: string) =>
    JSON.stringify({
      total: null,
      wallets: [{ walletId: 'w', name: 'USD', currency: 'USD', balance: value, active: true }],
      readAt: benchStartMs,
    });
  await inUnit(db, options, (unit) => unit.addBatch({ ...newBatch(), balance_before: balance('1000000') }, {}));
  for (let from = 1; from <= count; from += rowsPerUnit) {
    await inUnit(db, options, async (unit) => {
      const numbers = Array.from({ length: Math.min(rowsPerUnit, count - from + 1) }, (_, at) => from + at);
      await unit.addRows(batchId, numbers.map(newRow));
      for (const rowNo of numbers) await pay(unit, rowNo);
    });
  }
  const steps = [
    ['validate', {}],
    ['approve', { approved_by: 'brian' }],
    ['start', { started_at: benchStartMs }],
    ['complete', { completed_at: benchStartMs + count }],
  ] as const;
  for (const [event, fields] of steps) {
    await inUnit(db, options, async (unit) => {
      const batch = await findBatch(unit.tx, batchId);
      if (batch) await unit.changeBatch(batch, event, fields, {});
    });
  }
  await db.close();
}

async function pay(unit: Parameters<Parameters<typeof inUnit>[2]>[0], rowNo: number): Promise<void> {
  const key = idempotencyKey({ account: 'main', runId: 'payroll-2026-11', rowRef: `R-${rowNo}`, generation: 1 });
  const at = benchStartMs + rowNo;
  await insertPayment(unit.tx, {
    idempotency_key: key,
    account: 'main',
    batch_id: batchId,
    row_no: rowNo,
    generation: 1,
    reference: `payroll-2026-11/R-${rowNo}`,
    body: '{}',
    body_digest: '',
    attempts: 1,
    open_attempts: 0,
    first_intent_at: at,
    last_intent_at: at,
    lookups: 0,
    aged_lookups: 0,
    resends: 0,
    same_errors: 0,
    last_evidence: null,
  });
  const row = (await findRow(unit.tx, batchId, rowNo)) as RowRecord;
  const sent = await unit.changeRow(row, 'send', { attempts: 1, first_sent_at: at }, { key, attempt: 1 });
  const ended = { topup_id: `topup-${rowNo}`, service_status: 'completed', cost: '0.8', cost_currency: 'USD' };
  if (sent)
    await unit.changeRow(
      sent,
      'complete',
      { ...ended, provider_reference: `P-${rowNo}`, completed_at: at + 900 },
      ended,
    );
}

function newRow(rowNo: number): NewRow {
  const phone = `+2547${String(rowNo).padStart(8, '0')}`;
  return {
    batch_id: batchId,
    row_no: rowNo,
    line: rowNo + 1,
    row_ref: `R-${rowNo}`,
    status: 'ready',
    phone_number: phone,
    country: 'KE',
    network_id: 1,
    amount: '100.50',
    currency: 'KES',
    product_id: null,
    sms_message: null,
    problems: null,
    input: JSON.stringify([phone, '1', '100.50', 'KES', '', `R-${rowNo}`, `Person ${rowNo}`]),
  };
}

function newBatch() {
  return {
    batch_id: batchId,
    account: 'main',
    service: 'https://service.example',
    run_id: 'payroll-2026-11',
    status: 'received' as const,
    pause_reason: null,
    pause_detail: null,
    priority: 'normal' as const,
    file_name: 'payroll.csv',
    file_sha256: null,
    content_sha256: null,
    columns: JSON.stringify(columns),
    rejection: null,
    balance_before: null,
    balance_after: null,
    program: 'airbatch',
    created_by: 'bench',
    policy: '{}',
    reread_at: null,
    approved_plan: null,
    canary_at: null,
    forgotten_at: null,
    job: null,
    approved_by: null,
    created_at: benchStartMs,
    approved_at: null,
    started_at: null,
    completed_at: null,
  };
}
