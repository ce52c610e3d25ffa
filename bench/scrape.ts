import { join } from 'node:path';
import { systemClock as clock } from '../src/core/time/clock.ts';
import type { Database } from '../src/ledger/drivers/database.ts';
import { inUnit } from '../src/ledger/unit-of-work.ts';
import { openLedger } from '../src/runtime/session/ledger.ts';
import { makeMetrics } from '../src/server/metrics/metrics.ts';
import { makeMetricsServer } from '../src/server/metrics/metrics-server.ts';
import { aBatch } from '../test/support/ledger.ts';
import { idleUsage } from '../test/support/open-limiter.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { inWorkplace } from './workplace.ts';

/** Rows of each open batch that the service has. */
const acceptedEach = 10;
const scrapes = 9;

/**
 * What a scrape of the metrics costs in processor time: with few rows and with many, and with many batches that have
 * ended. The scrapes of one ledger are compared with those of another in the same run.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const accounts = quick ? 10 : 1_000;
  const many = rows ?? (quick ? 2_000 : 1_000_000);
  const few = await scrapeMs({ accounts, rowsEach: acceptedEach + 10, ended: 0 });
  const full = await scrapeMs({ accounts, rowsEach: many / accounts, ended: 0 });
  const old = await scrapeMs({ accounts, rowsEach: acceptedEach + 10, ended: quick ? 100 : 200_000 });
  const figures: Figure[] = [
    { name: 'a scrape', value: few, unit: 'ms' },
    { name: 'with all the rows', value: full / few, unit: 'x', goal: { atMost: 1.5 } },
    { name: 'with all the ended batches', value: old / few, unit: 'x', goal: { atMost: 1.5 } },
  ];
  const sizes = `${accounts} accounts with an open batch each; ${many} rows, or ${quick ? 100 : 200_000} ended batches`;
  return { figures, notes: [`${sizes}. Processor time, medians of ${scrapes}.`] };
};

interface Size {
  accounts: number;
  rowsEach: number;
  ended: number;
}

function scrapeMs(size: Size): Promise<number> {
  return inWorkplace(async (folder) => {
    const ledgerPath = join(folder, 'ledger.db');
    const db = await openLedger(ledgerPath);
    const names = Array.from({ length: size.accounts }, (_, at) => `account-${at}`);
    await fill(db, names, size);
    const server = makeMetricsServer({
      ...{ db, clock, ledgerPath, metrics: makeMetrics(clock), jobs: () => [], backups: null },
      accounts: () => names.map((name) => ({ name, working: true, usage: () => idleUsage, clockAheadMs: 0 })),
      upkeep: () => ({ reportsMissing: 0, anchors: new Map() }),
    });
    const taken: number[] = [];
    for (let time = 0; time <= scrapes; time++) {
      const before = process.cpuUsage();
      await server.inject('/metrics');
      const { user, system } = process.cpuUsage(before);
      // The first one compiles.
      if (time > 0) taken.push((user + system) / 1_000);
    }
    await server.close();
    await db.close();
    return median(taken);
  });
}

async function fill(db: Database, names: readonly string[], { accounts, rowsEach, ended }: Size): Promise<void> {
  const wallet = { walletId: 'w', name: 'main', currency: 'KES', balance: '1234.50', active: true };
  const balance_before = JSON.stringify({ total: null, readAt: 0, wallets: [wallet] });
  const add = (fields: Parameters<typeof aBatch>[0]) =>
    inUnit(db, { clock, actor: 'bench' }, (unit) => unit.addBatch(aBatch({ ...fields, balance_before }), {}));
  for (const account of names) await add({ batch_id: account, account, status: 'running' });
  const counting = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  await db.transact(async (tx) => {
    await tx.execute(
      `INSERT INTO leases (account, holder, fence, expires_at) SELECT account, 'bench/1/1', 1, ${clock.now() + 3_600_000} FROM batches`,
    );
    await tx.execute(
      `INSERT INTO rows (batch_id, row_no, line, row_ref, status, amount, currency, input, generation, attempts,
         next_action_at, accepted_at, first_sent_at) ${counting(rowsEach)}
       SELECT batch_id, i, i, 'row-' || i, CASE WHEN i <= ${acceptedEach} THEN 'accepted' WHEN i <= ${acceptedEach + 2}
         THEN 'in_doubt' WHEN i < ${rowsEach} THEN 'completed' ELSE 'ready' END, '100', 'KES', '{}', 1, 1, 5, 5, 5
       FROM batches, n`,
    );
    await tx.execute('INSERT INTO batch_counts SELECT batch_id, status, COUNT(*) FROM rows GROUP BY batch_id, status');
    if (ended === 0) return;
    const [one] = await tx.query<object>('SELECT * FROM batches LIMIT 1');
    const columns = Object.keys(one ?? {});
    const others = new Map([
      ['batch_id', `'ended-' || i`],
      ['account', `'account-' || (i % ${accounts})`],
      ['status', `'completed'`],
      ['created_at', 'i'],
    ]);
    await tx.execute(
      `INSERT INTO batches (${columns}) ${counting(ended)}
       SELECT ${columns.map((name) => others.get(name) ?? name)} FROM (SELECT * FROM batches LIMIT 1), n`,
    );
    await tx.execute(
      `INSERT INTO batch_counts SELECT batch_id, 'completed', 10 FROM batches WHERE status = 'completed'`,
    );
  });
}
