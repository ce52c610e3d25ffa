import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { httpServer } from '../support/http-server.ts';
import { sandboxHere } from '../support/sandbox-process.ts';
import { env, writeConfig } from './two-versions.ts';

const header = 'phone_number,network_id,amount,currency,reference';
const secondId = '00000000-0000-4000-8000-000000000002';

/** A service in front of the sandbox that shows each payment of a row a second time, under another id, once it ended. */
async function showingTwice(t: TestContext, target: string): Promise<string> {
  const { url } = await httpServer(t, async (request, sent, response) => {
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name) ? [[name, value]] : [],
    );
    const { method = 'GET' } = request;
    const body = method === 'GET' ? null : sent;
    const answer = await fetch(`${target}${request.url}`, { method, headers: Object.fromEntries(headers), body });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(twice(await answer.text(), request.url ?? ''));
  });
  return url;
}

function twice(text: string, url: string): string {
  if (!url.startsWith('/adp/transactions')) return text;
  const answer = JSON.parse(text);
  if (!Array.isArray(answer.data) || answer.data[0]?.state !== 'SUCCESS') return text;
  return JSON.stringify({ ...answer, data: [...answer.data, { ...answer.data[0], transactionId: secondId }] });
}

test('a second payment of a row in Version 1 halts its account: both ids are named, and the exit code is 5', async (t) => {
  const cwd = folderOf(t);
  const sandbox = await sandboxHere(t, { rate: 60_000, settleMs: 300 });
  writeConfig(cwd, { url: await showingTwice(t, sandbox.url) });
  const run = (name: string, phone: string) => {
    writeFileSync(join(cwd, `${name}.csv`), [header, `${phone},1,10,KES,${name}-1`, ''].join('\n'));
    return runHere(['run', `${name}.csv`, '--account', 'old', '--run-id', name, '--yes'], { cwd, env });
  };
  const paid = await run('october', '+254722441100');
  assert.equal(paid.code, 5, paid.stderr);
  const [, batch = ''] = /^Batch +(\S+)/m.exec(paid.stderr) ?? [];
  const { paid_twice } = JSON.parse(readFileSync(join(cwd, 'reports', batch, 'summary.json'), 'utf8'));
  const [{ topup_id, ...rest }] = paid_twice.first;
  assert.deepEqual([paid_twice.rows, rest], [1, { row: 1, second_topup_id: secondId }]);
  assert.match(topup_id, /^[0-9a-f-]{36}$/);
  const named = `Row 1 may have been paid twice: the service has the payments ${topup_id} and ${secondId}.`;
  assert.ok(paid.stderr.includes(named), paid.stderr);
  assert.doesNotMatch(paid.stderr, /✔/);
  const status = await runHere(['status', batch], { cwd, env });
  assert.match(status.stdout, /^1 row may have been paid twice: "airbatch report \S+" names the payments\./m);
  assert.equal((await runHere(['verify', join('reports', batch)], { cwd, env })).code, 0);

  const next = await run('november', '+254722441101');
  assert.equal(next.code, 5, next.stderr);
  assert.ok(next.stderr.includes(`row 1 of batch ${batch} may have been paid twice, by ${topup_id} and ${secondId}`));
  assert.deepEqual([...(await sandbox.liveCharges())], [['october/october-1', 1]]);
});
