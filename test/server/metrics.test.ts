import assert from 'node:assert/strict';
import { test } from 'node:test';
import { savePace, storedPace } from '../../src/ledger/accounts/pace.ts';
import { insertSlot } from '../../src/ledger/jobs/slots.ts';
import { makeMetricsServer } from '../../src/server/metrics.ts';
import { makeRig, someRows } from '../support/engine.ts';
import { setPause } from '../support/ledger.ts';
import { idleUsage } from '../support/open-limiter.ts';

test('metrics show rows by state, ages, doubts, balances, rates, webhooks and slots from the ledger', async (t) => {
  const rig = await makeRig({ settleMs: 3_600_000 });
  rig.service.script('run-1/ref-2', 'lose_request');
  await rig.add(someRows(5), { balance_before: null });
  await rig.db.execute('UPDATE batches SET balance_before = ?', [
    JSON.stringify({
      total: null,
      readAt: 0,
      wallets: [{ walletId: 'w', name: 'main', currency: 'KES', balance: '1234.50', active: true }],
    }),
  ]);
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(30_000));
  await insertSlot(rig.db, { job: 'payroll', due_at: 1, state: 'skipped', detail: null });
  await rig.db.execute(
    `INSERT INTO inbox (account, scheme, message_id, body_digest, received_at, looks, outcome) VALUES ('main', 'callback', 'm', '', 1, 0, 'settled')`,
  );
  const usage = () => ({ ...idleUsage, used: 7 });
  const server = makeMetricsServer({
    db: rig.db,
    clock: rig.clock,
    accounts: () => [{ name: 'main', working: true, usage }],
  });
  t.after(() => server.close());
  const { statusCode, body } = await server.inject('/metrics');
  assert.equal(statusCode, 200);
  const value = (name: string) => {
    const line = body.split('\n').find((one) => one.startsWith(`airbatch_${name} `));
    return line === undefined ? null : Number(line.split(' ')[1]);
  };
  assert.equal(value('rows{account="main",state="accepted"}'), 4);
  assert.equal(value('rows_in_doubt{account="main"}'), 1);
  const age = value('oldest_unsettled_seconds{account="main"}') ?? 0;
  assert.ok(age >= 29 && age <= 31, `${age}`);
  assert.equal(value('balance{account="main",wallet="main",currency="KES"}'), 1234.5);
  assert.deepEqual(
    [value('rate_used{account="main",class="creation"}'), value('rate_allowed{account="main",class="creation"}')],
    [7, 60],
  );
  await rig.db.execute('UPDATE batches SET finish_by = 1');
  const late = (await server.inject('/metrics')).body;
  assert.match(late, /^airbatch_batches_late\{account="main",state="past"\} 1$/m);
  assert.match(late, /^airbatch_batches_late\{account="main",state="foreseen"\} 0$/m);
  assert.doesNotMatch(body, /airbatch_batches_late\{.*past/);
  assert.equal(value('webhooks{account="main",outcome="settled"}'), 1);
  assert.equal(value('job_slots{job="payroll",state="skipped"}'), 1);
  assert.equal(value('account_working{account="main"}'), 1);
  assert.equal(value('notifications_waiting'), 0);
  assert.doesNotMatch(body, /^airbatch_account_closed\{/m);
  const pace = await storedPace(rig.db, 'main', rig.clock.now());
  assert.ok(pace);
  await savePace(rig.db, 'main', { ...pace, gate: { throttle: null, unreachableSince: rig.clock.now() } });
  await setPause(rig.db, 'insufficient_balance');
  const closed = (await server.inject('/metrics')).body;
  assert.match(closed, /^airbatch_account_closed\{account="main",why="insufficient_balance"\} 1$/m);
  assert.match(closed, /^airbatch_account_closed\{account="main",why="unreachable"\} 1$/m);
  assert.doesNotMatch(body, /2547120/);
  runner.stop();
  await rig.clock.drive(running);

  // What is no longer so is told no longer.
  await rig.db.execute("UPDATE rows SET status = 'completed'");
  const later = (await server.inject('/metrics')).body;
  assert.match(later, /^airbatch_rows\{/m);
  assert.doesNotMatch(later, /^airbatch_oldest_unsettled_seconds\{/m);
});
