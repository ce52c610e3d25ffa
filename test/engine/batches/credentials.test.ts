import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import type { ListQuery } from '../../../src/gateway/contract/gateway.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow, setPause } from '../../support/ledger.ts';

const minute = 60_000;
const pauses = ({ warnings }: Rig) => warnings.filter((message) => message === 'the account is paused').length;

/** Runs until the program ends by itself. Returns how long that took (ms). */
async function timeRun(rig: Rig): Promise<number> {
  const from = rig.clock.now();
  await rig.run(20 * minute);
  return rig.clock.now() - from;
}

/** Four rows of which two are in doubt and two were not sent: the first run ended before it looked them up. */
async function twoInDoubt(idlePollMs = 1_000): Promise<Rig> {
  const rig = await makeRig({ settings: { idlePollMs } });
  for (const ref of [1, 2]) rig.service.script(`run-1/ref-${ref}`, 'lose_answer');
  await rig.add([...someRows(2), aRow(3, { status: 'held' }), aRow(4, { status: 'held' })]);
  await rig.run(minute);
  assert.deepEqual(await rig.states(), ['in_doubt', 'in_doubt', 'held', 'held']);
  return rig;
}

describe('credentials that the service refuses', () => {
  test('end a run with rows in doubt as soon as one look-up is refused, and are reported once', async () => {
    const rig = await twoInDoubt();
    Object.assign(rig.service.refuses, { creations: true, reads: true });
    // The look-ups are due 90 s after the sending; they are not made a second time.
    assert.ok((await timeRun(rig)) < 2 * minute);
    assert.equal(rig.service.lookUps.length, 2);
    assert.equal(pauses(rig), 1);
    assert.deepEqual((await rig.states()).slice(0, 2), ['in_doubt', 'in_doubt']);
    assert.deepEqual(rig.warnings, ['the account is paused']);
    const batch = await rig.batch();
    assert.deepEqual([batch.status, batch.pause_reason], ['paused', 'credentials_rejected']);
  });

  test('end a run if a payment is refused, long before the first look-up is due', async () => {
    const rig = await twoInDoubt();
    await rig.db.execute(`UPDATE rows SET status = 'ready' WHERE status = 'held'`);
    await rig.db.execute(`UPDATE rows SET next_action_at = next_action_at + 600000 WHERE status = 'in_doubt'`);
    Object.assign(rig.service.refuses, { creations: true, reads: true });
    assert.ok((await timeRun(rig)) < 10_000);
    assert.equal(rig.service.lookUps.length, 0);
    assert.equal(pauses(rig), 1);
    assert.deepEqual(await rig.states(), ['in_doubt', 'in_doubt', 'ready', 'ready']);
    assert.equal((await rig.batch()).pause_reason, 'credentials_rejected');
  });

  test('end a run even if the rows in doubt belong to a batch that a person paused', async () => {
    const rig = await twoInDoubt();
    await setPause(rig.db, 'by_person');
    Object.assign(rig.service.refuses, { creations: true, reads: true });
    assert.ok((await timeRun(rig)) < 2 * minute);
    assert.equal(pauses(rig), 1);
    assert.equal((await rig.batch()).pause_reason, 'by_person');
  });

  test('end a run if they may read the balance but may not pay', async () => {
    const rig = await twoInDoubt();
    Object.assign(rig.service.refuses, { creations: true, reads: true });
    rig.service.balance = async () => ({
      kind: 'balance',
      balance: { total: { value: '9', currency: 'USD' }, wallets: [], readAt: rig.clock.now() },
    });
    assert.ok((await timeRun(rig)) < 2 * minute);
    assert.equal(pauses(rig), 1);
    assert.deepEqual((await rig.states()).slice(0, 2), ['in_doubt', 'in_doubt']);
  });

  test('that may still read follow sent rows to their end', async () => {
    const rig = await twoInDoubt();
    await rig.db.execute(`UPDATE rows SET status = 'ready' WHERE status = 'held'`);
    rig.service.refuses.creations = true;
    await rig.run(20 * minute);
    assert.deepEqual(await rig.states(), ['completed', 'completed', 'ready', 'ready']);
    assert.equal(pauses(rig), 1);
  });

  for (const [what, first, endsSoon] of [
    [
      'end a run once it is told whether they may read, which it may have to wait for',
      { kind: 'throttled', retryAfterMs: 5_000 },
      true,
    ],
    ['end no run where that gets no answer, which is asked for once', { kind: 'unavailable' }, false],
  ] as const)
    test(what, async () => {
      // No poll asks again.
      const rig = await twoInDoubt(10 * minute);
      await rig.db.execute(`UPDATE rows SET status = 'ready' WHERE status = 'held'`);
      const { list } = rig.service;
      assert.ok(list);
      const evidence = { httpStatus: 503, code: 'http_503', message: 'offline', requestId: null };
      const askedAt: number[] = [];
      const isAsked = (query: ListQuery) => query.perPage === 1 && askedAt.push(rig.clock.now()) === 1;
      const answer = async (query: ListQuery) => (isAsked(query) ? { ...first, evidence } : list(query));
      Object.assign(rig.service, { list: answer });
      Object.assign(rig.service.refuses, { creations: true, reads: endsSoon });
      const lasted = await timeRun(rig);
      if (!endsSoon) {
        assert.equal(askedAt.length, 1);
        assert.deepEqual((await rig.states()).slice(0, 2), ['completed', 'completed']);
        return;
      }
      assert.ok(lasted < minute, `${lasted} ms`);
      assert.equal(askedAt.length, 2);
      const apartMs = (askedAt[1] ?? 0) - (askedAt[0] ?? 0);
      assert.ok(apartMs >= 5_000 && apartMs < 6_000, `${apartMs} ms apart`);
    });

  test('are reported again if a person resumes the batch and they are still refused', async () => {
    const rig = await makeRig({ settings: { idlePollMs: 1_000 } });
    rig.service.refuses.creations = true;
    await rig.add(someRows(2));
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(10_000));
    assert.equal(pauses(rig), 1);
    await resumeBatch({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1');
    await rig.clock.drive(rig.clock.sleep(10_000));
    assert.equal(pauses(rig), 2);
    runner.stop();
    await rig.clock.drive(running);
  });
});
