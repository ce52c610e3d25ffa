import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { startSandbox } from '../support/sandbox-process.ts';

/** Where the service was when the ledger was made: its batches are of that one alone. */
const port = '9871';
const limits = { creation: { limit: 60_000 }, read: { limit: 60_000 }, catalog: { limit: 60_000 } };
const account = { baseUrl: `http://127.0.0.1:${port}`, apiKeyEnv: 'NEW_KEY', limits, requestDeadlineMs: 3_000 };

/** Another run of this test on the machine may have the port: the audit chain names it, so no other one will do. */
async function untilFree(at: number): Promise<void> {
  for (;;) {
    const server = createServer().listen(at, '127.0.0.1');
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (free) return void (await new Promise((closed) => server.close(closed)));
    await sleep(500);
  }
}

/**
 * A ledger that the version before migration "contradicted" has left, with the sandbox that it worked for: a batch that
 * has ended, one with a held row, one that waits for approval, one that a person has paused, and one whose program was
 * killed with 24 requests under way. None of these had arrived.
 */
test('a ledger of an earlier version is opened, continues, and verifies', { timeout: 300_000 }, async (t) => {
  const folder = folderOf(t);
  const from = join(import.meta.dirname, 'earlier-ledger');
  mkdirSync(join(folder, '.airbatch'), { mode: 0o700 });
  for (const [name, to] of [
    ['ledger.db.gz', '.airbatch/ledger.db'],
    ['sandbox.db.gz', 'sandbox.db'],
  ] as const)
    writeFileSync(join(folder, to), gunzipSync(readFileSync(join(from, name))), { mode: 0o600 });
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main: account } }));
  await untilFree(Number(port));
  const sandbox = await startSandbox(t, folder, [
    '--port',
    port,
    '--data',
    'sandbox.db',
    '--rate',
    '60000',
    '--settle-ms',
    '300',
  ]);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder, env: { NEW_KEY: 'sandbox-key' } });
  const statuses = async () => {
    const { batches } = JSON.parse((await airbatch('--json', 'status')).stdout);
    return Object.fromEntries(
      batches.map((one: { file_name: string; batch_id: string; status: string }) => [one.file_name, one]),
    );
  };

  const before = await statuses();
  assert.deepEqual(
    Object.entries(before)
      .map(([file, { status }]) => [file, status])
      .toSorted(),
    [
      ['done.csv', 'completed'],
      ['held.csv', 'running'],
      ['killed.csv', 'running'],
      ['paused.csv', 'paused'],
      ['wait.csv', 'awaiting_approval'],
    ],
  );
  const id = (file: string): string => before[`${file}.csv`].batch_id;
  assert.equal((await airbatch('audit')).code, 0, 'the chains are whole');

  assert.equal((await airbatch('skip', id('held'), '--why', 'paid already')).code, 0);
  assert.equal((await airbatch('reject', id('wait'), '--why', 'the wrong month')).code, 0);
  const paused = await airbatch('resume', id('paused'));
  assert.equal(paused.code, 0, paused.stderr);
  await airbatch('resume', id('held'));
  await airbatch('resume', id('killed'));
  const after = await statuses();
  for (const file of ['done', 'held', 'paused']) assert.equal(after[`${file}.csv`].status, 'completed', file);
  const ledger = new DatabaseSync(join(folder, '.airbatch/ledger.db'), { readOnly: true });
  const rows = ledger.prepare('SELECT status, COUNT(*) AS count FROM rows WHERE batch_id = ? GROUP BY status');
  const killed = Object.fromEntries(rows.all(id('killed')).map(({ status, count }) => [status, Number(count)]));
  ledger.close();
  assert.equal((killed.completed ?? 0) + (killed.in_doubt ?? 0), 25, JSON.stringify(killed));
  assert.ok(killed.completed, 'what had arrived is known');

  const charges = [...(await sandbox.liveCharges()).values()];
  assert.ok(charges.length > 20);
  assert.deepEqual([...new Set(charges)], [1], 'nothing is charged twice');
  for (const file of ['held', 'paused', 'killed']) {
    const { code, stderr } = await airbatch('verify', join('reports', id(file)), '--ledger', '.airbatch/ledger.db');
    assert.equal(code, 0, `${file}: ${stderr}`);
  }
  assert.equal((await airbatch('audit')).code, 0);
});
