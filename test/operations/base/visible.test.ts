import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { z } from 'zod';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { insertDraft } from '../../../src/ledger/drafts/drafts.ts';
import { insertReconciliation, type ReconciliationRecord } from '../../../src/ledger/reporting/reconciliations.ts';
import * as operations from '../../../src/operations/all.ts';
import {
  type Operation,
  performIn,
  type RoleOperation,
  requireAllowed,
} from '../../../src/operations/base/operation.ts';
import { listBatches } from '../../../src/operations/batches/list-batches.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { roles } from '../../../src/runtime/settings/config-shape.ts';
import { aDraft } from '../../support/drafts.ts';
import { folderOf } from '../../support/folder.ts';
import { aBatch, addBatch, aRow, memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const door = { nameOf: (field: string) => field, ask: async () => false };

function aReconciliation(reconciliation_id: string, account: string): ReconciliationRecord {
  return {
    ...{ reconciliation_id, account, batch_id: null, from_ms: 0, to_ms: 1, finished_at: 2, counts: '{}' },
    ...{ charged_by_ledger: '{}', charged_by_service: '{}', wallets: 'null' },
  };
}

/** An installation of two teams, with a batch and a job of each. The caller has every role for the first one alone. */
async function twoTeams(t: TestContext, seen = ['ours']) {
  const folder = folderOf(t);
  const clock = makeVirtualClock();
  const db = await memoryLedger();
  t.after(() => db.close());
  const accounts = Object.fromEntries(
    ['ours', 'theirs'].map((name) => [name, { baseUrl: 'http://127.0.0.1:1', apiKeyEnv: 'KEY' }]),
  );
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts }));
  mkdirSync(join(folder, 'jobs'));
  for (const account of ['ours', 'theirs']) {
    const batch_id = `B-${account}`;
    await addBatch(db, clock, aBatch({ batch_id, account, run_id: account, status: 'awaiting_approval' }), [
      aRow(1, { batch_id }),
    ]);
    for (const table of ['rows', 'batch_counts'])
      await db.execute(`UPDATE ${table} SET status = 'in_doubt' WHERE batch_id = ?`, [batch_id]);
    await db.transact((tx) => insertDraft(tx, aDraft({ draft_id: `D-${account}`, account })));
    await db.transact((tx) => insertReconciliation(tx, aReconciliation(`R-${account}`, account)));
    const job = {
      name: `pay-${account}`,
      account,
      schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi' },
      source: { kind: 'folder', folder: account },
    };
    writeFileSync(join(folder, `jobs/pay-${account}.json`), JSON.stringify(job));
  }
  const config = await loadConfig({ cwd: folder, env: { KEY: 'service-key' } });
  const silent = () => undefined;
  const session: Session = {
    ...{ db, clock, config, log: { info: silent, warn: silent }, random: systemRandom },
    ledgerPath: join(folder, 'ledger.db'),
    ledgerUrl: null,
    person: 'limited',
    through: 'api',
    grant: { roles, accounts: seen },
  };
  return session;
}

function fieldsOf(operation: Operation): string[] {
  return Object.keys((z.toJSONSchema(operation.input, { io: 'input' }) as { properties?: object }).properties ?? {});
}

const all: Operation[] = Object.values(operations).map((one) => one as Operation);
const guarded = all.filter((one): one is RoleOperation => one.role !== null);

for (const operation of guarded) {
  const fields = fieldsOf(operation);
  test(`${operation.name} hides what is not of the caller’s accounts from the caller`, async (t) => {
    const session = await twoTeams(t);
    const allowed = (input: object) => requireAllowed(session, operation, input);
    if (fields.includes('batch_id')) {
      await allowed({ batch_id: 'B-ours' });
      await assert.rejects(allowed({ batch_id: 'B-theirs' }), { code: 'BATCH_UNKNOWN' });
      await assert.rejects(allowed({ batch_id: 'B-none' }), { code: 'BATCH_UNKNOWN' });
    }
    if (fields.includes('draft_id')) {
      await allowed({ draft_id: 'D-ours' });
      await assert.rejects(allowed({ draft_id: 'D-theirs' }), { code: 'DRAFT_UNKNOWN' });
      await assert.rejects(allowed({ draft_id: 'D-none' }), { code: 'DRAFT_UNKNOWN' });
    }
    if (fields.includes('account')) {
      await allowed({ account: 'ours' });
      await assert.rejects(allowed({ account: 'theirs' }), { code: 'ACCOUNT_UNKNOWN' });
    }
    const named = Object.entries({ draft_id: 'D-ours', batch_id: 'B-ours', account: 'ours' }).filter(([field]) =>
      fields.includes(field),
    );
    // Of several names, one of another team is enough.
    for (const [field, value] of named)
      await assert.rejects(allowed({ ...Object.fromEntries(named), [field]: value.replace('ours', 'theirs') }), {
        code: /_UNKNOWN$/,
      });
    if (operation.showsOnlyVisible !== true)
      await assert.rejects(allowed({}), { code: 'ROLE_MISSING', hint: 'Name one of the accounts: ours.' });
  });
}

/** Operations that list without a name; the key is the same for all. */
const listing = guarded.filter(
  ({ showsOnlyVisible, name, input }) => showsOnlyVisible && name !== 'show-key' && input.safeParse({}).success,
);
for (const operation of listing)
  test(`${operation.name} without a name shows what the caller may see, and nothing else`, async (t) => {
    const shown = async (seen: string[]) =>
      JSON.stringify(await performIn(await twoTeams(t, seen), operation, door, {}));
    const limited = await shown(['ours']);
    assert.match(limited, /ours/);
    assert.doesNotMatch(limited, /theirs/);
    for (const everything of [await shown([]), await shown(['theirs', 'ours'])]) {
      assert.match(everything, /ours/);
      assert.match(everything, /theirs/);
    }
    assert.doesNotMatch(await shown(['gone']), /ours|theirs/);
  });

test('run-job does not find a job of another account', async (t) => {
  const session = await twoTeams(t);
  const run = (name: string) => performIn(session, operations.runJob, door, { name });
  await assert.rejects(run('pay-theirs'), { code: 'USAGE', message: 'there is no job "pay-theirs"' });
  assert.equal((await run('pay-ours')).job, 'pay-ours');
});

test('list-batches accepts an account, for callers who may see several', async (t) => {
  const session = await twoTeams(t, []);
  const listed = async (account?: string) =>
    (await performIn(session, listBatches, door, { account })).batches.map(({ batch_id }) => batch_id);
  assert.deepEqual((await listed()).toSorted(), ['B-ours', 'B-theirs']);
  assert.deepEqual(await listed('theirs'), ['B-theirs']);
  assert.deepEqual(await listed('gone'), []);
});

test('a caller with more accounts than fit one statement sees the batches of all, the newest first', async (t) => {
  const session = await twoTeams(t, [...Array.from({ length: 60 }, (_, at) => `a-${at}`), 'ours', 'theirs']);
  const { batches } = await performIn(session, listBatches, door, { limit: 1 });
  const { batches: both } = await performIn(session, listBatches, door, {});
  assert.equal(both.length, 2);
  assert.equal(batches[0]?.batch_id, both[0]?.batch_id);
});
