import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { changeLedgerIn } from '../../support/folder-ledger.ts';
import { sandboxHere } from '../../support/sandbox-process.ts';

const today = new Date().toISOString().slice(0, 10);
const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10);

/** Five rows that were paid, and the sandbox that paid them. */
async function paid(t: TestContext, version: 'v2' | 'v1' = 'v2') {
  const folder = folderOf(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const credentials =
    version === 'v2' ? { apiKeyEnv: 'PAY_KEY' } : { version, emailEnv: 'PAY_EMAIL', tokenEnv: 'PAY_TOKEN' };
  const main = { baseUrl: sandbox.url, ...credentials, doubt: { sameNumberSpacingMs: 0 } };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
  const lines = Array.from({ length: 5 }, (_, index) => `+25471210${1_000 + index},1,${10 + index},KES,e-${index + 1}`);
  const file = ['phone_number,network_id,amount,currency,reference', ...lines, ''].join('\n');
  writeFileSync(join(folder, 'payroll.csv'), file);
  const env = { PAY_KEY: 'sandbox-key', PAY_EMAIL: 'sandbox@airbatch.test', PAY_TOKEN: 'sandbox-token' };
  const run = (...args: string[]) => runHere(args, { cwd: folder, env });
  const result = await run('--json', 'run', 'payroll.csv', '--run-id', 'november', '--yes');
  assert.equal(result.code, 0, result.stderr);
  const batch = (JSON.parse(result.stdout) as { summary: { batch_id: string } }).summary.batch_id;
  const change = (sql: string) => changeLedgerIn(folder, sql);
  return { folder, sandbox, run, batch, change };
}

type Place = Awaited<ReturnType<typeof paid>>;

async function reconciled(place: Place, ...args: string[]) {
  const { code, stdout, stderr } = await place.run('--json', 'reconcile', ...args);
  assert.ok(code === 0 || code === 5, stderr);
  const answer = JSON.parse(stdout);
  const counts = Object.entries(answer.reconciliation.counts as Record<string, number>).filter(
    ([, count]) => count > 0,
  );
  const csv = readFileSync(join(answer.reports.dir, 'reconciliation.csv'));
  const items = parse(csv, { columns: true }) as Record<string, string>[];
  assert.equal(
    items.length,
    counts.reduce((sum, [, count]) => sum + count, 0),
    'each payment is in one bucket',
  );
  return { code, counts: Object.fromEntries(counts), open: items.filter(({ bucket }) => bucket !== 'matched'), answer };
}

describe('airbatch reconcile', () => {
  test('finds that ledger, service and wallets of a day agree, any number of times', async (t) => {
    const place = await paid(t);
    const { code, counts, answer } = await reconciled(place, '--from', yesterday, '--to', today);
    assert.equal(code, 0);
    assert.deepEqual(counts, { matched: 5 });
    assert.ok(answer.reconciliation.wallets.currencies.length > 0);
    for (const { left, charged, unexplained } of answer.reconciliation.wallets.currencies)
      assert.deepEqual([Number(unexplained), left], [0, charged]);
    for (const name of ['csv', 'json', 'xlsx', 'html'])
      assert.ok(existsSync(join(answer.reports.dir, `reconciliation.${name}`)), name);
    const ofBatch = await place.run('reconcile', '--batch', place.batch);
    assert.equal(ofBatch.code, 0);
    assert.match(ofBatch.stdout, /5 payments compared: ledger and service agree; the wallets were not compared\./);
    assert.match(ofBatch.stdout, /Wallets {4}not compared: a batch shares its wallets with others/);
    const plain = await place.run('reconcile', '--from', yesterday);
    assert.match(plain.stdout, /5 payments compared: everything agrees/);
    assert.equal(readdirSync(join(place.folder, 'reports')).filter((name) => name.startsWith('R-')).length, 3);
  });

  test('refuses a batch together with options that the batch already answers', async (t) => {
    const folder = folderOf(t);
    for (const [option, value] of [
      ['--account', 'other'],
      ['--from', yesterday],
      ['--to', today],
    ] as const) {
      const { code, stderr } = await runHere(['reconcile', '--batch', 'any', option, value], { cwd: folder });
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`${option} cannot be used with a batch \\[USAGE\\]`));
    }
  });

  test('shows what another program paid from the account, and who must look', async (t) => {
    const place = await paid(t);
    const answer = await fetch(`${place.sandbox.url}/v2/topups`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer sandbox-key',
        'x-api-key': 'sandbox-key',
        'idempotency-key': '7e2b0f8e-5c3e-4a8c-9d6f-1f0d6f3b2a11',
      },
      body: JSON.stringify({
        phone_number: '+254712109999',
        network_id: 1,
        amount: { value: 77, currency: 'KES' },
        reference: 'theirs',
      }),
    });
    assert.ok(answer.ok, await answer.text());
    const { code, counts, open } = await reconciled(place, '--from', yesterday);
    assert.equal(code, 5);
    assert.deepEqual(counts, { matched: 5, service_only_other_program: 1 });
    assert.deepEqual([open[0]?.reference, open[0]?.next], ['theirs', 'Find out who else uses this account.']);
  });

  test('finds every row that differs between ledger and service', async (t) => {
    const place = await paid(t);
    await place.change(`UPDATE rows SET cost = '0.01' WHERE row_no = 1`);
    await place.change(`UPDATE rows SET amount = '999' WHERE row_no = 2`);
    await place.change(`UPDATE rows SET status = 'failed' WHERE row_no = 3`);
    await place.change(`DELETE FROM payments WHERE row_no = 4`);
    const { code, open } = await reconciled(place, '--from', yesterday);
    assert.equal(code, 5);
    const byReference = open.toSorted((one, other) => String(one.reference).localeCompare(String(other.reference)));
    assert.deepEqual(
      byReference.map(({ bucket, reference }) => [bucket, reference]),
      [
        ['cost_differs', 'november/e-1'],
        ['amount_differs', 'november/e-2'],
        ['status_differs', 'november/e-3'],
        ['service_only_unknown', 'november/e-4'],
      ],
    );
    for (const { next } of open) assert.ok(next);
    const plain = await place.run('reconcile', '--from', yesterday);
    assert.match(plain.stdout, /5 payments compared: 4 need a person to look at them/);
  });

  test('runs as a job, whose slot fails if something is open', async (t) => {
    const place = await paid(t);
    mkdirSync(join(place.folder, 'jobs'));
    const job = `import { defineJob } from 'airbatch';
      export default defineJob({ name: 'nightly', schedule: { cron: '0 0 * * *', timeZone: 'UTC' }, source: { kind: 'reconciliation' } });`;
    writeFileSync(join(place.folder, 'jobs/nightly.ts'), job);
    const slot = (ms: number) => ['jobs', 'run', 'nightly', '--slot', new Date(Date.now() + ms).toISOString()];
    const first = await place.run(...slot(60_000));
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /5 payments compared: everything agrees/);
    await place.change(`UPDATE rows SET cost = '0.01' WHERE row_no = 1`);
    const second = await place.run(...slot(120_000));
    assert.equal(second.code, 5);
    assert.match(second.stderr, /5 payments compared: 1 needs a person to look at it/);
    assert.equal(readdirSync(join(place.folder, 'reports')).filter((name) => name.startsWith('R-')).length, 2);
    assert.match((await place.run('jobs', 'check')).stdout, /nightly/);
  });

  test('looks payments of Version 1 up one by one, since it has no list', async (t) => {
    const place = await paid(t, 'v1');
    assert.deepEqual((await reconciled(place, '--from', yesterday)).counts, { matched: 5 });
    await place.change(`UPDATE rows SET status = 'failed' WHERE row_no = 3`);
    const { code, open } = await reconciled(place, '--batch', place.batch);
    assert.equal(code, 5);
    assert.deepEqual(
      open.map(({ bucket, row }) => [bucket, row]),
      [['status_differs', '3']],
    );
  });

  test('says what to do if its reports cannot be written', async (t) => {
    const { run } = await paid(t);
    const { code, stderr } = await run('reconcile', '--from', yesterday, '--out', 'payroll.csv');
    assert.equal(code, 5);
    assert.match(
      stderr,
      /nothing can be written to .*\nMake the folder writable, or choose another, then reconcile again\.\n/,
    );
  });

  test('explains wrong options', async (t) => {
    const place = await paid(t);
    for (const [args, words] of [
      [[], /the time to compare is missing/],
      [['--from', 'yesterday'], /"yesterday" is not a date/],
      [['--from', today, '--to', yesterday], /is before/],
      [['--batch', 'none'], /there is no batch none/],
    ] as const) {
      const { code, stderr } = await place.run('reconcile', ...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, words);
    }
  });
});
