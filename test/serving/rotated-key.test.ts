import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { runHere, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';
import { httpServer } from '../support/http-server.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

const rows = 80;
const keys = { old: 'canary-old-key-7f21', fresh: 'canary-fresh-key-93ac' };

/** A service that knows the keys in `valid`, in front of a sandbox. `used`: the payments of each key. */
async function startService(t: TestContext, sandbox: string, valid: Set<string>) {
  const used = new Map<string, number>();
  const { url } = await httpServer(t, async (request, body, response) => {
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (request.method === 'POST') used.set(key, (used.get(key) ?? 0) + 1);
    const known = valid.has(key) ? 'sandbox-key' : 'revoked';
    const {
      authorization: _key,
      host: _host,
      connection: _connection,
      'content-length': _length,
      ...headers
    } = request.headers;
    const answer = await fetch(`${sandbox}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(headers as Record<string, string>), authorization: `Bearer ${known}` },
      body: request.method === 'GET' ? null : body,
    });
    const {
      'content-encoding': _encoding,
      'transfer-encoding': _transfer,
      ...rest
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, rest);
    response.end(await answer.text());
  });
  return { used, url };
}

const hooks = {
  old: `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
  fresh: `whsec_${Buffer.alloc(24, 2).toString('base64')}`,
};
const tokens = { old: 'canary-old-token-1b', fresh: 'canary-fresh-token-2c' };

/** Receives news for people at `/people`, heads of audit chains at `/anchor`, and traces at `/v1/traces`. */
async function startReceiver(t: TestContext) {
  const got = {
    news: [] as { body: string; headers: Record<string, string> }[],
    traces: [] as { body: string; bearer: string }[],
    bearers: [] as string[],
  };
  const { url } = await httpServer(t, (request, sent, response) => {
    const body = sent.toString();
    if (request.url === '/people') got.news.push({ body, headers: request.headers as Record<string, string> });
    else if (request.url === '/v1/traces') got.traces.push({ body, bearer: request.headers.authorization ?? '' });
    else got.bearers.push(request.headers.authorization ?? '');
    response.writeHead(200).end('{}');
  });
  return { ...got, url };
}

/** Fails when the test has taken too long, and says what it waited for. */
async function until({ signal }: TestContext, holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    if (signal.aborted) assert.fail(`waited in vain for: ${holds}`);
    await sleep(50);
  }
}

test('secrets in files are replaced while a batch is paid: serve uses the new ones, and pays each row once', {
  timeout: 120_000,
}, async (t) => {
  const cwd = folderOf(t);
  const sandbox = await sandboxHere(t, { rate: 8, windowMs: 1_000, settleMs: 100 });
  const valid = new Set([keys.old]);
  const service = await startService(t, sandbox.url, valid);
  const keyFile = join(cwd, 'topup.key');
  const main = {
    baseUrl: service.url,
    apiKeyFile: 'topup.key',
    limits: { creation: { limit: 8, windowMs: 1_000 }, read: { limit: 40, windowMs: 1_000 } },
  };
  writeFileSync(keyFile, `${keys.old}\n`, { mode: 0o600 });
  const receiver = await startReceiver(t);
  const writeOthers = (which: 'old' | 'fresh') => {
    writeFileSync(join(cwd, 'HOOK'), hooks[which], { mode: 0o600 });
    writeFileSync(join(cwd, 'ANCHOR'), tokens[which], { mode: 0o600 });
    const made = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-keyout',
      'key.pem',
      '-out',
      'cert.pem',
    ];
    execFileSync('openssl', ['req', '-x509', '-nodes', '-subj', `/CN=${which}`, ...made], { cwd, stdio: 'ignore' });
  };
  writeOthers('old');
  const config = {
    accounts: { main },
    log: { file: 'airbatch.log' },
    console: { tls: { certFile: 'cert.pem', keyFile: 'key.pem' } },
    notifications: [{ kind: 'webhook', url: `${receiver.url}/people`, secretEnv: 'HOOK', on: ['finished'] }],
    traces: { url: `${receiver.url}/v1/traces`, tokenEnv: 'ANCHOR' },
    anchors: [{ kind: 'url', url: `${receiver.url}/anchor`, tokenEnv: 'ANCHOR' }],
  };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify(config));
  const lines = Array.from({ length: rows }, (_, index) => `+2547224${41_100 + index},1,50,KES,row-${index}`);
  writeFileSync(join(cwd, 'pay.csv'), `phone_number,network_id,amount,currency,reference\n${lines.join('\n')}\n`);

  await makeLedgerIn(cwd);
  const env = { CREDENTIALS_DIRECTORY: cwd };
  const serving = startCommand(['--json', 'serve', '--port', '0', '--api-port', '0'], { cwd, env });
  t.after(() => serving.child.kill('SIGKILL'));
  await serving.seen(/"url"/);
  const submitted = await runHere(['submit', 'pay.csv', '--run-id', 'rotation'], { cwd, env });
  assert.equal(submitted.code, 0, submitted.stderr);
  await until(t, () => (service.used.get(keys.old) ?? 0) >= 5);

  valid.add(keys.fresh);
  // For a moment the file is cut short: nobody takes that for a key.
  writeFileSync(keyFile, '');
  writeFileSync(keyFile, `${keys.fresh}\n`);
  writeOthers('fresh');
  await until(t, () => (service.used.get(keys.fresh) ?? 0) > 0);
  valid.delete(keys.old);
  const before = service.used.get(keys.old);
  await until(t, async () => (await sandbox.liveCharges()).size === rows);
  assert.equal(service.used.get(keys.old), before, 'the revoked key is used no more');

  await until(t, async () => {
    const { batches } = JSON.parse((await runHere(['--json', 'status'], { cwd, env })).stdout);
    return batches[0].status === 'completed';
  });
  await until(t, () => receiver.news.length > 0 && receiver.traces.length > 0);
  serving.child.kill('SIGTERM');
  const { code, stdout, stderr } = await serving.ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual([...new Set((await sandbox.liveCharges()).values())], [1]);
  assert.match(stderr, /secrets were replaced; the new ones are used from now on/);
  assert.match(stderr, /"places":"the certificate of the console"/);
  const [finished = assert.fail()] = receiver.news;
  assert.ok(new Webhook(hooks.fresh).verify(finished.body, finished.headers), 'news are signed with the new secret');
  const [trace = assert.fail()] = receiver.traces;
  const { spans } = JSON.parse(trace.body).resourceSpans[0].scopeSpans[0];
  assert.equal(trace.bearer, `Bearer ${tokens.fresh}`);
  assert.equal(spans.filter(({ name }: { name: string }) => name === 'row').length, rows);
  assert.equal(new Set(spans.map(({ traceId }: { traceId: string }) => traceId)).size, 1);
  for (const step of ['intake', 'approval', 'payments', 'reports', 'request', 'at the service'])
    assert.ok(
      spans.some(({ name }: { name: string }) => name === step),
      step,
    );
  assert.doesNotMatch(trace.body, /2547224|row-\d|canary/, 'no number, no text of the file, no secret');
  assert.equal(receiver.bearers.at(-1), `Bearer ${tokens.fresh}`);
  const said = [stdout, stderr, readFileSync(join(cwd, 'airbatch.log'), 'utf8')].join('\n');
  for (const key of [keys, hooks, tokens].flatMap(Object.values<string>))
    assert.ok(!said.includes(key), 'a key is in the output');
});

test('a secret in a file is judged: its permissions, its content, and a second place for it', async (t) => {
  const cwd = folderOf(t);
  const file = join(cwd, 'api.key');
  const config = (account: object) =>
    writeFileSync(
      join(cwd, 'airbatch.config.json'),
      JSON.stringify({ accounts: { main: { baseUrl: 'http://127.0.0.1:1', ...account } } }),
    );
  const accounts = (env: Record<string, string> = {}) => runHere(['accounts'], { cwd, env });
  const refused: [content: string | null, mode: number, what: RegExp][] = [
    [null, 0o600, /which cannot be read: ENOENT/],
    ['', 0o600, /which is empty/],
    ['canary-one\ncanary-two\n', 0o600, /which has more than one line/],
    ['canary-one\n', 0o622, /which may be written by others: chmod go-w/],
  ];
  config({ apiKeyFile: 'api.key' });
  for (const [content, mode, what] of refused) {
    if (content !== null) {
      writeFileSync(file, content);
      chmodSync(file, mode);
    }
    const { code, stderr } = await accounts();
    assert.equal(code, 2, stderr);
    assert.match(stderr, what);
    assert.match(stderr, /accounts\.main\.apiKeyFile/);
    assert.doesNotMatch(stderr, /canary/);
  }
  chmodSync(file, 0o644);
  const open = await accounts();
  assert.equal(open.code, 0, open.stderr);
  assert.match(open.stderr, /every user of this machine can read \S*api\.key, which holds secrets/);
  chmodSync(file, 0o600);
  assert.doesNotMatch((await accounts()).stderr, /every user/);

  config({ apiKeyEnv: 'TOPUP_KEY' });
  assert.equal((await accounts({ TOPUP_KEY_FILE: file })).code, 0);
  writeFileSync(join(cwd, 'TOPUP_KEY'), 'canary-one\n', { mode: 0o600 });
  assert.equal((await accounts({ CREDENTIALS_DIRECTORY: cwd })).code, 0);
  const both = await accounts({ TOPUP_KEY: 'canary-three', TOPUP_KEY_FILE: file });
  assert.equal(both.code, 2);
  assert.match(both.stderr, /TOPUP_KEY is set, and TOPUP_KEY_FILE as well: remove one of them/);
  assert.doesNotMatch(both.stderr, /canary/);
  assert.match((await accounts()).stderr, /the environment variable TOPUP_KEY is not set/);
  config({ apiKeyEnv: 'TOPUP_KEY', apiKeyFile: 'api.key' });
  assert.match(
    (await accounts({ TOPUP_KEY: 'canary-three' })).stderr,
    /apiKeyFile: is set, and apiKeyEnv as well|apiKeyFile is set, and apiKeyEnv as well/,
  );
});
