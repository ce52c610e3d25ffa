import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { openPlacement } from '../../../src/fleet/placement.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { listWorkers } from '../../../src/operations/service/list-workers.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { migratedPostgres } from '../../support/postgres.ts';

test('a worker without an account is listed while it lives', async (t) => {
  const [folder, ledgerUrl] = [folderOf(t), await migratedPostgres()];
  const account = { baseUrl: 'https://api.example.com', apiKeyEnv: 'KEY' };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main: account } }));
  const db = openPostgres(ledgerUrl);
  t.after(() => db.close());
  const note = () => undefined;
  const session: Session = {
    ...{ db, clock: systemClock, log: { info: note, warn: note }, random: systemRandom, ledgerUrl },
    config: await loadConfig({ cwd: folder, env: { KEY: 'key-1' }, configPath: undefined }),
    ledgerPath: join(folder, 'ledger.db'),
    person: 'root',
    through: 'cli',
  };
  const listed = async () => {
    const { workers } = await performIn(session, listWorkers, { nameOf: String }, {});
    return workers.map(({ worker, accounts }) => [worker, accounts.map((one) => one.account)]);
  };
  assert.deepEqual(await listed(), [[null, ['main']]]);
  const [busy, idle] = ['far-1/7/0', 'far-2/7/0'];
  const [first, second] = [await openPlacement(ledgerUrl, busy, note), await openPlacement(ledgerUrl, idle, note)];
  t.after(() => first.close());
  const lease = { account: 'main', holder: busy, now: systemClock.now(), ttlMs: 60_000, deadHolder: null };
  await db.transact((tx) => takeLease(tx, lease));
  assert.deepEqual(await listed(), [
    [busy, ['main']],
    [idle, []],
  ]);
  const env = { KEY: 'key-1', AIRBATCH_LEDGER_URL: ledgerUrl };
  assert.match((await runHere(['workers'], { cwd: folder, env })).stdout, /^far-2\/7 +no account +0 +0 +0$/m);
  await second.close();
  assert.deepEqual(await listed(), [[busy, ['main']]]);
});
