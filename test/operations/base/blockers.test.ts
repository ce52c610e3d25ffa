import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchesBefore, sendingOf } from '../../../src/engine/forecast/sending.ts';
import { savePace, storedPace } from '../../../src/ledger/accounts/pace.ts';
import type { Priority } from '../../../src/ledger/batches/batches.ts';
import { countRows } from '../../../src/ledger/batches/row-counts.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { accountNow } from '../../../src/operations/base/account-now.ts';
import { waitsFor as waitFor } from '../../../src/operations/base/blockers.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { v1Policy } from '../../support/fake-service.ts';
import { aRow, idlePace, setPause } from '../../support/ledger.ts';

/** What a batch waits for, with what a person can do about it: "a second person [approve]". */
async function waitsFor(...given: Parameters<typeof waitFor>): Promise<string | null> {
  const wait = await waitFor(...given);
  return wait && [wait.text, ...(wait.ways.length > 0 ? [`[${wait.ways.join()}]`] : [])].join(' ');
}

test('a batch waits for the batches of its account that are sent before it or take turns with it, until its last row is sent', async () => {
  const rig = await makeRig();
  const batches: [string, Priority, number, string][] = [
    ['urgent', 'urgent', 20, 'running'],
    ['normal', 'normal', 30, 'running'],
    ['other', 'normal', 300, 'running'],
    ['paused', 'normal', 50, 'paused'],
    ['bulk', 'bulk', 70, 'running'],
  ];
  for (const [batch_id, priority, count, status] of batches) {
    await rig.add(someRows(count), { batch_id, run_id: batch_id, priority });
    await rig.db.execute('UPDATE batches SET status = ? WHERE batch_id = ?', [status, batch_id]);
  }
  const expected = { urgent: 20, normal: 30 + 20 + 30, other: 300 + 20 + 30, bulk: 70 + 20 + 30 + 300 };
  for (const [batchId, sends] of Object.entries(expected)) {
    const ready = batches.find(([name]) => name === batchId)?.[2] ?? 0;
    const sending = await sendingOf(rig.db, 'main');
    const before = batchesBefore(await rig.batch(batchId), { ready, pace: idlePace, sending });
    const rowsBefore = before.reduce((sum, { rows }) => sum + rows, 0);
    assert.equal(ready + rowsBefore, sends, batchId);
  }
});

test('if only rows to recently paid numbers are left, the batch waits for their time, which is shown', async () => {
  const rig = await makeRig({ policy: v1Policy, settings: { idlePollMs: 1_000, leaseTtlMs: 15_000 } });
  const { db, clock } = rig;
  await rig.add([1, 2, 3, 4, 5].map((rowNo) => aRow(rowNo, { phone_number: '+254712000001' })));
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await clock.drive(clock.sleep(10_000));
  const batch = await rig.batch();
  const counts = await countRows(db, batch.batch_id);
  const account = await accountNow({ db, clock }, 'main');
  const words = await waitsFor({ db, clock, config: { accounts: new Map() } }, batch, counts, account);
  assert.equal(words, 'the next row to a number that was paid a moment ago, 55 s more');
  assert.equal(account.foreseen().get(batch.batch_id)?.sentMs, (4 * 65 - 10) * 1_000);
  runner.stop();
  await clock.drive(running);
});

test('if one of the first rows waits for a person, the batch waits for that person, not for the row', async () => {
  const rig = await makeRig();
  const { db, clock } = rig;
  rig.service.script('run-1/ref-1', 'error_500', 'error_500', 'error_500');
  await rig.add(someRows(3), { policy: JSON.stringify({ canary: { rows: 1 } }) });
  await rig.run();
  const words = await waitsFor(
    { db, clock, config: { accounts: new Map() } },
    await rig.batch(),
    await countRows(db, 'batch-1'),
    await accountNow({ db, clock }, 'main'),
  );
  assert.match(words ?? '', /^a person to resolve 1 row in doubt/);
});

test('after a clock that was ahead, the next look-up is shown when it will be made', async () => {
  const rig = await makeRig();
  const { db, clock, service } = rig;
  const startedAt = clock.now();
  const hours = (count: number) => count * 3_600_000;
  const lookedUpAt: number[] = [];
  const { lookup } = service;
  service.lookup = (reference) => {
    lookedUpAt.push(Math.floor(clock.monotonic() / hours(1)));
    return lookup(reference);
  };
  service.script('run-1/ref-1', 'lose_answer');
  service.hidden.add('run-1/ref-1');
  await rig.add(someRows(1));
  await rig.run(60_000);
  clock.setWall(clock.now() + hours(31));
  await rig.run(60_000);
  clock.setWall(startedAt + clock.monotonic());
  const account = await accountNow({ db, clock }, 'main');
  const session = { db, clock, config: { accounts: new Map() } };
  const words = await waitsFor(session, await rig.batch(), await countRows(db, 'batch-1'), account);
  assert.equal(
    words,
    'the next look-up of 1 row in doubt, in 1 h; a program must do it then, and none is running [run]',
  );
  // The time of the runners continues from the highest time, so the look-ups come after their usual delays.
  await rig.run();
  assert.deepEqual(lookedUpAt, [0, 1, 6, 24]);
});

test('a batch that waits for the answer whether to send it, or for money, says what to do', async () => {
  const rig = await makeRig();
  const { db, clock } = rig;
  await rig.add(someRows(1));
  const words = async () => {
    const account = await accountNow({ db, clock }, 'main');
    const config = { accounts: new Map() };
    return waitsFor({ db, clock, config }, await rig.batch(), await countRows(db, 'batch-1'), account);
  };
  await db.execute(`UPDATE batches SET status = 'validated'`);
  assert.match((await words()) ?? '', /if that command has ended, nothing was sent: run the file again/);
  await setPause(db, 'insufficient_balance');
  assert.equal(await words(), 'a person: it is paused (balance too low); fund the account, then resume it [resume]');
});

test('a batch behind others lists them and how many of their rows are sent first, also without a rate limit', async () => {
  const rig = await makeRig({ paceMs: 1_000, settings: { idlePollMs: 1_000, leaseTtlMs: 15_000 } });
  const { db, clock } = rig;
  const numbered = (count: number, digit: number) =>
    Array.from({ length: count }, (_, row) => aRow(row + 1, { phone_number: `+2547${digit}${1_000_000 + row}` }));
  const add = (id: string, priority: Priority, count: number, digit: number) =>
    rig.add(numbered(count, digit), { batch_id: id, run_id: id, priority });
  await add('small', 'normal', 5, 1);
  await add('beside', 'normal', 200, 2);
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  const words = async (id: string) => {
    const batch = await rig.batch(id);
    return waitsFor(
      { db, clock, config: { accounts: new Map() } },
      batch,
      await countRows(db, id),
      await accountNow({ db, clock }, 'main'),
    );
  };
  await clock.drive(clock.sleep(5_500));
  assert.equal(await words('small'), 'its turn, with 2 rows of beside in between');
  await add('first', 'urgent', 40, 3);
  runner.nudge();
  await clock.drive(clock.sleep(2_000));
  const first = (await countRows(db, 'first')).get('ready') ?? 0;
  assert.ok(first > 35, `${first} rows`);
  assert.equal(
    await words('small'),
    `${first} rows of first to be sent first; then its turn, with 2 rows of beside in between`,
  );
  assert.equal(await words('first'), null);
  // It has sent its first rows, and waits for their ends: nobody waits for it.
  await db.execute(`UPDATE batches SET policy = '{"canary":{"rows":1}}' WHERE batch_id = 'first'`);
  assert.equal(await words('small'), 'its turn, with 2 rows of beside in between');
  runner.stop();
  await clock.drive(running);
});

test('an account that the service throttles says so whatever its rows wait for, and what a person can do if it is long', async () => {
  const rig = await makeRig({ settings: { idlePollMs: 1_000, leaseTtlMs: 15_000 } });
  const { db, clock } = rig;
  await rig.add(someRows(2));
  for (const row of [1, 2]) rig.service.ends(`run-1/ref-${row}`, 'open');
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await clock.drive(clock.sleep(5_000));
  const noted = await storedPace(db, 'main', clock.now());
  assert.ok(noted);
  const batch = await rig.batch();
  const words = async (ms: number | null, saidMs = ms ?? 0, unreachableSince: number | null = null) => {
    const now = clock.now();
    const throttle = ms === null ? null : { since: now, at: now, saidMs, until: now + ms };
    await savePace(db, 'main', { ...noted, gate: { throttle, unreachableSince } });
    return waitsFor(
      { db, clock, config: { accounts: new Map() } },
      batch,
      await countRows(db, batch.batch_id),
      await accountNow({ db, clock }, 'main'),
    );
  };
  assert.equal(await words(null), 'the service’s result for 2 rows');
  assert.equal(await words(30_000), 'the service, which makes the account wait (HTTP 429), 30 s more');
  assert.equal(
    await words(30_000, 30_000, clock.now() - 60_000),
    'the service, which makes the account wait (HTTP 429), 30 s more',
    'it answers no payment, but it is there',
  );
  assert.equal(
    await words(24 * 3_600_000),
    'the service, which makes the account wait (HTTP 429), 24 h more, until 2026-11-21 09:00:05 UTC: ' +
      'ask the service why; if that is its mistake, start airbatch again, not before 2026-11-20 09:15:05 UTC, so that it asks again at once',
  );
  assert.equal(
    await words(24 * 3_600_000, 30 * 24 * 3_600_000),
    'the service, which makes the account wait (HTTP 429) for 30 days; it is asked again in 24 h, ' +
      'at 2026-11-21 09:00:05 UTC: ask the service why; if that is its mistake, start airbatch again, ' +
      'not before 2026-11-20 09:15:05 UTC, so that it asks again at once',
  );
  runner.stop();
  await clock.drive(running);
});

test('rows in doubt are listed, with their next look-up, next to those that the service must finish', async () => {
  const rig = await makeRig({ settings: { idlePollMs: 1_000, leaseTtlMs: 15_000 } });
  const { db, clock } = rig;
  rig.service.script('run-1/ref-1', 'lose_answer');
  rig.service.ends('run-1/ref-2', 'open');
  await rig.add(someRows(2));
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await clock.drive(clock.sleep(5_000));
  const words = async () => {
    const batch = await rig.batch();
    const counts = await countRows(db, batch.batch_id);
    const account = await accountNow({ db, clock }, 'main');
    return waitsFor({ db, clock, config: { accounts: new Map() } }, batch, counts, account);
  };
  assert.match(
    (await words()) ?? '',
    /^the service’s result for 1 row; the next look-up of 1 row in doubt, in (8\d s|1 min \d+ s)$/,
  );
  await db.execute(`UPDATE rows SET next_action_at = ? WHERE status = 'in_doubt'`, [clock.now()]);
  assert.equal(await words(), 'the service’s result for 1 row; the next look-up of 1 row in doubt');
  runner.stop();
  await clock.drive(running);
});

test('if only a later look-up is left, a resume is advised for that time, since it has no effect before', async () => {
  const rig = await makeRig();
  const { db, clock } = rig;
  rig.service.script('run-1/ref-1', 'lose_answer');
  await rig.add(someRows(1));
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await clock.drive(clock.sleep(5_000));
  runner.stop();
  await clock.drive(running);
  const words = async () => {
    const account = await accountNow({ db, clock }, 'main');
    const counts = await countRows(db, 'batch-1');
    return waitsFor({ db, clock, config: { accounts: new Map() } }, await rig.batch(), counts, account);
  };
  assert.match(
    (await words()) ?? '',
    /^the next look-up of 1 row in doubt, in .*; a program must do it then, and none is running \[run\]$/,
  );
  await db.execute(`UPDATE rows SET next_action_at = ? WHERE status = 'in_doubt'`, [clock.now()]);
  assert.match((await words()) ?? '', /^a program to work on it: none is running/);
});

test('short pauses of an even pace are not reported as a wait, and longer ones are', async () => {
  const rig = await makeRig({ settings: { idlePollMs: 1_000, leaseTtlMs: 15_000 } });
  const { db, clock } = rig;
  await rig.add(someRows(90));
  await db.execute(`UPDATE batches SET status = 'running'`);
  const held = await takeLease(db, {
    account: 'main',
    holder: 'elsewhere/1/1',
    now: clock.now(),
    ttlMs: 60_000,
    deadHolder: null,
  });
  const words = async (nextMs: number, perWindow: number) => {
    const outlook = { ...idlePace.outlook, perWindow, nextAt: clock.now() + nextMs };
    await savePace(db, 'main', { ...idlePace, fence: held?.fence ?? 0, outlook });
    const batch = await rig.batch();
    const counts = await countRows(db, batch.batch_id);
    const account = await accountNow({ db, clock }, 'main');
    return waitsFor({ db, clock, config: { accounts: new Map() } }, batch, counts, account);
  };
  assert.equal(await words(2_000, 60), null);
  assert.equal(await words(7_000, 20), null);
  assert.equal(await words(4_000, 60), 'the service\u0027s rate limit, 4 s more');
});

test('overdue rows wait for the service or a person', async () => {
  const rig = await makeRig();
  const { db, clock } = rig;
  rig.service.ends('run-1/ref-1', 'open');
  await rig.add(someRows(2));
  // Nobody is waited for without end: it ends once the service has been asked after its time.
  await rig.run();
  const batch = await rig.batch();
  const counts = await countRows(db, batch.batch_id);
  const words = await waitsFor(
    { db, clock, config: { accounts: new Map() } },
    batch,
    counts,
    await accountNow({ db, clock }, 'main'),
  );
  assert.equal(
    words,
    'the service’s result for 1 overdue row, or a person to resolve it; no program asks the service now [resolve,run]',
  );
});

test('after a restore, a batch waits for the list of what was paid since, until it is read', async () => {
  const rig = await makeRig({ settings: { idlePollMs: 1_000, leaseTtlMs: 600_000 } });
  const { db, clock } = rig;
  await rig.add(someRows(3));
  const runner = rig.runner({ restored: true });
  const running = runner.run(Number.POSITIVE_INFINITY);
  const words = async () => {
    const batch = await rig.batch();
    const account = await accountNow({ db, clock }, 'main');
    return waitsFor(
      { db, clock, config: { accounts: new Map() } },
      batch,
      await countRows(db, batch.batch_id),
      account,
    );
  };
  await clock.drive(clock.sleep(30_000));
  assert.match((await words()) ?? '', /^the service’s list: the ledger was restored/);
  await clock.drive(clock.sleep(120_000));
  assert.doesNotMatch((await words()) ?? '', /restored/);
  assert.deepEqual(await rig.states(), ['completed', 'completed', 'completed']);
  runner.stop();
  await clock.drive(running);
});
