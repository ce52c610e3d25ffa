import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { readCertificate, resolveConsole } from '../../../src/runtime/settings/console-config.ts';
import { certificateRenewal } from '../../../src/server/api/certificate.ts';
import { folderOf } from '../../support/folder.ts';

/** Two certificates in a folder, and a server that uses the first. */
async function serverWithCertificate(t: TestContext) {
  const base = folderOf(t);
  const made = (name: string) => {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', ['req', '-x509', ...curve, '-nodes', '-subj', `/CN=${name}`, ...files], {
      cwd: base,
      stdio: 'ignore',
    });
  };
  for (const name of ['first', 'second']) made(name);
  const use = (name: string, ending: 'pem' | 'key') =>
    copyFileSync(join(base, `${name}.${ending}`), join(base, ending));
  use('first', 'pem');
  use('first', 'key');
  const tls = { certFile: 'pem', keyFile: 'key' };
  const settings = resolveConsole({ trustedProxies: [], tls }, { base, secret: () => ({ value: '' }) });
  const server = createServer(readCertificate(settings) ?? {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const shown = () =>
    new Promise<string | undefined>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        resolve(new X509Certificate(socket.getPeerCertificate(true).raw).subject);
        socket.end();
      }).once('error', reject);
    });
  return { base, use, shown, renew: certificateRenewal(server, settings) };
}

test('new connections get a replaced certificate once two readings agree', async (t) => {
  const { use, shown, renew } = await serverWithCertificate(t);
  assert.deepEqual([renew(), await shown()], [false, 'CN=first']);
  use('second', 'pem');
  use('second', 'key');
  assert.deepEqual([renew(), await shown()], [false, 'CN=first']);
  assert.deepEqual([renew(), await shown()], [true, 'CN=second']);
  assert.equal(renew(), false);
});

test('a certificate that cannot be used leaves the earlier one in use', async (t) => {
  const { base, use, shown, renew } = await serverWithCertificate(t);
  use('second', 'pem');
  for (let reading = 0; reading < 2; reading++)
    assert.throws(renew, { code: 'CONFIG_INVALID', message: /^console\.tls: .*key values mismatch/ });
  for (const ending of ['pem', 'key'] as const) use('first', ending);
  writeFileSync(join(base, 'pem'), '');
  assert.throws(renew, { code: 'CONFIG_INVALID' });
  use('second', 'pem');
  writeFileSync(join(base, 'key'), '');
  assert.throws(renew, { code: 'CONFIG_INVALID', message: /key is empty$/ });
  assert.equal(await shown(), 'CN=first');
  use('second', 'key');
  assert.deepEqual([renew(), renew(), await shown()], [false, true, 'CN=second']);
});
