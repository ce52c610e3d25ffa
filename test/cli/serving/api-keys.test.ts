import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { changeLedgerIn } from '../../support/folder-ledger.ts';

/** An empty folder, and `airbatch api-keys` in it: the first key makes the ledger. */
async function place(t: TestContext) {
  const cwd = folderOf(t);
  const keys = async (...args: string[]) => runHere(['api-keys', ...args], { cwd });
  const makeKey = async (name: string, roles: string) => (await keys('create', name, '--roles', roles)).stdout.trim();
  return { cwd, keys, makeKey };
}

describe('airbatch api-keys', () => {
  test('makes a key, lists it without its secret, and revokes it', async (t) => {
    const { keys } = await place(t);
    const made = await keys('create', 'payroll-system', '--roles', 'prepare,audit', '--accounts', 'sandbox');
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^airbatch_[0-9a-f]{12}_[0-9a-f]{64}\n$/);
    assert.match(
      made.stderr,
      /^The key of payroll-system, which has the roles audit, prepare for sandbox\. It is shown/,
    );
    const listed = await keys('list');
    assert.match(listed.stdout, /payroll-system +audit, prepare +sandbox +for ever +never/);
    assert.equal(listed.stdout.includes(made.stdout.trim()), false);
    const again = await keys('create', 'payroll-system', '--roles', 'audit');
    assert.equal(again.code, 2);
    assert.match(again.stderr, /a key named "payroll-system" already exists/);
    assert.equal((await keys('revoke', 'payroll-system')).code, 0);
    const twice = await keys('revoke', 'payroll-system');
    assert.deepEqual([twice.code, /no key "payroll-system" that is not revoked/.test(twice.stderr)], [2, true]);
    const { keys: all } = JSON.parse((await runHere(['--json', 'api-keys'], { cwd: (await place(t)).cwd })).stdout);
    assert.deepEqual(all, [], 'another ledger has other keys');
  });

  test('explains wrong input', async (t) => {
    const { keys } = await place(t);
    for (const [args, message] of [
      [
        ['create'],
        /"create" needs .* key \[USAGE\]\nFor example: airbatch api-keys create payroll-system --roles prepare\n/,
      ],
      [['destroy', 'x'], /"destroy" is not an action/],
      [['create', 'x'], /--roles/],
      [['create', 'x', '--roles', 'king'], /--roles/],
      [['create', 'X y', '--roles', 'audit'], /--name must consist of/],
      [['create', 'x', '--roles', 'audit', '--accounts', 'nope'], /there is no account "nope"/],
      [['create', 'x', '--roles', 'audit', '--expires', '2020-01-01T00:00:00Z'], /is past/],
    ] as const) {
      const { code, stderr } = await keys(...args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    }
  });
});

describe('the API of airbatch serve', () => {
  test('imports a file, shows what it would pay, and pays it after another person’s approval', {
    timeout: 120_000,
  }, async (t) => {
    const { cwd, makeKey } = await place(t);
    writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ policy: { approval: { needed: 'always' } } }));
    const clerk = await makeKey('clerk', 'prepare');
    const boss = await makeKey('boss', 'approve,audit');
    // One person alone may make both keys, and then is one human with two: the second is somebody else's.
    await changeLedgerIn(cwd, "UPDATE api_keys SET created_by = 'somebody else' WHERE name = 'boss'");
    const serving = startCommand(['serve', '--port', '0', '--api-port', '0'], { cwd });
    t.after(async () => {
      serving.child.kill('SIGTERM');
      await serving.ended;
    });
    const [, base = ''] = await serving.seen(/"message":"the API is served".*"url":"([^"]+)"/);
    const send = async (method: string, path: string, key: string, more: { body?: string; headers?: object } = {}) => {
      const headers = { authorization: `Bearer ${key}`, ...more.headers };
      const answer = await fetch(`${base}${path}`, {
        method,
        headers,
        ...(more.body === undefined ? {} : { body: more.body }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test asks.
      return { status: answer.status, body: (await answer.json()) as any };
    };
    const file = 'phone_number,network_id,amount,currency\n+254712345678,1,100,KES\n+254712345679,1,150,KES\n';
    const upload = (path: string, key: string, once: string) =>
      send('POST', path, key, {
        body: file,
        headers: {
          'content-type': 'text/csv',
          'content-disposition': 'attachment; filename="november.csv"',
          'idempotency-key': once,
        },
      });
    const checked = await upload('/validations', clerk, 'v-1');
    assert.deepEqual([checked.status, checked.body.counts?.valid], [200, 2], JSON.stringify(checked.body));
    assert.equal((await upload('/batches', boss, 's-0')).status, 403);
    const submitted = await upload('/batches?run_id=november', clerk, 's-1');
    assert.equal(submitted.status, 200, JSON.stringify(submitted.body));
    const { batch_id: id } = submitted.body;
    assert.deepEqual(
      await upload('/batches?run_id=november', clerk, 's-1'),
      submitted,
      'the same answer, and no second batch',
    );
    assert.equal(existsSync(join(cwd, '.airbatch/uploads')) && readdirSync(join(cwd, '.airbatch/uploads')).length, 0);
    const seen = await send('GET', `/batches/${id}/review`, boss);
    const { plan, content_sha256 } = seen.body;
    const decision = { seen: { content_sha256, to_send: plan.to_send, products: plan.products, sums: plan.sums } };
    const approve = (key: string) =>
      send('POST', `/batches/${id}/approve`, key, {
        body: JSON.stringify(decision),
        headers: { 'content-type': 'application/json', 'idempotency-key': 'a-1' },
      });
    assert.equal((await approve(clerk)).status, 403);
    const approved = await approve(boss);
    assert.deepEqual([approved.status, approved.body.approved_by], [200, 'boss'], JSON.stringify(approved.body));
    // The test's own time limit ends a batch that is never paid.
    const isPaid = async (row: number) =>
      (await send('GET', `/batches/${id}/rows/${row}`, boss)).body.status === 'completed';
    while (!((await isPaid(1)) && (await isPaid(2)))) await pause(100);
    const events = await send('GET', `/events?batch_id=${id}`, boss);
    const approvals = events.body.events.filter(({ kind }: { kind: string }) => kind === 'batch.approve');
    assert.deepEqual(
      approvals.map(({ actor }: { actor: string }) => actor),
      ['boss'],
    );
  });
});
