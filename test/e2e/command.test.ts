import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { systemClock } from '../../src/core/time/clock.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { type SandboxProcess, startSandbox } from '../support/sandbox-process.ts';
import { env, fastSandbox, freePort, writeConfig, writePayout } from './two-versions.ts';

/** What the two versions must agree upon, row by row. */
const compared = ['row_ref', 'status', 'phone_number', 'amount', 'currency', 'product_id', 'generation'] as const;

interface Paid {
  rows: Record<string, string>[];
  summary: {
    balance: { explained: boolean | null; wallets: { difference: string | null }[] };
    rows: { by_status: Record<string, number> };
  };
  stderr: string;
}

async function pay(cwd: string, file: string, account: string, runId: string): Promise<Paid> {
  const args = ['run', file, '--account', account, '--run-id', runId, '--yes', '--json'];
  const { code, stdout, stderr } = await runCommand(args, { cwd, env });
  assert.equal(code, 4, stderr);
  const { summary, reports } = JSON.parse(stdout);
  const rows = parse(readFileSync(join(reports.dir, 'results.csv')), { columns: true }) as Record<string, string>[];
  const proof = await runCommand(['verify', reports.dir], { cwd, env });
  assert.equal(proof.code, 0, proof.stdout + proof.stderr);
  return { rows, summary, stderr };
}

const essence = ({ rows }: Paid) => rows.map((row) => compared.map((column) => row[column]));

/** Every row ended as the sandbox meant it, and the sandbox charged each paid row once and no other. */
async function assertPaidOnce(paid: Paid, expected: Map<string, string>, sandbox: SandboxProcess, runId: string) {
  assert.deepEqual(new Map(paid.rows.map((row) => [row.row_ref, row.status])), expected);
  const live = await sandbox.liveCharges();
  for (const [rowRef, status] of expected) {
    // What was delivered in part stays charged at Version 1 (`UNDERLIVERED`): once, as the row's cost says.
    const cost = paid.rows.find((row) => row.row_ref === rowRef)?.cost ?? '';
    const isCharged = status === 'completed' || Number(cost) > 0;
    assert.equal(live.get(`${runId}/${rowRef}`) ?? 0, isCharged ? 1 : 0, rowRef);
  }
  assert.equal(paid.summary.balance.explained, true, JSON.stringify(paid.summary.balance));
  assert.ok(paid.summary.balance.wallets.some(({ difference }) => difference !== null && difference !== '0'));
}

describe('the command on both versions', () => {
  test('pays a file with lost answers, errors and refusals to the same result, row by row', async (t) => {
    const results: Paid[] = [];
    for (const account of ['new', 'old']) {
      const cwd = folderOf(t);
      const sandbox = await startSandbox(t, cwd, fastSandbox);
      writeConfig(cwd, sandbox);
      const { file, expected } = writePayout(cwd, 'payroll.csv');
      const paid = await pay(cwd, file, account, 'october');
      await assertPaidOnce(paid, expected, sandbox, 'october');
      results.push(paid);
    }
    const [now, old] = results.map(essence);
    assert.deepEqual(old, now);
  });

  test('serves accounts of both versions in one process, with the webhooks of the service itself', async (t) => {
    const cwd = folderOf(t);
    const sandbox = await startSandbox(t, cwd, fastSandbox);
    const port = await freePort();
    const place = `http://127.0.0.1:${port}/webhooks/new`;
    writeConfig(cwd, sandbox, `${place}/topups`);
    await registerWebhook(sandbox.url, `${place}/events`);
    const serve = startCommand(['serve', '--port', String(port)], { cwd, env });
    t.after(() => serve.child.kill('SIGKILL'));
    await serve.seen(/Serving at/);
    const { file, expected } = writePayout(cwd, 'payroll.csv');
    const [now, old] = await Promise.all([pay(cwd, file, 'new', 'now'), pay(cwd, file, 'old', 'old')]);
    for (const { stderr } of [now, old]) assert.match(stderr, /showing its progress/);
    await assertPaidOnce(now, expected, sandbox, 'now');
    await assertPaidOnce(old, expected, sandbox, 'old');
    assert.deepEqual(essence(old), essence(now));
    await assertDelivered(sandbox.url, expected);
    serve.child.kill('SIGTERM');
    const { code, stderr } = await serve.ended;
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /canary|sandbox-key|sandbox-token/);
  });
});

async function registerWebhook(baseUrl: string, url: string): Promise<void> {
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()) as { data: { access_token: string; company_id: string } };
  };
  const login = { email: 'admin@airbatch.test', password: 'sandbox-password' };
  const { data } = await post('/enterprise/auth/login', login);
  const headers = { authorization: `Bearer ${data.access_token}`, 'x-company-id': data.company_id };
  const events = ['transaction.completed', 'transaction.failed'];
  await post('/enterprise/webhooks', { url, events, secret: env.HOOK_SECRET }, headers);
}

/**
 * The service told of the end of every top-up of Version 2 in both ways, and each was acknowledged; of Version 1 it
 * told nothing.
 */
async function assertDelivered(baseUrl: string, expected: Map<string, string>): Promise<void> {
  const paid = [...expected.values()].filter((status) => status === 'completed').length;
  const wanted = { 'topup.completed': paid, 'transaction.completed': paid };
  for (let look = 0; ; look++) {
    const answer = await fetch(`${baseUrl}/_sandbox/deliveries`);
    const { deliveries } = (await answer.json()) as { deliveries: { event: string; status: string }[] };
    const delivered = (event: string) =>
      deliveries.filter((one) => one.event === event && one.status === 'delivered').length;
    const counts = Object.fromEntries(Object.keys(wanted).map((event) => [event, delivered(event)]));
    const isOpen = deliveries.some(({ status }) => status === 'waiting');
    // A row may have ended by a look-up a moment before its webhook is acknowledged.
    if (isOpen && look < looksMax) {
      await systemClock.sleep(lookMs);
      continue;
    }
    assert.deepEqual(counts, wanted);
    assert.deepEqual(
      deliveries.filter(({ status }) => status !== 'delivered'),
      [],
    );
    return;
  }
}

const looksMax = 100;
const lookMs = 50;
