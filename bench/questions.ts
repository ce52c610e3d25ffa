import { join } from 'node:path';
import { systemRandom } from '../src/core/basics/random.ts';
import { dayMs, isoTime, systemClock } from '../src/core/time/clock.ts';
import type { Database } from '../src/ledger/drivers/database.ts';
import { inUnit } from '../src/ledger/unit-of-work.ts';
import { performIn } from '../src/operations/base/operation.ts';
import { listPaidFiles } from '../src/operations/batches/list-paid-files.ts';
import { exportJournal } from '../src/operations/proof/export-journal.ts';
import { findPayments } from '../src/operations/rows/find-payments.ts';
import { openLedger } from '../src/runtime/session/ledger.ts';
import type { Session } from '../src/runtime/session/session.ts';
import { loadConfig } from '../src/runtime/settings/config.ts';
import { aBatch } from '../test/support/ledger.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { inWorkplace } from './workplace.ts';

const firstDay = Date.UTC(2026, 0, 1);
const times = 9;
/** Days of the small ledger and of the large one; each day pays a file of the same people. */
const few = 10;
const many = 100;

/**
 * What the questions of the first month cost in processor time (`find`, `paid`, `journal`): those of a day with few
 * earlier payments in the ledger and with ten times as many; and of a month. `find` reads what the person was paid.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const rowsEach = Math.max(1, Math.round((rows ?? (quick ? 2_000 : 1_000_000)) / many));
  const small = await askAll(few, rowsEach);
  const large = await askAll(many, rowsEach);
  const figures: Figure[] = [];
  for (const [name, ms] of large) {
    figures.push({ name, value: ms, unit: 'ms' });
    const before = small.get(name);
    if (before !== undefined && / a day$/.test(name) && !name.startsWith('find'))
      figures.push({ name: `${name}: ten times the ledger`, value: ms / before, unit: 'x', goal: { atMost: 1.5 } });
  }
  return {
    figures,
    notes: [
      `${many * rowsEach} rows: ${many} days with a file of ${rowsEach} each. Processor time, medians of ${times}.`,
    ],
  };
};

function askAll(days: number, rowsEach: number): Promise<Map<string, number>> {
  return inWorkplace(async (folder) => {
    const ledgerPath = join(folder, 'ledger.db');
    const db = await openLedger(ledgerPath);
    await fill(db, days, rowsEach);
    const config = await loadConfig({ cwd: folder, env: {} });
    const log = { info: () => undefined, warn: () => undefined };
    const who = { person: 'bench', through: 'cli' as const, otherNames: new Map<string, string>() };
    const session: Session = {
      config,
      ledgerPath,
      ledgerUrl: null,
      db,
      clock: systemClock,
      random: systemRandom,
      log,
      ...who,
    };
    const span = (length: number) => {
      const end = firstDay + days * dayMs;
      return { from: isoTime(end - length * dayMs), to: isoTime(end - 1) };
    };
    const ask = performIn.bind(null, session);
    const door = { nameOf: (field: string) => field };
    const questions: [name: string, ask: () => Promise<unknown>][] = [
      ['find a person, a day', () => ask(findPayments, door, { number: '+254710000001', ...span(1) })],
      ['find a person, at any time', () => ask(findPayments, door, { number: '+254710000001' })],
      ['paid, a day', () => ask(listPaidFiles, door, span(1))],
      ['paid, a month', () => ask(listPaidFiles, door, span(30))],
      ['journal, a day', () => ask(exportJournal, door, { account: 'sandbox', ...span(1) })],
      ['journal, a month', () => ask(exportJournal, door, { account: 'sandbox', ...span(30) })],
    ];
    const taken = new Map<string, number>();
    for (const [name, question] of questions) taken.set(name, await costMs(question));
    await db.close();
    return taken;
  });
}

async function costMs(question: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let time = 0; time <= times; time++) {
    const before = process.cpuUsage();
    await question();
    const { user, system } = process.cpuUsage(before);
    // The first one compiles.
    if (time > 0) taken.push((user + system) / 1_000);
  }
  return median(taken);
}

async function fill(db: Database, days: number, rowsEach: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    const at = firstDay + day * dayMs + 9 * 3_600_000;
    const batch_id = `day-${day}`;
    const ends = { created_at: at, started_at: at, completed_at: at + 3_600_000 };
    const batch = aBatch({ ...ends, batch_id, run_id: batch_id, account: 'sandbox', status: 'completed' });
    await inUnit(db, { clock: systemClock, actor: 'bench' }, (unit) => unit.addBatch(batch, {}));
    await db.execute(
      `INSERT INTO rows (batch_id, row_no, line, row_ref, status, phone_number, country, network_id, amount, currency,
         input, generation, attempts, topup_id, cost, cost_currency, first_sent_at, accepted_at, completed_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rowsEach})
       SELECT '${batch_id}', i, i, 'row-' || i, 'completed', '+2547' || (10000000 + i), 'KE', 1, '100', 'KES', '{}', 1, 1,
         '${batch_id}-' || i, '0.77', 'USD', ${at} + i, ${at} + i, ${at} + i + 5000 FROM n`,
    );
    await db.execute(`INSERT INTO batch_counts VALUES ('${batch_id}', 'completed', ${rowsEach})`);
  }
}
