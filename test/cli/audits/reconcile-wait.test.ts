import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { execute } from '../../../src/cli/audits/reconcile.ts';
import { systemTerminal } from '../../../src/cli/base/terminal.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { ledgerEnv, makeLedgerIn } from '../../support/folder-ledger.ts';

const env = { PAY_KEY: 'key' };
const from = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10);

/**
 * A service that has no payments, and turns the first read away for two seconds. Returns the folder of an account
 * there, with a ledger, and when it was asked.
 */
async function turnedAway(t: TestContext) {
  const folder = folderOf(t);
  const askedAt: number[] = [];
  const pagination = { page: 1, per_page: 100, total: 0, total_pages: 0, has_next: false, has_prev: false };
  const meta = { request_id: 'r', timestamp: new Date().toISOString(), pagination };
  const service = createServer((request, response) => {
    askedAt.push(performance.now());
    if (askedAt.length === 1) return response.writeHead(429, { 'retry-after': '2' }).end();
    const balance = { available_balance: { amount: 0, currency: 'USD' }, wallets: [] };
    const data = request.url?.startsWith('/v2/balance') ? balance : [];
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: true, data, meta }));
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  t.after(() => service.close());
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const accounts = { main: { baseUrl, apiKeyEnv: 'PAY_KEY' } };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts }));
  await makeLedgerIn(folder);
  return { cwd: folder, askedAt };
}

test('reconcile logs that it is throttled, and until when, if nobody watches', async (t) => {
  const { cwd, askedAt } = await turnedAway(t);
  const { code, stderr } = await runHere(['reconcile', '--from', from], { cwd, env });
  assert.equal(code, 0, stderr);
  const line = JSON.parse(stderr.split('\n')[0] ?? '');
  assert.equal(line.message, 'the service throttles the account; airbatch asks again after the wait');
  assert.deepEqual([line.account, line.retry_after_ms], ['main', 2_000]);
  assert.ok(Date.parse(line.until) <= Date.parse(line.timestamp) + 2_000);
  const [first = 0, second = 0] = askedAt;
  assert.ok(second - first >= 2_000, `${second - first} ms`);
});

test('reconcile shows what it waits for while it waits, and nothing of it afterwards', async (t) => {
  const { cwd } = await turnedAway(t);
  const shown: (readonly string[])[] = [];
  const terminal = {
    ...systemTerminal({ json: false }),
    isInteractive: true,
    print: () => undefined,
    error: (text: string) => assert.fail(text),
    show: (lines: readonly string[]) => void shown.push(lines),
  };
  const context = {
    terminal,
    stderr: process.stderr,
    cwd,
    env: { ...env, ...(await ledgerEnv([], { cwd })) },
    configPath: undefined,
    ledgerPath: undefined,
    json: false,
  };
  assert.equal(await execute(context, [], { from }), 0);
  // A busy machine may come to tell it a second later.
  assert.match(
    shown[0]?.join() ?? '',
    /^Waits for the service, which makes the account wait \(HTTP 429\), [12] s more$/,
  );
  assert.deepEqual(shown.at(-1), []);
});
