import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { saveNewsSince } from '../../../src/ledger/schema/ledger-state.ts';
import { newsKinds } from '../../../src/notify/recipients.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { makeNotifier } from '../../../src/runtime/upkeep/notifier.ts';
import { clockOf, signedBy, testLedger, writeSampleBatch } from '../../reports/fixture.ts';
import { folderOf } from '../../support/folder.ts';
import { httpServer } from '../../support/http-server.ts';

/**
 * A batch that has just ended and has no reports yet, and what a chat is told while the program looks again and again.
 */
async function justEnded(t: TestContext) {
  const told: string[] = [];
  const { url } = await httpServer(t, (_request, body, response) => {
    told.push(JSON.parse(body.toString()).text.split('\n')[0]);
    response.end();
  });
  const out = folderOf(t);
  const key = await openSigningKey(join(out, 'key.pem'));
  const db = await testLedger(t);
  await saveNewsSince(db, 0);
  await writeSampleBatch(db);
  const ledgerClock = clockOf(db);
  let after = 0;
  let looks = 0;
  const now = () => ledgerClock.now() + after;
  // The rest between two looks takes no time, and a deadline never comes.
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
      if (ms > 5_000) return;
      looks += 1;
      setTimeout(resolve, 5);
    });
  const config = {
    out,
    mail: null,
    secrets: [],
    console: {},
    notifications: [{ id: 'chat ops', kind: 'chat', url: { value: url }, on: newsKinds }],
  };
  const log = { info: () => undefined, warn: (message: string) => assert.fail(message) };
  const clock = { ...systemClock, now, sleep };
  const word = makeNotifier({ db, clock, log, config, ledgerPath: ':memory:' } as unknown as Session, {
    recipients: [],
    accountOf: () => null,
  });
  return {
    told,
    word,
    report: () => writeReports(db, 'B-1', out, signedBy(db, key)),
    /** Some looks later. */
    async looked(laterMs = 0) {
      after += laterMs;
      for (const until = looks + 5; looks < until; ) await systemClock.sleep(2);
    },
  };
}

test('the end of a batch is notified once its reports exist, which go with the message', async (t) => {
  const { told, word, report, looked } = await justEnded(t);
  word.keep();
  await looked();
  assert.deepEqual(told, []);
  await report();
  await looked();
  assert.equal(told.length, 1);
  await word.stop();
  assert.equal(told.length, 1);
});

test('reports that cannot be written delay the notification for ten minutes at most', async (t) => {
  const { told, word, looked } = await justEnded(t);
  word.keep();
  await looked(9 * 60_000);
  assert.deepEqual(told, []);
  await looked(60_000);
  assert.equal(told.length, 1);
  await word.stop();
});

test('a program that ends notifies the end of a batch whatever happened to its reports', async (t) => {
  const { told, word, looked } = await justEnded(t);
  word.keep();
  await looked();
  await word.stop();
  assert.equal(told.length, 1);
});
