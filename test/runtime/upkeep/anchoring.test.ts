import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { makeAnchoring } from '../../../src/runtime/upkeep/anchoring.ts';
import { httpServer } from '../../support/http-server.ts';
import { aBatch, addBatch, memoryLedger } from '../../support/ledger.ts';

/** An address for heads that answers as it is told, and a clock whose sleepers sleep until they are woken. */
async function place(t: TestContext) {
  const heads: string[] = [];
  const requests: ServerResponse[] = [];
  const is: { status: number | null } = { status: 503 };
  const { url } = await httpServer(t, (_request, body, response) => {
    requests.push(response);
    if (is.status === 200) heads.push(JSON.parse(body.toString()).batch_id);
    if (is.status !== null) response.writeHead(is.status).end();
  });
  const sleepers = new Map<() => void, number>();
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        sleepers.delete(wake);
        resolve();
      };
      sleepers.set(wake, ms);
      signal?.addEventListener('abort', wake, { once: true });
      if (signal?.aborted) wake();
    });
  const asleep = () => [...sleepers.values()];
  const wakeAll = () => {
    for (const wake of sleepers.keys()) wake();
  };
  const db = await memoryLedger();
  const clock = { ...systemClock, sleep };
  const log = { info: () => undefined, warn: () => undefined };
  const config = { anchors: [{ kind: 'url', url }] };
  const anchoring = makeAnchoring({ db, clock, random: systemRandom, log, config } as unknown as Session);
  t.after(() => anchoring.stop());
  const end = (batch_id: string) =>
    addBatch(db, clock, aBatch({ batch_id, run_id: batch_id, status: 'completed', completed_at: 1 }), []);
  /** What comes over a connection comes when it comes. */
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await systemClock.sleep(2);
  };
  return { heads, requests, is, anchoring, end, asleep, wakeAll, until };
}

test('an anchor place that fails is tried ever less often, delays no further batch, and gets every head when it works again', async (t) => {
  const { heads, requests, is, anchoring, end, asleep, wakeAll, until } = await place(t);
  await end('a');
  await anchoring.put();
  for (const batch of ['b', 'c', 'd']) {
    await end(batch);
    await anchoring.put();
  }
  assert.equal(requests.length, 1);
  const waits: number[] = [];
  for (let failures = 1; failures <= 12; failures++) {
    await until(() => asleep().length > 0);
    waits.push(...asleep());
    assert.equal(requests.length, failures);
    if (failures === 12) is.status = 200;
    wakeAll();
  }
  assert.deepEqual(
    waits.map((ms) => ms / 1_000),
    [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600],
  );
  await until(() => heads.length === 4);
  assert.deepEqual(heads, ['a', 'b', 'c', 'd']);
});

test('an anchor place that does not answer delays one batch, for 20 s at most, and never the end of the program', async (t) => {
  const { requests, is, anchoring, end, asleep, wakeAll, until } = await place(t);
  is.status = null;
  await end('a');
  const first = anchoring.put();
  await until(() => requests.length === 1);
  assert.deepEqual(asleep(), [20_000]);
  wakeAll();
  await first;
  await end('b');
  await anchoring.put();
  assert.equal(requests.length, 1);
  await anchoring.stop();
});

test('a head that arrives while the place is busy is anchored as well', async (t) => {
  const { heads, requests, is, anchoring, end, wakeAll, until } = await place(t);
  is.status = null;
  await end('a');
  const first = anchoring.put();
  await until(() => requests.length === 1);
  wakeAll();
  await first;
  await end('b');
  await anchoring.put();
  is.status = 200;
  requests[0]?.writeHead(200).end();
  await until(() => heads.length === 1);
  assert.deepEqual(heads, ['b']);
});
