import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type CommandResult, runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

const cwd = folderOf({ after });
const env = { NEW_KEY: 'sandbox-key', OLD_EMAIL: 'sandbox@airbatch.test', OLD_TOKEN: 'sandbox-token' };
const sandbox = await sandboxHere({ after });
const accounts = {
  new: { baseUrl: sandbox.url, apiKeyEnv: 'NEW_KEY' },
  old: {
    version: 'v1',
    baseUrl: sandbox.url,
    emailEnv: 'OLD_EMAIL',
    tokenEnv: 'OLD_TOKEN',
    limits: { catalog: { limit: 60_000 } },
  },
  stranger: { baseUrl: sandbox.url, apiKeyEnv: 'OLD_TOKEN' },
  nowhere: { baseUrl: 'http://127.0.0.1:9', apiKeyEnv: 'NEW_KEY' },
};
writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ accounts }));

const ask = (account: string, ...args: string[]): Promise<CommandResult> =>
  runHere([...args, '--account', account], { cwd, env });

async function json(account: string, ...args: string[]) {
  const { stdout, stderr, code } = await ask(account, ...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** The cells of a printed table, line by line, without its head. */
function cells(stdout: string): string[][] {
  const lines = stdout.trimEnd().split('\n');
  assert.match(lines[1] ?? '', /^─+( {2}─+)*$/);
  return lines.slice(2).map((line) => line.trim().split(/ {2,}/));
}

describe('airbatch balance', () => {
  test('shows the wallets of Version 2, and their total value', async () => {
    const { stdout, stderr, code } = await ask('new', 'balance');
    assert.equal(code, 0, stderr);
    const [global, local] = cells(stdout);
    assert.deepEqual(global, ['global USD', 'USD 10,000.00', 'active', 'wallet-usd']);
    assert.deepEqual(local, ['local KES', 'KES 500,000.00', 'active', 'wallet-kes']);
    assert.match(stdout, /^USD 16,267\.\d+ in all/m);
  });

  test('shows the balances of Version 1 network by network, and says that they name no currency', async () => {
    const { stdout, stderr, code } = await ask('old', 'balance');
    assert.equal(code, 0, stderr);
    assert.deepEqual(cells(stdout)[0]?.slice(0, 3), ['Safaricom Kenya (Kenya)', '500,000', 'active']);
    assert.match(stdout, /does not name its currency/);
  });

  test('gives exact decimals as JSON', async () => {
    const { account, total, wallets } = await json('new', 'balance');
    assert.equal(account, 'new');
    assert.deepEqual([total.currency, typeof total.value], ['USD', 'string']);
    assert.equal(wallets.find(({ wallet_id }: { wallet_id: string }) => wallet_id === 'wallet-ngn').balance, '2000000');
    const old = await json('old', 'balance');
    assert.deepEqual([old.total, old.wallets[0].currency, old.wallets[0].balance], [null, '', '500000']);
  });

  test('explains a service without an answer, with exit code 5, and a refused key with 6', async () => {
    const rejected = await ask('stranger', 'balance');
    assert.equal(rejected.code, 6);
    assert.match(
      rejected.stderr,
      /rejects the credentials of account "stranger" \(OLD_TOKEN\): .*\[CREDENTIALS_REJECTED\]\nCorrect OLD_TOKEN where it is set, then try again\./,
    );
    assert.doesNotMatch(rejected.stderr, new RegExp(env.OLD_TOKEN));
    const day = ['--from', '2026-11-01', '--to', '2026-11-02'];
    await makeLedgerIn(cwd);
    const unread = await ask('stranger', 'reconcile', ...day);
    assert.match(unread.stderr, /\(OLD_TOKEN\): .*\[CREDENTIALS_REJECTED\]\nCorrect OLD_TOKEN where it is set/);
    const unreachable = await ask('nowhere', 'networks');
    assert.equal(unreachable.code, 5);
    assert.match(
      unreachable.stderr,
      /account "nowhere": the service cannot be reached, or does not answer: .*\[SERVICE_UNREACHABLE\]\nCheck the network and the base URL, then try/,
    );
  });
});

test('shows how long a service asks to wait, and tells a page that is not the service’s from no answer', async (t) => {
  let isPage = false;
  const served = createServer((_request, response) => {
    if (isPage) response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in to the Wi-Fi</h1>');
    else response.writeHead(429, { 'retry-after': '90' }).end();
  }).listen(0, '127.0.0.1');
  await once(served, 'listening');
  const AIRBATCH_BASE_URL = `http://127.0.0.1:${(served.address() as AddressInfo).port}`;
  const ask = () => runHere(['balance'], { cwd: folderOf(t), env: { AIRBATCH_BASE_URL, AIRBATCH_API_KEY: 'k' } });
  const { code, stderr } = await ask();
  isPage = true;
  const page = await ask();
  served.close();
  assert.equal(page.code, 5);
  assert.match(page.stderr, /account "default": another program seems to answer at the address of the service/);
  assert.equal(code, 5);
  assert.match(
    stderr,
    /the service throttles account "default": http_429.*\nThe service makes the account wait 1 min 30 s: try again after that\./,
  );
});

describe('airbatch networks', () => {
  const ids = async (account: string, ...query: string[]): Promise<number[]> =>
    (await json(account, 'networks', ...query)).networks.map(({ network_id }: { network_id: number }) => network_id);

  test('finds networks by country code, number, name and country', async () => {
    assert.deepEqual(await ids('new', 'ke'), [1, 2, 3]);
    assert.deepEqual(await ids('new', '+254733514872'), [2]);
    assert.deepEqual(await ids('new', '254733514872'), [2]);
    assert.deepEqual(await ids('new', 'uganda'), [4, 5]);
    assert.deepEqual(await ids('new', 'safaricom'), [1, 37]);
    assert.ok((await ids('new')).length > 40);
  });

  test('shows them as a table', async () => {
    const { stdout } = await ask('new', 'networks', 'KE');
    assert.deepEqual(cells(stdout)[0], ['1', 'Safaricom Kenya', 'Kenya', 'KES']);
    assert.match((await ask('new', 'networks', 'XX')).stdout, /no network for "XX"/);
  });

  test('says that Version 1 cannot tell them by country, and shows all', async () => {
    const { stdout, stderr, code } = await ask('old', 'networks', 'KE');
    assert.equal(code, 0);
    assert.match(stderr, /Version 1 does not say/);
    assert.ok(cells(stdout).length > 20);
    assert.deepEqual(await ids('old', 'safaricom'), [1, 37]);
  });

  test('asks for the country code of a number that has none', async () => {
    const { code, stderr } = await ask('new', 'networks', '0712345678');
    assert.equal(code, 2);
    assert.match(stderr, /country code/);
  });
});

describe('airbatch products', () => {
  test('shows the fixed products of a network with their prices', async () => {
    const { stdout } = await ask('new', 'products', '--network', '1');
    const [first] = cells(stdout);
    assert.deepEqual(first, ['101', 'Safaricom Kenya Data 250 MB, 24 hours', 'Safaricom Kenya', 'KES 20.00']);
    assert.match((await ask('new', 'products', '--network', '999')).stdout, /no products of network 999/);
  });

  test('also shows the open products of Version 1, whose price names no currency', async () => {
    const [open, fixed] = cells((await ask('old', 'products', '--network', '1')).stdout);
    assert.deepEqual(open, ['100', 'Safaricom Kenya airtime', 'Safaricom Kenya', 'any amount']);
    assert.deepEqual(fixed?.at(-1), '20');
  });

  test('lists all of them on both versions, though Version 1 lists them only by network', async () => {
    const { stderr, stdout } = await ask('old', 'products', '--json');
    assert.match(stderr, /lists products by network: asking for those of [0-9]+, about [0-9]+ s/);
    const [now, old] = [await json('new', 'products'), JSON.parse(stdout)];
    const networks = (list: { network_id: number }[]) => new Set(list.map(({ network_id }) => network_id)).size;
    assert.ok(networks(now.products) > 20 && networks(old.products) > 10, `${networks(old.products)}`);
  });
});

describe('airbatch sandbox', () => {
  test('says why it cannot listen at a used or impossible port', async () => {
    const taken = new URL(sandbox.url).port;
    for (const port of [taken, '70000']) {
      const { code, stderr } = await runHere(['sandbox', '--ephemeral', '--port', port], { cwd });
      assert.equal(code, 2, stderr);
      assert.match(
        stderr,
        new RegExp(`cannot listen at port ${port}: .*\\[USAGE\\]\nChoose another place with --port`),
      );
    }
  });
});
