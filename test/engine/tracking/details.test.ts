import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ThrottleWait } from '../../../src/core/time/throttle-wait.ts';
import { readDetailsNow } from '../../../src/engine/tracking/details.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import type { Limiter } from '../../../src/limiter/limiter.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { testService } from '../../support/ledger.ts';
import { makeVirtualLimiter } from '../../support/virtual-limiter.ts';

const second = 1_000;

/** Notes when a single payment is read, and the provider's references that are known when the batch has ended. */
async function payOut(rig: Rig, rows: number): Promise<{ readAt: number[]; sentAt: number; references: number }> {
  const { read } = rig.service;
  const readAt: number[] = [];
  rig.service.read = async (payment) => {
    readAt.push(rig.clock.now());
    return read(payment);
  };
  await rig.add(someRows(rows));
  await rig.run();
  const found = await Promise.all(someRows(rows).map(({ row_no }) => rig.row(row_no)));
  const references = found.filter(({ provider_reference }) => provider_reference !== null).length;
  return { readAt, sentAt: rig.service.charges.at(-1)?.at ?? 0, references };
}

describe('details that the list does not show', () => {
  test('are read once a row, after the last row was sent', async () => {
    const rig = await makeRig({ paceMs: second, settings: { idlePollMs: second } });
    const { readAt, sentAt, references } = await payOut(rig, 40);
    assert.equal(readAt.length, 40);
    assert.deepEqual(
      readAt.filter((at) => at < sentAt),
      [],
    );
    assert.equal(references, 40);
    assert.equal((await rig.batch()).status, 'completed');
  });

  test('are not read in a large batch', async () => {
    const rig = await makeRig({ settings: { detailRowsMax: 39, idlePollMs: second } });
    const { readAt, references } = await payOut(rig, 40);
    assert.deepEqual([readAt.length, references], [0, 0]);
  });

  test('are left out after a read without an answer, and the batch ends all the same', async () => {
    const rig = await makeRig({ settings: { idlePollMs: second } });
    rig.service.read = async () => ({
      kind: 'unavailable',
      evidence: { httpStatus: 503, code: 'down', message: 'down', requestId: null },
    });
    await rig.add(someRows(10));
    await rig.run();
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    assert.equal((await rig.batch()).status, 'completed');
  });
});

/** A person opens the pages of `rows`, one each second, again while its details are not read. Returns the references. */
async function lookAt(rig: Rig, limiter: Limiter, rows: readonly number[]): Promise<(string | null)[]> {
  const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'console' as const };
  const service = { service: testService, gateway: rig.service, limiter };
  const seen: (string | null)[] = [];
  for (const rowNo of rows)
    for (let isUnread = true; isUnread; ) {
      const shown = await readDetailsNow(mary, service, await rig.batch(), await rig.row(rowNo));
      isUnread = shown.isUnread;
      if (!isUnread) seen.push(shown.row.provider_reference);
      await rig.clock.sleep(second);
    }
  return seen;
}

describe('details of a row that a person looks at', () => {
  test('are read once, and stored without an event', async () => {
    const rig = await makeRig({ settings: { detailRowsMax: 0, idlePollMs: second } });
    const { readAt } = await payOut(rig, 2);
    assert.equal(readAt.length, 0);
    const events = (await pageEvents(rig.db, 'batch-1', 0, 1_000)).length;
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock: rig.clock });
    assert.deepEqual(await rig.clock.drive(lookAt(rig, limiter, [2, 2])), ['p-1', 'p-1']);
    assert.deepEqual([readAt.length, (await rig.row(1)).provider_reference], [1, null]);
    assert.equal((await pageEvents(rig.db, 'batch-1', 0, 1_000)).length, events);
  });

  test('leave the reads to the next batch that sends: it ends when it would end without them', async () => {
    const ends: (number | null)[] = [];
    for (const looks of [0, 40]) {
      const rig = await makeRig({ settings: { detailRowsMax: 0, idlePollMs: second }, settleMs: 3 * second });
      await payOut(rig, 40);
      const limits = { read: { limit: 24, windowMs: 60 * second } };
      const limiter = makeVirtualLimiter({ version: 'v2', limits }, { clock: rig.clock });
      await rig.add(someRows(160).slice(40), { batch_id: 'batch-2', run_id: 'run-2' });
      const rows = Array.from({ length: looks }, (_, index) => index + 1);
      const runner = rig.runner({ limiter });
      const looking = async () => {
        const seen = await lookAt(rig, limiter, rows);
        while ((await rig.batch('batch-2')).completed_at === null) await rig.clock.sleep(second);
        runner.stop();
        return seen;
      };
      const [seen] = await rig.clock.drive(Promise.all([looking(), runner.run(Number.POSITIVE_INFINITY)]));
      assert.deepEqual(
        seen,
        rows.map(() => 'p-1'),
        'every detail is read in the end',
      );
      ends.push((await rig.batch('batch-2')).completed_at);
    }
    assert.equal(ends[1], ends[0]);
  });

  test('are asked for again where the service has not answered, and never at another service', async () => {
    const rig = await makeRig({ settings: { detailRowsMax: 0, idlePollMs: second } });
    await payOut(rig, 1);
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock: rig.clock });
    const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'console' as const };
    const waits: number[] = [];
    const onWait = ({ saidMs }: ThrottleWait) => void waits.push(saidMs);
    const read = async (service: string) =>
      rig.clock.drive(
        readDetailsNow(mary, { service, gateway: rig.service, limiter, onWait }, await rig.batch(), await rig.row(1)),
      );
    const evidence = { httpStatus: 429, code: 'throttled', message: 'slow down', requestId: null };
    const asked: string[] = [];
    rig.service.read = async ({ topupId }) => {
      asked.push(topupId);
      return { kind: 'throttled', retryAfterMs: 60_000, evidence };
    };
    assert.equal((await read('https://elsewhere.example/v2')).isUnread, false);
    assert.equal(asked.length, 0);
    assert.equal((await read(testService)).isUnread, true);
    assert.equal(limiter.isHeld('creation'), true, 'the whole account waits after a 429');
    assert.deepEqual(waits, [60_000], 'the wait is shown or logged');
    assert.equal((await read(testService)).isUnread, true);
    assert.equal(asked.length, 1, 'a throttled account is not asked');
  });
});
