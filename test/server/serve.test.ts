import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { idempotencyKey } from '../../src/core/identity/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { approve } from '../../src/engine/batches/batch-commands.ts';
import { listBatches } from '../../src/ledger/batches/batches.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { openSqlite } from '../../src/ledger/drivers/sqlite/sqlite.ts';
import { findRow, pageRows } from '../../src/ledger/rows/rows.ts';
import { type RunningCommand, runHere, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { aBatch, addBatch, aRow, findInboxEntry, makeLedgerFile, unplanned } from '../support/ledger.ts';
import { logLines } from '../support/log-lines.ts';
import {
  type CallbackTopup,
  callbackBody,
  callbackHeaders,
  registeredBody,
  registeredHeaders,
} from '../support/webhooks.ts';
import { type HttpService, startHttpService } from './http-service.ts';

const env = { PAY_KEY: 'canary-api-key-4711', HOOK_SECRET: 'canary-hook-secret-0815' };

interface Place {
  folder: string;
  service: HttpService;
  db: Database;
  /** Puts an approved batch of `count` rows into the ledger. */
  addRows(batchId: string, count: number): Promise<void>;
  serve(...args: string[]): Promise<{ command: RunningCommand; url: string }>;
  status(rowNo: number, batchId?: string): Promise<string | undefined>;
  /** Whether every row of every batch is in this state. */
  all(status: string): Promise<boolean>;
}

/** `more`: what the environment of the command has besides. */
async function setUp(t: TestContext, more: Record<string, string> = {}): Promise<Place> {
  const folder = folderOf(t);
  const service = await startHttpService();
  const account = {
    baseUrl: service.url,
    apiKeyEnv: 'PAY_KEY',
    callbackUrl: 'https://pay.example/webhooks/main/topups',
    webhooks: { secretEnvs: ['HOOK_SECRET'] },
  };
  writeFileSync(
    join(folder, 'airbatch.config.json'),
    JSON.stringify({ ledger: 'ledger.db', accounts: { main: account } }),
  );
  await makeLedgerFile(join(folder, 'ledger.db'));
  const db = openSqlite(join(folder, 'ledger.db'));
  const commands: RunningCommand[] = [];
  t.after(async () => {
    for (const { child } of commands) child.kill('SIGKILL');
    await Promise.all(commands.map(({ ended }) => ended));
    service.close();
    await db.close();
  });
  return {
    folder,
    service,
    db,
    async addRows(batchId, count) {
      // Amounts of its own: the same number and amount under another run id would be held.
      const base = 100 * Number(batchId.replace(/\D/g, ''));
      const rows = Array.from({ length: count }, (_, index) =>
        aRow(index + 1, { batch_id: batchId, amount: String(base + index) }),
      );
      const made = aBatch({ batch_id: batchId, run_id: batchId, service: service.url });
      await addBatch(db, systemClock, made, rows);
      await approve({ db, clock: systemClock, person: 'approver', through: 'cli' as const }, batchId, unplanned);
    },
    async serve(...args) {
      const command = startCommand(['serve', '--port', '0', ...args], { cwd: folder, env: { ...env, ...more } });
      commands.push(command);
      const [, url = ''] = await command.seen(/Serving at (\S+?)\. /);
      return { command, url };
    },
    async all(status) {
      const batches = await listBatches(db, 10);
      const rows = await Promise.all(batches.map(({ batch_id }) => pageRows(db, batch_id, 0, 100)));
      return rows.flat().every((row) => row.status === status);
    },
    status: async (rowNo, batchId = 'batch-1') => (await findRow(db, batchId, rowNo))?.status,
  };
}

/** Looks again until it is so: what happens in another process has no signal here. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = systemClock.monotonic() + 60_000;
  while (!(await isSo())) {
    assert.ok(systemClock.monotonic() < end, `not in time: ${what}`);
    await systemClock.sleep(20);
  }
}

/** The callback that tells of the end of a payment. */
function completedCallback({ service }: Place, reference: string): string {
  const topup = service.topups.find((one) => one.reference === reference);
  const { phone_number = '', amount } = (topup ?? {}) as { phone_number?: string; amount?: CallbackTopup['amount'] };
  const id = topup?.id ?? '';
  const body = callbackBody({ id, status: 'completed', reference, phone_number, ...(amount ? { amount } : {}) });
  return body;
}

const post = (url: string, body: string, headers: Record<string, string>) =>
  fetch(url, { method: 'POST', body, headers });

async function readiness(url: string) {
  const answer = await fetch(`${url}/ready`);
  return (await answer.json()) as { ready: boolean; accounts: { working: number; waiting: number } };
}

/** A `serve` that works, and beside it a `run` of one row (`beside/a`) that has found it and watches. */
async function runBeside(t: TestContext, place: Place, ...args: string[]) {
  const { command: serve, url } = await place.serve();
  await until('working', async () => (await readiness(url)).accounts.working === 1);
  const file = join(place.folder, 'payroll.csv');
  writeFileSync(file, 'phone_number,network_id,amount,currency,reference\n+254712405118,1,50,KES,a\n');
  const run = startCommand(['run', file, '--run-id', 'beside', '--yes', ...args], { cwd: place.folder, env });
  t.after(() => run.child.kill('SIGKILL'));
  await run.seen(/showing its progress/);
  return { serve, run };
}

describe('airbatch serve', () => {
  test('pays batches that are approved before and while it runs, ends rows by webhooks, and reports', async (t) => {
    const place = await setUp(t);
    await place.addRows('batch-1', 2);
    const { command, url } = await place.serve();
    await place.service.asked(2);
    await place.addRows('batch-2', 1);
    await place.service.asked(3);
    assert.deepEqual(
      new Set(place.service.topups.map(({ callback_url }) => callback_url)),
      new Set(['https://pay.example/webhooks/main/topups']),
    );
    const references = place.service.topups.map(({ reference }) => reference);
    await until('all accepted', () => place.all('accepted'));
    // For those who ask, the service still has them pending: only what it says of its own accord ends them.
    for (const reference of references) {
      const body = completedCallback(place, reference);
      const answer = await post(
        `${url}/webhooks/main/topups`,
        body,
        callbackHeaders(body, env.PAY_KEY, systemClock.now()),
      );
      assert.equal(answer.status, 200);
    }
    await until('all completed', () => place.all('completed'));
    await command.seen(/"batch_id":"batch-2".*a batch is completed|a batch is completed.*"batch_id":"batch-2"/);
    await command.seen(/"batch_id":"batch-1".*a batch is completed|a batch is completed.*"batch_id":"batch-1"/);
    assert.ok(existsSync(join(place.folder, 'reports/batch-1/manifest.sig')));
    assert.equal((await fetch(`${url}/ready`)).status, 200);
    command.child.kill('SIGTERM');
    const { code, stdout, stderr } = await command.ended;
    assert.equal(code, 0, stderr);
    const events = new Set(logLines(stderr));
    for (const event of ['account_served', 'batch_completed', 'program_stopping', 'program_stopped'])
      assert.ok(events.has(event), event);
    assert.doesNotMatch(stdout + stderr, /canary|254712/);
  });

  test('looks a row up as soon as a registered webhook names it', async (t) => {
    const place = await setUp(t, { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'look-rarely.ts')}` });
    await place.addRows('batch-1', 1);
    const { url } = await place.serve();
    await place.service.asked(1);
    await until('accepted', async () => (await place.status(1)) === 'accepted');
    place.service.complete('batch-1/ref-1');
    const key = idempotencyKey({ account: 'main', runId: 'batch-1', rowRef: 'ref-1', generation: 1 });
    const body = registeredBody('evt-1', 'transaction.completed', { idempotencyKey: key });
    assert.equal(
      (await post(`${url}/webhooks/main/events`, body, registeredHeaders(body, env.HOOK_SECRET))).status,
      200,
    );
    await until('taken', async () => {
      const id = { account: 'main', scheme: 'registered', message_id: 'evt-1' } as const;
      const entry = await findInboxEntry(place.db, id);
      // Polling may have ended the row before: then there was nothing left to look up.
      return entry !== null && (entry.looks > 0 || entry.outcome !== null);
    });
    await until('completed', async () => (await place.status(1)) === 'completed');
    assert.equal((await post(`${url}/webhooks/main/events`, body, registeredHeaders(body, 'forged'))).status, 401);
  });

  test('has acknowledged webhooks on disk: killed right after, it handles them at the next start', async (t) => {
    const place = await setUp(t);
    const first = await place.serve();
    const acknowledged: string[] = [];
    for (let index = 0; index < 20; index++) {
      const body = registeredBody(`evt-${index}`, 'transaction.completed', { idempotencyKey: `theirs-${index}` });
      const sent = post(`${first.url}/webhooks/main/events`, body, registeredHeaders(body, env.HOOK_SECRET));
      if (index === 19) void sent.catch(() => undefined);
      else if ((await sent).status === 200) acknowledged.push(`evt-${index}`);
    }
    first.command.child.kill('SIGKILL');
    await first.command.ended;
    assert.equal(acknowledged.length, 19);
    const find = (message_id: string) =>
      findInboxEntry(place.db, { account: 'main', scheme: 'registered', message_id });
    for (const id of acknowledged) assert.ok(await find(id), id);
    await place.serve();
    await until('all handled', async () => (await find('evt-18'))?.outcome === 'foreign');
    for (const id of acknowledged) assert.equal((await find(id))?.outcome, 'foreign');
  });

  test('stops sending at SIGTERM, and writes the outcome of the request in flight', async (t) => {
    const place = await setUp(t);
    let answerNow = () => {};
    place.service.beforeAnswer = () =>
      new Promise<void>((resolve) => {
        answerNow = resolve;
      });
    await place.addRows('batch-1', 1);
    const { command, url } = await place.serve();
    await place.service.asked(1);
    command.child.kill('SIGTERM');
    await until('not ready', async () => (await fetch(`${url}/ready`).catch(() => null))?.status === 503);
    await place.addRows('batch-2', 3);
    answerNow();
    assert.equal((await command.ended).code, 0);
    assert.equal(await place.status(1), 'accepted');
    assert.deepEqual([place.service.posts, await place.status(1, 'batch-2')], [1, 'ready']);
  });

  test('stops sending at SIGTERM while a job still runs, which the next start runs again', async (t) => {
    const place = await setUp(t);
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
    place.service.beforeList = () => {
      asked.resolve();
      return answer.promise;
    };
    mkdirSync(join(place.folder, 'jobs'));
    const schedule = { cron: '0 9 25 * *', timeZone: 'UTC' };
    const job = { name: 'compared', schedule, source: { kind: 'reconciliation' } };
    writeFileSync(join(place.folder, 'jobs/compared.json'), JSON.stringify(job));
    const lastSeen = systemClock.now() - 40 * 24 * 3_600_000;
    await place.db.execute('INSERT INTO job_state (job, looked_at) VALUES (?, ?)', ['compared', lastSeen]);
    const { command, url } = await place.serve();
    await asked.promise;
    command.child.kill('SIGTERM');
    await until('not ready', async () => (await fetch(`${url}/ready`).catch(() => null))?.status === 503);
    await place.addRows('batch-1', 3);
    // An account that still works finds the batch within a second or two.
    await systemClock.sleep(5_000);
    assert.equal(place.service.posts, 0);
    answer.resolve(true);
    assert.equal((await command.ended).code, 0);
    const slot = () => place.db.query('SELECT state FROM slots ORDER BY due_at DESC LIMIT 1');
    assert.deepEqual(await slot(), [{ state: 'due' }]);
    place.service.beforeList = async () => false;
    await place.serve();
    await until('compared', async () => JSON.stringify(await slot()) === '[{"state":"done"}]');
  });

  test('sends nothing more and ends if its ledger is moved, with the code that prevents a restart', async (t) => {
    const place = await setUp(t);
    let answerNow = () => {};
    place.service.beforeAnswer = () =>
      new Promise<void>((resolve) => {
        answerNow = resolve;
      });
    await place.addRows('batch-1', 200);
    const { command } = await place.serve();
    await place.service.asked(1);
    renameSync(join(place.folder, 'ledger.db'), join(place.folder, 'moved.db'));
    answerNow();
    place.service.beforeAnswer = async () => undefined;
    const { code, stderr } = await command.ended;
    assert.equal(code, 6, stderr);
    assert.match(stderr, /was moved or removed while this program was using it \[LEDGER_REPLACED\]/);
    // Those of the first minute may have been on their way.
    assert.ok(place.service.posts <= 60, `${place.service.posts} requests`);
  });

  test('ends within its deadline whatever hangs, and leaves the row to be looked up', async (t) => {
    const place = await setUp(t);
    place.service.beforeAnswer = () => new Promise(() => undefined);
    await place.addRows('batch-1', 1);
    const { command } = await place.serve('--grace', '1');
    await place.service.asked(1);
    command.child.kill('SIGTERM');
    const { code, stderr } = await command.ended;
    assert.equal(code, 5, stderr);
    assert.match(stderr, /the next start looks up their rows/);
    assert.equal(await place.status(1), 'sending');
    const again = await place.serve();
    await until('in doubt', async () => (await place.status(1)) === 'in_doubt');
    assert.equal(place.service.posts, 1);
    again.command.child.kill('SIGTERM');
    assert.equal((await again.command.ended).code, 0);
  });

  test('waits for an account of another process, and receives webhooks meanwhile', async (t) => {
    const place = await setUp(t);
    const first = await place.serve();
    await until('working', async () => (await readiness(first.url)).accounts.working === 1);
    const second = await place.serve();
    await second.command.seen(/ACCOUNT_BUSY/);
    const { ready, accounts } = await readiness(second.url);
    assert.deepEqual([ready, accounts], [true, { working: 0, waiting: 1, closed: 0 }]);
    const body = registeredBody('evt-1', 'transaction.completed', { idempotencyKey: 'theirs' });
    assert.equal(
      (await post(`${second.url}/webhooks/main/events`, body, registeredHeaders(body, env.HOOK_SECRET))).status,
      200,
    );
    await until('handled by the first', async () => {
      const entry = await findInboxEntry(place.db, { account: 'main', scheme: 'registered', message_id: 'evt-1' });
      return entry?.outcome === 'foreign';
    });
  });

  test('writes the reports of a batch that ended just before a program was killed, and none that were moved away since', async (t) => {
    const place = await setUp(t);
    const dayMs = 24 * 3_600_000;
    for (const [batchId, ageMs] of [
      ['batch-1', 2 * dayMs],
      ['batch-2', 60_000],
    ] as const) {
      await place.addRows(batchId, 1);
      await place.db.execute(`UPDATE rows SET status = 'cancelled' WHERE batch_id = ?`, [batchId]);
      const endedAt = systemClock.now() - ageMs;
      await place.db.execute(`UPDATE batches SET status = 'completed', completed_at = ? WHERE batch_id = ?`, [
        endedAt,
        batchId,
      ]);
    }
    const { command } = await place.serve();
    await command.seen(/"batch_id":"batch-2".*a batch is completed|a batch is completed.*"batch_id":"batch-2"/);
    assert.ok(existsSync(join(place.folder, 'reports/batch-2/manifest.sig')));
    assert.equal(existsSync(join(place.folder, 'reports/batch-1')), false);
  });

  test('does the work of a run, which watches and reports', async (t) => {
    const place = await setUp(t);
    const { run } = await runBeside(t, place, '--json');
    await place.service.asked(1);
    place.service.complete('beside/a');
    const { code, stdout, stderr } = await run.ended;
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).summary.rows.by_status.completed, 1);
    assert.equal(place.service.posts, 1);
  });

  test('continues to send when a run that only watches is interrupted, which says so', async (t) => {
    const place = await setUp(t);
    const { run } = await runBeside(t, place);
    run.child.kill('SIGINT');
    const { stderr } = await run.ended;
    assert.match(
      stderr,
      /This command stops, and the other airbatch continues\. To stop a batch: airbatch pause \S+ --why TEXT/,
    );
    assert.doesNotMatch(stderr, /nothing more is sent/);
    await place.service.asked(1);
  });

  test('is replaced by a run when it is stopped', async (t) => {
    const place = await setUp(t);
    const { serve, run } = await runBeside(t, place, '--json');
    await place.service.asked(1);
    serve.child.kill('SIGTERM');
    assert.equal((await serve.ended).code, 0);
    place.service.complete('beside/a');
    const { code, stdout, stderr } = await run.ended;
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).summary.rows.by_status.completed, 1);
    assert.equal(place.service.posts, 1);
  });

  test('says why it cannot listen', async (t) => {
    const place = await setUp(t);
    const { url } = await place.serve();
    for (const option of ['--port', '--metrics-port']) {
      const args = ['serve', '--port', '0', option, new URL(url).port];
      const { code, stdout, stderr } = await runHere(args, { cwd: place.folder, env });
      assert.deepEqual([code, stdout], [2, '']);
      const taken = /cannot listen at 127\.0\.0\.1:\d+: another program listens there already \[USAGE\]/;
      assert.match(stderr, taken);
      assert.match(stderr, new RegExp(` and ${option}\\.`));
    }
  });

  test('refuses an option that should be a number, before anything is opened', async (t) => {
    const place = await setUp(t);
    for (const [option, value] of [
      ['--metrics-port', 'abc'],
      ['--grace', ''],
      ['--port', ''],
    ] as const) {
      const { code, stdout, stderr } = await runHere(['serve', option, value], { cwd: place.folder, env });
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, new RegExp(`${option} takes a whole number`));
    }
  });
});
