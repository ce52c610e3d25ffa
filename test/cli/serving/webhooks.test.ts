import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

test('"webhooks" makes an endpoint, shows its secret once, changes it, and deletes it', async (t) => {
  const cwd = folderOf(t);
  writeFileSync(join(cwd, 'airbatch.config.json'), '{}');
  const run = (...args: string[]) => runHere(args, { cwd });
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run('--json', 'webhooks', ...args);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  assert.match((await run('webhooks', 'create', 'http://pay.example.com/')).stderr, /must be https/);
  assert.match((await run('webhooks', 'create', 'https://pay.example.com/', '--events', 'batch.done')).stderr, /USAGE/);
  const url = 'https://pay.example.com/hook?token=s3cret';
  const made = await json('create', url, '--events', 'batch.completed,row.in_doubt', '--accounts', 'main');
  assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { endpoint_id: id } = made;
  const listed = (await run('webhooks')).stdout;
  assert.match(listed, /https:\/\/pay\.example\.com\/hook\s.*batch\.completed, row\.in_doubt.*main.*enabled/);
  assert.doesNotMatch(listed, /s3cret|whsec/);
  const turned = await json('rotate', id);
  assert.notEqual(turned.secret, made.secret);
  assert.ok(Date.parse(turned.earlier_secret_until) > Date.now());
  assert.equal((await json('disable', id)).enabled, false);
  assert.match((await run('webhooks', 'redeliver', id, '1')).stderr, /has no delivery 1 .*WEBHOOK_UNKNOWN/);
  for (const [args, said] of [
    [['redeliver', id], /"redeliver" needs the number of a delivery \[USAGE\]\n"airbatch webhooks log .*" lists/],
    [['redeliver', id, 'a'], /"redeliver" takes a whole number from 1 on, not "a" \[USAGE\]/],
    [['log', id, '--after', 'x'], /--after takes a whole number, not "x" \[USAGE\]/],
  ] as const)
    assert.match((await run('webhooks', ...args)).stderr, said);
  assert.deepEqual(await json('log', id), { deliveries: [], next: null });
  assert.deepEqual((await json('list')).endpoints[0].enabled, false);
  assert.equal((await json('enable', id)).enabled, true);
  assert.deepEqual(await json('delete', id), { endpoint_id: id });
  assert.match((await run('webhooks', 'log', id)).stderr, /there is no webhook endpoint .*WEBHOOK_UNKNOWN/);
  assert.match((await run('webhooks')).stdout, /There are no webhook endpoints/);
});
