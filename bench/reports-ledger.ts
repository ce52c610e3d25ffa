import { makeContentDigest } from '../src/core/identity/content-digest.ts';
import { findBatch } from '../src/ledger/batches/batches.ts';
import { openSqlite } from '../src/ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../src/ledger/schema/schema.ts';
import { inUnit } from '../src/ledger/unit-of-work.ts';
import { batchId, completeRow, newBatch, newRow, sendRow } from './ledger.ts';

export const benchStartMs = Date.UTC(2026, 10, 1, 8);

const rowsPerUnit = 5_000;

/**
 * A ledger with one finished batch, written as the program writes it: every row sent and completed, with its events.
 */
export async function fillLedger(path: string, count: number): Promise<void> {
  const db = openSqlite(path);
  await migrate(db);
  let now = benchStartMs;
  const clock = {
    now: () => now,
    monotonic: () => 0,
    uptime: () => 0,
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
  await inUnit(db, options, (unit) =>
    unit.addBatch({ ...newBatch(benchStartMs, 'https://service.example'), balance_before: balance('1000000') }, {}),
  );
  const digest = makeContentDigest();
  for (let from = 1; from <= count; from += rowsPerUnit) {
    now = benchStartMs + from;
    await inUnit(db, options, async (unit) => {
      const numbers = Array.from({ length: Math.min(rowsPerUnit, count - from + 1) }, (_, at) => from + at);
      const rows = numbers.map(newRow);
      for (const row of rows) digest.add(row);
      await unit.addRows(batchId, rows);
      for (const rowNo of numbers) {
        await completeRow(unit, await sendRow(unit, rowNo), unit.at + 900);
      }
    });
  }
  const content = { content_sha256: digest.hex() };
  const steps = [
    ['validate', content, content],
    ['approve', { approved_by: options.actor, approved_at: benchStartMs }, content],
    ['start', { started_at: benchStartMs }, {}],
    ['complete', { completed_at: benchStartMs + count }, {}],
  ] as const;
  for (const [event, fields, data] of steps) {
    now = event === 'complete' ? benchStartMs + count : benchStartMs;
    await inUnit(db, options, async (unit) => {
      const batch = await findBatch(unit.tx, batchId);
      if (batch) await unit.changeBatch(batch, event, fields, data);
    });
  }
  await db.close();
}
