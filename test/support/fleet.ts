import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/core/time/clock.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../src/ledger/drivers/postgres/postgres.ts';
import { type RunningCommand, runHere, startCommand } from './command.ts';
import { folderOf, type Lifetime } from './folder.ts';
import { type ListeningSandbox, sandboxHere } from './sandbox-process.ts';

/** Several `airbatch serve` on one ledger in PostgreSQL. */
export interface Fleet {
  db: Database;
  /**
   * Starts a worker; resolves when it serves. `url`: the ledger, if this worker reaches it by another way. `options`:
   * more options of `airbatch serve`. `env`: more of its environment.
   */
  start(url?: string, options?: readonly string[], env?: Record<string, string>): Promise<RunningCommand>;
  /** Submits a batch of so many rows of an account, which need no approval. */
  submit(account: string, rows: number): Promise<void>;
  /** The accounts for which each worker holds the lease now, by process id. */
  holders(): Promise<Map<number, string[]>>;
  /** How many rows of all batches are in each state. */
  counts(): Promise<Map<string, number>>;
  /** The events of a row, the oldest first. */
  history(runId: string, rowNo: number): Promise<unknown[]>;
  /** What is wrong with the charges of all submitted rows, in words. */
  violations(): Promise<string[]>;
}

export interface FleetOptions {
  accounts: readonly string[];
  /** How fast each account may create. */
  creation: { limit: number; windowMs: number };
  ledgerUrl: string;
  /** The address by which the workers reach a service. Default: its own. */
  by?: (serviceUrl: string) => Promise<string>;
}

/** Each account has a service of its own in this process, so that no account uses the rate of another. */
export async function makeFleet(
  lifetime: Lifetime,
  { accounts, creation, ledgerUrl, by }: FleetOptions,
): Promise<Fleet> {
  const folder = folderOf(lifetime);
  const sandboxes = new Map<string, ListeningSandbox>();
  const { windowMs } = creation;
  const read = { limit: windowMs, windowMs };
  const limits = { creation: creation.limit, read: read.limit };
  for (const name of accounts) sandboxes.set(name, await sandboxHere(lifetime, { limits, windowMs, settleMs: 300 }));
  const account = async ({ url }: ListeningSandbox) => ({
    baseUrl: by === undefined ? url : await by(url),
    apiKeyEnv: 'PAY_KEY',
    limits: { creation, read },
    // A rehearsal does not wait the minutes that a real service may need to show a payment.
    doubt: { lookupDelaysMs: [300], resendDelaysMs: [600] },
  });
  const configured = [...sandboxes].map(async ([name, sandbox]) => [name, await account(sandbox)] as const);
  const config = { accounts: Object.fromEntries(await Promise.all(configured)) };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify(config));
  const env = { PAY_KEY: 'sandbox-key', AIRBATCH_LEDGER_URL: ledgerUrl };
  const db = openPostgres(ledgerUrl);
  lifetime.after(() => db.close());
  const submitted = new Set<string>();
  let files = 0;
  return {
    db,
    async start(url = ledgerUrl, options = [], more = {}) {
      const command = startCommand(['serve', '--port', '0', ...options], {
        cwd: folder,
        env: { ...env, AIRBATCH_LEDGER_URL: url, ...more },
      });
      lifetime.after(async () => {
        command.child.kill('SIGKILL');
        await command.ended;
      });
      await command.seen(/Serving at /);
      return command;
    },
    async submit(name, rows) {
      const runId = `${name}-${files}`;
      const number = files++;
      writeFileSync(join(folder, `${runId}.csv`), file(number, rows));
      const args = ['submit', `${runId}.csv`, '--account', name, '--run-id', runId];
      const { code, stdout, stderr } = await runHere(args, { cwd: folder, env });
      assert.equal(code, 0, `${stdout}\n${stderr}`);
      for (let row = 1; row <= rows; row++) submitted.add(`${runId}/row-${row}`);
    },
    async holders() {
      const leases = await db.query<{ account: string; holder: string }>(
        'SELECT account, holder FROM leases WHERE expires_at > ledger_now(?)',
        [0],
      );
      const byWorker = Map.groupBy(leases, ({ holder }) => Number(holder.split('/')[1]));
      return new Map([...byWorker].map(([pid, own]) => [pid, own.map(({ account }) => account)]));
    },
    async counts() {
      const found = await db.query<{ status: string; count: number }>(
        'SELECT status, SUM(count) AS count FROM batch_counts GROUP BY status',
      );
      return new Map(found.map(({ status, count }) => [status, count]));
    },
    history: (runId, rowNo) =>
      db.query(
        `SELECT at, actor, kind, body FROM events
         WHERE row_no = ? AND batch_id IN (SELECT batch_id FROM batches WHERE run_id = ?) ORDER BY seq`,
        [rowNo, runId],
      ),
    async violations() {
      const paid = new Map<string, number>();
      for (const sandbox of sandboxes.values())
        for (const [reference, count] of await sandbox.liveCharges()) {
          const row = reference.replace(/~[0-9]+$/, '');
          paid.set(row, (paid.get(row) ?? 0) + count);
        }
      const wrong = [...submitted]
        .filter((row) => paid.get(row) !== 1)
        .map((row) => `${row}: paid ${paid.get(row) ?? 0} times`);
      return [...wrong, ...[...paid.keys()].filter((row) => !submitted.has(row)).map((row) => `${row} is unknown`)];
    },
  };
}

const rowsPerFileMax = 2_000;

function file(number: number, rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    // No number ends as one that the sandbox treats in a special way.
    const subscriber = String(number * rowsPerFileMax + index).padStart(5, '0');
    return `+25471${subscriber}55,1,10,KES,row-${index + 1}`;
  });
  return ['phone_number,network_id,amount,currency,reference', ...lines, ''].join('\n');
}

/** Looks again until it is so: what happens in another process has no signal here. */
export async function until(what: string, isSo: () => Promise<boolean>, withinMs = 300_000): Promise<void> {
  const end = systemClock.monotonic() + withinMs;
  while (!(await isSo())) {
    assert.ok(systemClock.monotonic() < end, `not in time: ${what}`);
    await systemClock.sleep(50);
  }
}
