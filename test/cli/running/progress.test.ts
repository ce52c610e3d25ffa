import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeProgressLines, progressMsOf } from '../../../src/cli/running/progress.ts';
import { savePace, storedPace } from '../../../src/ledger/accounts/pace.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import type { OperationEvent } from '../../../src/operations/base/events.ts';
import { reportProgress } from '../../../src/operations/working/progress.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { idlePace } from '../../support/ledger.ts';

type Screen = Parameters<typeof makeProgressLines>[0];

function showProgress(screen: Screen, session: Pick<Rig, 'db' | 'clock'>, batchIds: string[]) {
  const emit = (event: OperationEvent) => {
    assert.equal(event.kind, 'progress');
    if (event.kind === 'progress') lines.show(event);
  };
  const lines = makeProgressLines(screen);
  return reportProgress({ session, emit, progressMs: progressMsOf(screen) }, batchIds);
}

/** What the screen shows of a batch as it stands, before its end and at its end. */
async function shown({ clock, db }: Rig, isInteractive = true) {
  const lines: string[] = [];
  const screen = {
    isInteractive,
    error: (text: string) => void lines.push(text.trimEnd()),
    show: ([line = '']: readonly string[]) => void lines.push(line.replaceAll('\u00a0', ' ').replace(/^ [█░]+ /, '')),
    keep: () => undefined,
  };
  const progress = showProgress(screen, { db, clock }, ['batch-1']);
  await clock.drive(clock.sleep(40_000).then(() => progress.end()));
  return { before: lines.at(-2), atEnd: lines.at(-1) };
}

test('a row in doubt is shown as such while others are sent, and at the end', async () => {
  const rig = await makeRig();
  rig.service.script('run-1/ref-1', 'lose_answer');
  await rig.add(someRows(3));
  await rig.run(60_000);
  // As they were before the service had ended them.
  await rig.db.execute(
    `UPDATE batch_counts SET count = CASE status WHEN 'in_doubt' THEN 1 WHEN 'accepted' THEN 2 ELSE 0 END`,
  );
  for (const isInteractive of [true, false]) {
    assert.deepEqual(await shown(rig, isInteractive), {
      before: '0 of 3 rows settled · 1 in doubt · 2 under way',
      atEnd: '0 of 3 rows settled · 1 in doubt',
    });
  }
});

test('if only doubts are left, the time of their look-up is shown', async () => {
  const rig = await makeRig();
  rig.service.script('run-1/ref-1', 'lose_answer');
  await rig.add(someRows(3));
  await rig.run(60_000);
  await rig.db.execute(
    `UPDATE batch_counts SET count = CASE status WHEN 'in_doubt' THEN 1 WHEN 'completed' THEN 2 ELSE 0 END`,
  );
  const lookupAt = rig.clock.now() + 115_000;
  await rig.db.execute(`UPDATE rows SET status = 'in_doubt', next_action_at = ? WHERE row_no = 1`, [lookupAt]);
  assert.deepEqual(await shown(rig, false), {
    before: '2 of 3 rows settled · 1 in doubt, looked up in 1 min 25 s',
    atEnd: '2 of 3 rows settled · 1 in doubt',
  });
});

test('a batch without doubts shows none', async () => {
  const rig = await makeRig();
  rig.service.script('run-1/ref-1', 'refuse');
  await rig.add(someRows(3));
  await rig.run(60_000);
  assert.deepEqual(await shown(rig), {
    before: '3 of 3 rows settled · 1 failed · reading what the reports need from the service',
    atEnd: '3 of 3 rows settled · 1 failed',
  });
  const single = await makeRig();
  await single.add(someRows(1));
  await single.run(60_000);
  assert.equal((await shown(single)).atEnd, '1 of 1 row settled');
});

/** A batch of so many rows that a runner works on, which last noted this. */
async function sending(unreachableForMs: number | null, rows = 90): Promise<Rig> {
  const rig = await makeRig();
  await rig.add(someRows(rows));
  const { db, clock } = rig;
  await db.execute(`UPDATE batches SET status = 'running'`);
  const at = clock.now();
  // The screen is looked at 40 s from now.
  const request = { account: 'main', holder: 'elsewhere/1/1', now: at, ttlMs: 60_000, deadHolder: null };
  const held = await takeLease(db, request);
  assert.ok(held);
  const unreachableSince = unreachableForMs === null ? null : at + 40_000 - unreachableForMs;
  const outlook = { ...idlePace.outlook, until: at + 100_000 };
  await savePace(db, 'main', { ...idlePace, fence: held.fence, outlook, gate: { throttle: null, unreachableSince } });
  return rig;
}

test('the time left is shown while it is sent, and an unreachable service is shown as the reason to wait', async () => {
  assert.equal((await shown(await sending(null))).before, '0 of 90 rows settled · 90 to send, about 1 min left');
  assert.equal(
    (await shown(await sending(125_000))).before,
    '0 of 90 rows settled · 90 to send; waits for the service: it has not answered properly for 2 min 5 s',
  );
});

test('rows of another batch that are sent first are shown, and counted in the time left', async () => {
  const rig = await sending(null);
  await rig.add(someRows(600), { batch_id: 'first', run_id: 'first', priority: 'urgent' });
  await rig.db.execute(`UPDATE batches SET status = 'running'`);
  assert.equal(
    (await shown(rig)).before,
    '0 of 90 rows settled · 90 to send, about 11 min left; waits for 600 rows of first to be sent first',
  );
});

test('a service that throttles the account is shown, with the time of the wait', async () => {
  const told = async (ms: number) => {
    const rig = await sending(null);
    const now = rig.clock.now();
    const fact = await storedPace(rig.db, 'main', now);
    assert.ok(fact);
    await savePace(rig.db, 'main', {
      ...fact,
      gate: { throttle: { since: now, at: now, saidMs: ms, until: now + 40_000 + ms }, unreachableSince: null },
    });
    return (await shown(rig)).before?.replace(/^.*; waits for /, '');
  };
  assert.equal(await told(30_000), 'the service, which makes the account wait (HTTP 429), 30 s more');
  assert.equal(
    await told(24 * 3_600_000),
    'the service, which makes the account wait (HTTP 429), 24 h more, until 2026-11-21 09:00:40 UTC',
  );
});

test('no time is promised for a paused batch', async () => {
  const rig = await sending(null);
  await rig.db.execute(`UPDATE batches SET status = 'paused'`);
  assert.equal((await shown(rig)).before, '0 of 90 rows settled · 90 to send, paused');
});

test('thousands are separated, as everywhere on the screen', async () => {
  // The rows of the twentieth window go as soon as it begins.
  const { before } = await shown(await sending(null, 1_200));
  assert.equal(before, '0 of 1,200 rows settled · 1,200 to send, about 19 min left');
});

test('if nobody watches, a line is written for each change, and from time to time as a sign of life', async () => {
  const { clock, db } = await sending(null);
  const lines: [minute: number, text: string][] = [];
  const from = clock.now();
  const error = (text: string) => void lines.push([Math.floor((clock.now() - from) / 60_000), text.trimEnd()]);
  const screen = { isInteractive: false, error, show: () => undefined, keep: () => undefined };
  await db.execute(`UPDATE batches SET status = 'paused'`);
  const progress = showProgress(screen, { db, clock }, ['batch-1']);
  const story = async () => {
    await clock.sleep(20 * 60_000);
    await db.execute(`UPDATE batch_counts SET count = 89 WHERE status = 'ready'`);
    await clock.sleep(5 * 60_000);
    await progress.end();
  };
  await clock.drive(story());
  assert.deepEqual(lines, [
    [0, '0 of 90 rows settled · 90 to send, paused'],
    [15, '0 of 90 rows settled · 90 to send, paused'],
    [20, '0 of 89 rows settled · 89 to send, paused'],
    [25, '0 of 89 rows settled'],
  ]);
});

test('a line that differs only in a duration is not written again', async () => {
  const rig = await sending(null);
  const { clock, db } = rig;
  const lines: string[] = [];
  const error = (text: string) => void lines.push(text.trimEnd());
  const screen = { isInteractive: false, error, show: () => undefined, keep: () => undefined };
  await db.execute('UPDATE leases SET expires_at = ?', [clock.now() + 3_600_000]);
  const fact = await storedPace(db, 'main', clock.now());
  assert.ok(fact);
  await savePace(db, 'main', { ...fact, gate: { throttle: null, unreachableSince: clock.now() } });
  const progress = showProgress(screen, { db, clock }, ['batch-1']);
  await clock.drive(clock.sleep(10 * 60_000).then(() => progress.end()));
  assert.deepEqual(lines, [
    '0 of 90 rows settled · 90 to send; waits for the service: it has not answered properly for 30 s',
    '0 of 90 rows settled',
  ]);
});
