import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { rowStates } from '../../../src/core/state/row-state.ts';
import { isoTime } from '../../../src/core/time/clock.ts';
import { accountPauses } from '../../../src/engine/pacing/account-gate.ts';
import { savePace, storedPace } from '../../../src/ledger/accounts/pace.ts';
import { insertSlot } from '../../../src/ledger/jobs/slots.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { backupName } from '../../../src/runtime/backup/folders.ts';
import { type MetricDefinition, metricTable } from '../../../src/server/metrics/metric-table.ts';
import { makeMetrics } from '../../../src/server/metrics/metrics.ts';
import { type MetricsDeps, makeMetricsServer } from '../../../src/server/metrics/metrics-server.ts';
import { root } from '../../house/imports.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { folderOf } from '../../support/folder.ts';
import { aBatch, memoryLedger, setPause } from '../../support/ledger.ts';
import { idleUsage } from '../../support/open-limiter.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

type Given = Partial<MetricsDeps> & Pick<MetricsDeps, 'db' | 'clock'>;

/** A metrics server. `scrape` returns the value of a sample by its name and labels, and the page. */
function serverOf(t: TestContext, given: Given) {
  const metrics = makeMetrics(given.clock);
  const server = makeMetricsServer({
    ledgerPath: ':memory:',
    metrics,
    accounts: () => [{ name: 'main', working: true, usage: () => ({ ...idleUsage, used: 7 }), clockAheadMs: 2_500 }],
    backups: null,
    jobs: () => [{ name: 'payroll', schedule: { cron: '0 9 * * *', timeZone: 'UTC', catchUp: 'last' } }],
    upkeep: () => ({ reportsMissing: 2, anchors: new Map([['file heads', true]]) }),
    ...given,
  });
  t.after(() => server.close());
  const scrape = async () => {
    const { body } = await server.inject('/metrics');
    const value = (sample: string) => {
      const line = body.split('\n').find((one) => one.startsWith(`airbatch_${sample} `));
      return line === undefined ? null : Number(line.slice(line.lastIndexOf(' ') + 1));
    };
    return { body, value };
  };
  return { metrics, scrape, server };
}

async function sending(t: TestContext, rows: number): Promise<Rig> {
  const rig = await makeRig({ settleMs: 3_600_000 });
  rig.service.script('run-1/ref-2', 'lose_request');
  await rig.add(someRows(rows), { balance_before: null });
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(30_000));
  t.after(async () => {
    runner.stop();
    await rig.clock.drive(running);
  });
  return rig;
}

const wallet = { walletId: 'w', name: 'main', currency: 'KES', balance: '1234.50', active: true };

describe('metrics', () => {
  test('are only read: another method is told so, and another address does not exist', async (t) => {
    const { server } = serverOf(t, await makeRig());
    const answer = await server.inject({ method: 'POST', url: '/metrics' });
    assert.deepEqual([answer.statusCode, answer.json()], [405, { error: 'method_not_allowed' }]);
    assert.equal(String(answer.headers.allow).split(', ').toSorted().join(', '), 'GET, HEAD');
    const unknown = await server.inject('/metric');
    assert.deepEqual([unknown.statusCode, unknown.json()], [404, { error: 'not_found' }]);
  });

  test('show open batches by situation, their rows, and the ages and sums that matter', async (t) => {
    const rig = await sending(t, 5);
    const { scrape } = serverOf(t, rig);
    const { value, body } = await scrape();
    assert.equal(value('batches{account="main",status="running",situation="following"}'), 1);
    assert.equal(value('rows{account="main",state="accepted"}'), 4);
    assert.equal(value('rows{account="main",state="in_doubt"}'), 1);
    for (const name of ['accepted', 'doubt']) {
      const age = value(`${name}_oldest_seconds{account="main"}`) ?? 0;
      assert.ok(age >= 29 && age <= 31, `${name}: ${age}`);
    }
    const row = await rig.row(2);
    assert.equal(value(`doubt_amount{account="main",currency="${row.currency}"}`), Number(row.amount));
    assert.doesNotMatch(body, /2547120/);
    await rig.db.execute('UPDATE batches SET finish_by = 1');
    const late = await scrape();
    assert.equal(late.value('batches_late{account="main",state="past"}'), 1);
    assert.equal(late.value('batches_late{account="main",state="foreseen"}'), 0);
    assert.equal(value('batches_late{account="main",state="past"}'), null);

    // What is no longer so is shown no longer.
    await rig.db.execute("UPDATE rows SET status = 'completed'");
    const later = await scrape();
    assert.equal(later.value('doubt_oldest_seconds{account="main"}'), null);
    assert.equal(later.value('accepted_oldest_seconds{account="main"}'), null);
  });

  test('show for how long an account is closed, and why', async (t) => {
    const rig = await sending(t, 5);
    const { scrape } = serverOf(t, rig);
    const open = await scrape();
    assert.equal(open.value('account_working{account="main"}'), 1);
    assert.equal(open.value('lease_changes_total{account="main"}'), 1);
    assert.doesNotMatch(open.body, /^airbatch_account_closed_seconds\{/m);
    const now = rig.clock.now();
    const pace = await storedPace(rig.db, 'main', now);
    assert.ok(pace);
    await savePace(rig.db, 'main', { ...pace, gate: { throttle: null, unreachableSince: now - 90_000 } });
    await setPause(rig.db, 'insufficient_balance');
    await rig.db.execute('UPDATE pauses SET since = ?', [now - 60_000]);
    const closed = await scrape();
    assert.equal(closed.value('account_closed_seconds{account="main",reason="insufficient_balance"}'), 60);
    assert.equal(closed.value('account_closed_seconds{account="main",reason="unreachable"}'), 90);
    // Another batch is being sent, so only the paused one lacks money.
    await rig.add(someRows(1), { batch_id: 'batch-2', run_id: 'run-2' });
    assert.equal((await scrape()).value('account_closed_seconds{account="main",reason="insufficient_balance"}'), null);
    // A lease that was released says not when: the time since it was first seen counts.
    await rig.db.execute('UPDATE leases SET expires_at = 0');
    const noLease = 'account_closed_seconds{account="main",reason="no_lease"}';
    assert.equal((await scrape()).value(noLease), 0);
    await rig.clock.drive(rig.clock.sleep(5_000));
    await rig.db.execute('UPDATE leases SET expires_at = 0');
    assert.equal((await scrape()).value(noLease), 5);
    assert.equal((await scrape()).value('lease_changes_total{account="main"}'), 1);
  });

  test('show the pace, the balance, and when the money is used up', async (t) => {
    const rig = await sending(t, 5);
    const { scrape } = serverOf(t, rig);
    const now = rig.clock.now();
    const balance = JSON.stringify({ total: null, readAt: now - 120_000, wallets: [wallet] });
    await rig.db.execute('UPDATE batches SET balance_before = ?', [balance]);
    const enough = await scrape();
    assert.equal(enough.value('balance{account="main",wallet="main",currency="KES"}'), 1234.5);
    assert.equal(enough.value('balance_age_seconds{account="main"}'), 120);
    assert.equal(enough.value('rate_used{account="main",class="creation"}'), 7);
    assert.equal(enough.value('rate_allowed{account="main",class="creation"}'), 60);
    assert.equal(enough.value('queue_seconds{account="main"}'), 0);
    assert.equal(enough.value('clock_ahead_seconds{account="main"}'), 2.5);
    assert.equal(enough.value('balance_lasts_seconds{account="main",currency="KES"}'), null);
    // 100 rows cost 1,000 so far; 234.50 are left: 23.45 rows, of 300 that are to be sent.
    await rig.db.execute('DELETE FROM batch_counts');
    for (const [state, count] of [['completed', 100] as const, ['ready', 300] as const])
      await rig.db.execute(`INSERT INTO batch_counts SELECT batch_id, '${state}', ${count} FROM batches`);
    await rig.db.execute("INSERT INTO batch_costs SELECT batch_id, 'KES', '1000' FROM batches");
    const { value } = await scrape();
    const pace = await storedPace(rig.db, 'main', now);
    const perSecond = ((pace?.outlook.perWindow ?? 0) / (pace?.outlook.windowMs ?? 1)) * 1_000;
    const lasts = value('balance_lasts_seconds{account="main",currency="KES"}') ?? 0;
    assert.ok(Math.abs(lasts - 23.45 / perSecond) < 0.01, `${lasts}`);
    assert.ok((value('queue_seconds{account="main"}') ?? 0) > 60);
  });

  test('show jobs, notifications, webhooks, reports and anchors that wait', async (t) => {
    const db = await memoryLedger();
    const clock = makeVirtualClock();
    const { scrape, metrics } = serverOf(t, { db, clock });
    const day = 86_400_000;
    const now = clock.now();
    for (const [state, due_at] of [['done', now - 3 * day] as const, ['failed', now - 2 * day] as const])
      await insertSlot(db, { job: 'payroll', due_at, state, detail: null });
    await insertSlot(db, { job: 'payroll', due_at: now - 600_000, state: 'due', detail: null });
    await db.execute(`INSERT INTO outbox (event_id, recipient, body, created_at, due_at, attempts)
      VALUES ('a', 'b', '{}', ${now - 30_000}, ${now}, 0), ('b', 'b', '{}', 1, NULL, 1)`);
    await db.execute(
      `INSERT INTO inbox (account, scheme, message_id, body_digest, received_at, looks, due_at) VALUES ('main', 'callback', 'm', '', 1, 0, 1)`,
    );
    metrics.onReceived('main', { result: 'stored' });
    metrics.onReceived('(unknown)', { refused: 'signature_wrong' });
    metrics.onAnswered('main')('creation', 'throttled', 300);
    await metrics.observed(db).transact(async () => undefined);
    const { value, body } = await scrape();
    const expected = {
      'job_last_success_timestamp_seconds{job="payroll"}': (now - 3 * day) / 1_000,
      'job_last_failure_timestamp_seconds{job="payroll"}': (now - 2 * day) / 1_000,
      'job_last_skip_timestamp_seconds{job="payroll"}': null,
      'job_late_seconds{job="payroll"}': 600,
      notifications_unsent: 1,
      notifications_oldest_unsent_seconds: 30,
      'webhooks_waiting{account="main"}': 1,
      'webhooks_received_total{account="main",result="stored"}': 1,
      'webhooks_refused_total{account="(unknown)",cause="signature_wrong"}': 1,
      'requests_throttled_total{account="main"}': 1,
      'request_duration_seconds_count{class="creation",result="throttled"}': 1,
      'request_duration_seconds_bucket{le="0.25",class="creation",result="throttled"}': 0,
      'request_duration_seconds_bucket{le="0.5",class="creation",result="throttled"}': 1,
      ledger_commit_duration_seconds_count: 1,
      ledger_size_bytes: 0,
      reports_missing: 2,
      'anchor_failing{place="file heads"}': 1,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, value(name)])), expected);
    const next = value('job_next_run_timestamp_seconds{job="payroll"}') ?? 0;
    assert.ok(next * 1_000 > now && next % 3_600 === 0);
    assert.match(body, /^airbatch_build_info\{version="\d+\.\d+\.\d+",node="v24/m);
  });

  test('show the age of the newest complete backup of this ledger', async (t) => {
    const [db, clock, backups] = [await memoryLedger(), makeVirtualClock(), folderOf(t)];
    const ledgerPath = '/srv/pay/ledger.db';
    const { scrape } = serverOf(t, { db, clock, backups, ledgerPath });
    const shown = async () => {
      const { value } = await scrape();
      return ['complete', 'age_seconds'].map((name) => value(`backup_${name}{place="${backups}"}`));
    };
    const none = await serverOf(t, { db, clock }).scrape();
    assert.doesNotMatch(none.body, /^airbatch_backup_/m, 'no backup is configured');
    assert.deepEqual(await shown(), [0, null]);
    const add = (agoMs: number, more: object = {}) => {
      const at = clock.now() - agoMs;
      const dir = join(backups, backupName(at));
      mkdirSync(dir);
      writeFileSync(join(dir, 'ledger.db'), 'x');
      const manifest = {
        ...{ format: 1, program: 'airbatch 1.0.0', created_at: isoTime(at), host: hostname(), ledger: ledgerPath },
        ...{ encryption: null, files: [{ name: 'ledger.db', bytes: 1, sha256: '' }], left_out: [], ...more },
      };
      writeFileSync(join(dir, 'backup.json'), JSON.stringify(manifest));
      return dir;
    };
    add(7_200_000);
    const last = add(3_600_000);
    add(1_000, { ledger: '/srv/other/ledger.db' });
    assert.deepEqual(await shown(), [1, 3_600]);
    writeFileSync(join(last, 'ledger.db'), '');
    assert.deepEqual(await shown(), [0, 3_600], 'a file of the newest backup was cut short');
    rmSync(backups, { recursive: true });
    assert.deepEqual(await shown(), [0, null]);
  });

  test('give two scrapers that ask at the same time the same complete answer', async (t) => {
    const rig = await sending(t, 5);
    const { scrape } = serverOf(t, rig);
    const [one, other] = await Promise.all([scrape(), scrape()]);
    for (const { value } of [one, other]) assert.equal(value('rows{account="main",state="accepted"}'), 4);
  });

  test('have a bounded number of samples for an account, whatever its batches, rows and wallets', async (t) => {
    const db = await memoryLedger();
    const clock = makeVirtualClock();
    const names = Array.from({ length: 50 }, (_, at) => `account-${at}`);
    const wallets = Array.from({ length: 200 }, (_, at) => ({ ...wallet, name: `wallet ${at}` }));
    const balance_before = JSON.stringify({ total: null, readAt: 0, wallets });
    const statuses = [
      'received',
      'validated',
      'awaiting_approval',
      'approved',
      'running',
      'running',
      'paused',
    ] as const;
    for (const account of names) {
      for (const [at, status] of statuses.entries()) {
        const batch = aBatch({ batch_id: `${account}-${at}`, run_id: `run-${at}`, account, status, balance_before });
        await inUnit(db, { clock, actor: 'test' }, (unit) => unit.addBatch(batch, {}));
      }
    }
    for (const state of rowStates)
      await db.execute(`INSERT INTO batch_counts SELECT batch_id, '${state}', 1 FROM batches WHERE true
        ON CONFLICT (batch_id, status) DO NOTHING`);
    for (const reason of accountPauses)
      await db.execute(`INSERT INTO pauses (account, batch_id, reason, paused_by, since)
        SELECT account, batch_id, '${reason}', 'test', 1 FROM batches`);
    const here = (list: string[]) => () =>
      list.map((name) => ({ name, working: true, usage: () => idleUsage, clockAheadMs: 0 }));
    const samplesOf = async (accounts: string[]) => {
      const { body } = await serverOf(t, { db, clock, accounts: here(accounts) }).scrape();
      const samples = body.split('\n').filter((line) => line.includes('account="account-'));
      return { count: samples.length, labels: new Set(samples.flatMap((line) => line.match(/[\w]+(?==")/g) ?? [])) };
    };
    const { count, labels } = await samplesOf(names);
    assert.ok(count > 0 && count / names.length <= 70, `${count / names.length} for each account`);
    assert.deepEqual([...labels].sort(), [
      'account',
      'class',
      'currency',
      'reason',
      'situation',
      'state',
      'status',
      'wallet',
    ]);
  });

  test('are described one by one in docs/monitoring.md, with type and labels, and no others are', async (t) => {
    const { body } = await serverOf(t, { db: await memoryLedger(), clock: makeVirtualClock() }).scrape();
    const served = new Map(
      [...body.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    );
    const page = readFileSync(join(root, 'docs/monitoring.md'), 'utf8');
    const described = new Map(
      [...page.matchAll(/^\| `((?:airbatch|process|nodejs)_\w+)` \| (\w+) \|([^|]*)\|/gm)].map(
        ([, name = '', type = '', labels = '']) => [
          name,
          { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label) },
        ],
      ),
    );
    assert.deepEqual([...described.keys()].sort(), [...served.keys()].sort());
    for (const [name, { type, labels }] of described) {
      assert.equal(type, served.get(name), name);
      const ours: MetricDefinition | undefined = metricTable[name.replace('airbatch_', '') as keyof typeof metricTable];
      if (ours) assert.deepEqual(labels, ours.labels, name);
    }
  });
});
