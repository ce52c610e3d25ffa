import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { execute } from '../../../src/cli/serving/console.ts';
import { askedTerminal } from '../../support/asked-terminal.ts';
import { runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

const password = 'correct horse battery';

/** `airbatch console` in an empty folder, as often as it is started there. */
function place(t: TestContext, config: object = {}) {
  const cwd = folderOf(t);
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify(config));
  const start = async (...args: string[]) => {
    const command = startCommand(['--json', 'console', '--sandbox', '--port', '0', ...args], { cwd });
    t.after(() => command.child.kill('SIGKILL'));
    const [line] = await command.seen(/\{\n? *"url":[^}]+\}/);
    const { url, link } = JSON.parse(line) as { url: string; link: string | null };
    const stop = async () => {
      command.child.kill('SIGTERM');
      return command.ended;
    };
    return { url, link, token: link?.split('#')[1] ?? '', stop };
  };
  return { cwd, start };
}

const post = async (url: string, path: string, body: object) => {
  const headers = { origin: url, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test asks.
  return { status: answer.status, body: (await answer.json()) as any };
};

describe('airbatch console', () => {
  test('prints a link for the first administrator until there is one, and then none', {
    timeout: 120_000,
  }, async (t) => {
    const { start } = place(t);
    const first = await start();
    assert.match(first.url, /^http:\/\/localhost:[0-9]+$/);
    assert.match(first.link ?? '', /^http:\/\/localhost:[0-9]+\/link#[0-9a-f]{64}$/);
    assert.equal(
      (await post(first.url, '/session/link', { token: first.token, password })).body.code,
      'REQUEST_INVALID',
    );
    await first.stop();
    const second = await start();
    assert.notEqual(second.token, first.token);
    const use = (token: string) => post(second.url, '/session/link', { token, password, name: 'amina' });
    assert.equal((await use(first.token)).body.code, 'LINK_REFUSED', 'the earlier link has ended');
    const { status, body } = await use(second.token);
    assert.deepEqual([status, body.person], [200, 'amina'], JSON.stringify(body));
    assert.ok(body.roles.includes('admin'));
    assert.equal((await use(second.token)).body.code, 'LINK_REFUSED');
    const { stderr } = await second.stop();
    assert.equal(stderr.includes(second.token), false, 'no log has the link');
    const third = await start();
    assert.equal(third.link, null);
    assert.equal((await post(third.url, '/session', { name: 'amina', password })).status, 200);
    await third.stop();
    const rescued = await start('--admin', 'amina');
    assert.equal((await post(rescued.url, '/session', { name: 'amina', password })).status, 401);
    const again = { token: rescued.token, password: 'another long password' };
    assert.equal((await post(rescued.url, '/session/link', again)).body.person, 'amina');
    const { code } = await rescued.stop();
    assert.equal(code, 0);
  });

  test('shows a person who watches its address and link, and no lines for programs', { timeout: 60_000 }, async (t) => {
    const { context, said } = askedTerminal(place(t).cwd, { isInteractive: true });
    const stderr = new PassThrough({ encoding: 'utf8' });
    const ended = execute({ ...context, stderr }, [], { sandbox: true, port: '0' });
    while (!said().includes('/link#')) await new Promise((soon) => setTimeout(soon, 20));
    process.emit('SIGTERM');
    assert.equal(await ended, 0);
    assert.equal(stderr.read(), null);
    assert.match(said(), /^The console is at http\S+ \(Ctrl-C ends it\)\.\n.*link works once.*:\n {2}http\S+\n$/);
  });

  test('does not listen on a network without TLS', async (t) => {
    const { cwd } = place(t);
    for (const args of [
      ['console', '--sandbox', '--port', '0', '--host', '0.0.0.0'],
      ['serve', '--port', '0', '--api-port', '0', '--api-host', '0.0.0.0'],
    ]) {
      const { code, stderr } = await runHere(args, { cwd });
      assert.deepEqual([code, /host 0\.0\.0\.0: other machines .* without TLS/.test(stderr)], [2, true], stderr);
    }
  });

  test('listens there behind a proxy, and trusts the address that the proxy reports', {
    timeout: 60_000,
  }, async (t) => {
    const { start } = place(t, { console: { url: 'https://pay.example.org', trustedProxies: ['127.0.0.0/8'] } });
    const { url, link, stop } = await start('--host', '0.0.0.0');
    assert.equal(url, 'https://pay.example.org');
    assert.match(link ?? '', /^https:\/\/pay\.example\.org\/link#/);
    assert.equal((await stop()).code, 0);
  });

  test('speaks TLS with a certificate of its own', { timeout: 60_000 }, async (t) => {
    const { cwd, start } = place(t, { console: { tls: { certFile: 'cert.pem', keyFile: 'key.pem' } } });
    const missing = await runHere(['console', '--sandbox', '--port', '0'], { cwd });
    assert.deepEqual([missing.code, /console\.tls: .*cert\.pem/.test(missing.stderr)], [2, true], missing.stderr);
    const subject = ['-subj', '/CN=localhost', '-days', '1', '-keyout', 'key.pem', '-out', 'cert.pem'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], { cwd, stdio: 'ignore' });
    const { url, link, stop } = await start('--host', '0.0.0.0');
    assert.match(link ?? '', /^https:/);
    const { port } = new URL(url);
    const status = await new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/api/openapi.json', rejectUnauthorized: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .once('error', reject)
        .end();
    });
    assert.equal(status, 200);
    await stop();
  });

  test('says what is wrong with its configuration', async (t) => {
    for (const [config, message] of [
      [{ url: 'http://pay.example.org' }, /console\.url must be https/],
      [{ trustedProxies: ['somewhere'] }, /console\.trustedProxies/],
      [{ trustedProxies: ['10.0.0.0/33'] }, /console\.trustedProxies/],
      [{ openid: { issuer: 'https://id.example', clientId: 'x', clientSecretEnv: 'NOT_SET' } }, /NOT_SET is not set/],
    ] as const) {
      const { code, stderr } = await runHere(['console'], place(t, { console: config }));
      assert.deepEqual([code, message.test(stderr)], [2, true], stderr);
    }
  });
});
