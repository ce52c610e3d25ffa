import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedPace, storedThrottleOf } from '../../../src/ledger/accounts/pace.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const second = 1_000;
const minute = 60_000;
/** How often what it was told is noted anew. */
const pollMs = 10_000;

/** The next payments are told to wait for so long, one after another. */
function tellToWait({ service }: Rig, ...waits: number[]): void {
  const { create } = service;
  service.create = async (request) => {
    const retryAfterMs = waits.shift();
    if (retryAfterMs === undefined) return create(request);
    request.beforeWrite?.();
    const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: `r-${waits.length}` };
    return { kind: 'throttled', retryAfterMs, evidence };
  };
}

async function told(...waits: number[]) {
  const rig = await makeRig({ jobsAtOnce: 1, settings: { idlePollMs: pollMs } });
  tellToWait(rig, ...waits);
  await rig.add(someRows(2));
  const runner = rig.runner();
  const begunAt = rig.clock.now();
  const running = runner.run(36 * 60 * minute);
  const noted = async (afterMs: number) => {
    await rig.clock.drive(rig.clock.sleep(begunAt + afterMs - rig.clock.now()));
    const wait = (await storedPace(rig.db, 'main', rig.clock.now()))?.gate.throttle;
    return wait && [wait.since - begunAt, wait.until - begunAt, wait.saidMs].map((ms) => Math.round(ms / minute));
  };
  const firstSentMs = () => (rig.service.creates[0]?.at ?? Number.NaN) - begunAt;
  return { rig, runner, running, noted, firstSentMs };
}

test('a wait of hours is logged once, stored with its end, and kept', async () => {
  const { rig, running, noted, firstSentMs } = await told(120 * minute);
  assert.deepEqual(await noted(pollMs + 2_000), [0, 120, 120]);
  assert.deepEqual(rig.warnings, [
    'the service makes the account wait for a long time, and airbatch sends nothing until then: ask the service why',
  ]);
  assert.deepEqual(await noted(119 * minute), [0, 120, 120]);
  assert.equal((await noted(120 * minute + pollMs + 3_000)) ?? null, null, 'it is over');
  assert.ok(firstSentMs() >= 120 * minute, `${firstSentMs()} ms`);
  await rig.clock.drive(running);
  assert.deepEqual(await rig.states(), ['completed', 'completed']);
  assert.equal(rig.warnings.length, 1);
});

test('a wait of more than a day is kept for a day, and the service’s time is stored with it', async () => {
  const day = 24 * 60;
  const { rig, runner, running, noted } = await told(30 * day * minute);
  assert.deepEqual(await noted(pollMs + 2_000), [0, day, 30 * day]);
  runner.stop();
  await rig.clock.drive(running);
});

test('short waits one after another are one long wait, reported once it lasts for a quarter of an hour', async () => {
  const { rig, running, noted } = await told(...Array<number>(20).fill(minute));
  assert.deepEqual(await noted(5 * minute + pollMs + 5_000), [0, 6, 1]);
  assert.equal(rig.warnings.length, 0);
  assert.deepEqual(await noted(16 * minute + pollMs + 5_000), [0, 17, 1]);
  assert.equal(rig.warnings.length, 1);
  await rig.clock.drive(running);
  assert.equal(rig.warnings.length, 1);
});

test('a service that asks for a second each time, for ever, is asked ever less often, down to once a minute', async () => {
  const rig = await makeRig({ jobsAtOnce: 1, settings: { idlePollMs: pollMs } });
  const askedAt: number[] = [];
  rig.service.create = async (request) => {
    request.beforeWrite?.();
    askedAt.push(rig.clock.now());
    const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: `r-${askedAt.length}` };
    return { kind: 'throttled', retryAfterMs: second, evidence };
  };
  await rig.add(someRows(2));
  const runner = rig.runner();
  const running = runner.run(36 * 60 * minute);
  await rig.clock.drive(rig.clock.sleep(10 * minute));
  runner.stop();
  await rig.clock.drive(running);
  const gaps = askedAt.slice(1).map((at, index) => Math.round((at - (askedAt[index] ?? 0)) / second));
  assert.deepEqual(gaps.slice(0, 8), [1, 1, 2, 4, 8, 16, 32, 60]);
  assert.ok(askedAt.length < 20, `${askedAt.length} requests in 10 minutes`);
});

test('a long wait after a short one is a wait of its own', async () => {
  const { rig, running, noted } = await told(20 * minute, 60 * minute);
  assert.deepEqual(await noted(pollMs + 5_000), [0, 20, 20]);
  assert.deepEqual(await noted(21 * minute), [20, 80, 60]);
  assert.equal(rig.warnings.length, 2);
  await rig.clock.drive(running);
});

test('nothing is sent during a wait that answered the balance request before a batch', async () => {
  const rig = await makeRig();
  const { balance } = rig.service;
  const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: 'r-1' };
  const askedAt: number[] = [];
  rig.service.balance = async () => {
    askedAt.push(rig.clock.now());
    return askedAt.length === 1 ? { kind: 'throttled', retryAfterMs: 20 * minute, evidence } : balance();
  };
  await rig.add(someRows(2), { policy: JSON.stringify({ shortBalance: 'pause' }) });
  await rig.run();
  assert.deepEqual(await rig.states(), ['completed', 'completed']);
  const firstAt = Math.min(...rig.service.creates.map(({ at }) => at));
  const [loggedAt = Number.NaN, againAt = Number.NaN] = askedAt;
  assert.ok(firstAt >= loggedAt + 20 * minute, `${firstAt - loggedAt} ms`);
  assert.ok(againAt >= loggedAt + 20 * minute, `${againAt - loggedAt} ms`);
  assert.equal(rig.warnings.length, 1, 'a long wait is logged, whatever was asked');
});

/**
 * A program that is told to wait for so long, ends after so long, and another one that begins then. Returns when that
 * asks anew (ms from the first).
 */
async function startedAgain(waitMs: number, afterMs: number) {
  const rig = await makeRig({ jobsAtOnce: 1, settings: { idlePollMs: pollMs } });
  tellToWait(rig, waitMs);
  await rig.add(someRows(2));
  const begunAt = rig.clock.now();
  const first = rig.runner();
  const running = first.run(36 * 60 * minute);
  await rig.clock.drive(rig.clock.sleep(afterMs));
  first.stop();
  await rig.clock.drive(running);
  const second = rig.runner();
  const runningOn = second.run(36 * 60 * minute);
  await rig.clock.drive(rig.clock.sleep(2_000));
  const wait = (await storedPace(rig.db, 'main', rig.clock.now()))?.gate.throttle ?? null;
  await rig.clock.drive(runningOn);
  assert.deepEqual(await rig.states(), ['completed', 'completed']);
  const sentMs = (rig.service.creates[0]?.at ?? Number.NaN) - begunAt;
  return { sentMs, notedMs: wait && wait.until - begunAt, saidMs: wait?.saidMs };
}

/**
 * The wait that the ledger tells of after each of its transactions, and whether the row is told by then to wait for
 * its turn again.
 */
async function whatLasts(tell: (rig: Rig) => void) {
  const rig = await makeRig({ jobsAtOnce: 1 });
  tell(rig);
  await rig.add(someRows(1), { policy: JSON.stringify({ shortBalance: 'pause' }) });
  const lasting: { promisedMs: number | null; isGivenBack: boolean }[] = [];
  const { transact } = rig.db;
  rig.db.transact = async (work) => {
    const result = await transact(work);
    const told = await storedThrottleOf(rig.db, 'main');
    const [given] = await rig.db.query(`SELECT 1 FROM events WHERE kind = 'row.unsent'`);
    lasting.push({ promisedMs: told && told.until - told.at, isGivenBack: given !== undefined });
    return result;
  };
  const runner = rig.runner();
  const running = runner.run(36 * 60 * minute);
  // Long before the pace is noted again, which tells of it as well.
  await rig.clock.drive(rig.clock.sleep(1_000));
  const { length } = lasting;
  runner.stop();
  await rig.clock.drive(running);
  return lasting.slice(0, length);
}

test('a wait survives a kill, and the ledger releases the throttled row only after it', async () => {
  const lasting = await whatLasts((rig) => tellToWait(rig, 10 * minute));
  const givenBack = lasting.filter(({ isGivenBack }) => isGivenBack);
  assert.ok(givenBack.length > 0);
  assert.ok(givenBack.every(({ promisedMs }) => promisedMs === 10 * minute));
});

test('a wait survives a kill also if a read received it', async () => {
  const lasting = await whatLasts(({ service }) => {
    const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: null };
    service.balance = async () => ({ kind: 'throttled', retryAfterMs: 5_000, evidence });
  });
  assert.equal(lasting.at(-1)?.promisedMs, 5_000);
});

test('a long wait that another part received, such as the look-ups of a file, is stored like the runner’s own', async () => {
  const rig = await makeRig();
  const limiter = makeOpenLimiter(rig.clock);
  limiter.hold('catalog', 120 * minute);
  await rig.add(someRows(2));
  const begunAt = rig.clock.now();
  const running = rig.runner({ limiter }).run(36 * 60 * minute);
  await rig.clock.drive(rig.clock.sleep(1_000));
  const { since, until, saidMs } = (await storedPace(rig.db, 'main', rig.clock.now()))?.gate.throttle ?? {};
  assert.deepEqual([since, until, saidMs], [begunAt, begunAt + 120 * minute, 120 * minute]);
  await rig.clock.drive(running);
  assert.ok((rig.service.creates[0]?.at ?? 0) >= begunAt + 120 * minute);
});

test('a batch that ends while the account is throttled for long is completed without its last balance', async () => {
  const rig = await makeRig();
  const limiter = makeOpenLimiter(rig.clock);
  limiter.hold('read', 120 * minute);
  await rig.add([aRow(1, { status: 'skipped' })]);
  await rig.clock.drive(rig.runner({ limiter }).run(10 * minute));
  const { status, completed_at, started_at } = await rig.batch();
  assert.deepEqual([status, (completed_at ?? Infinity) - (started_at ?? 0) < minute], ['completed', true]);
});

test('a restarted program continues the stored wait, and records that', async () => {
  const { sentMs, notedMs, saidMs } = await startedAgain(10 * minute, 2 * minute);
  assert.ok(sentMs >= 10 * minute && sentMs < 11 * minute, `${sentMs} ms`);
  assert.ok(notedMs && Math.abs(notedMs - 10 * minute) < 1_000, `${notedMs} ms`);
  assert.equal(saidMs, 10 * minute);
});

test('a restarted program asks again a quarter of an hour after the beginning of a wait that no limit explains', async () => {
  const soon = await startedAgain(120 * minute, 2 * minute);
  assert.ok(soon.sentMs >= 15 * minute && soon.sentMs < 16 * minute, `${soon.sentMs} ms`);
  assert.equal(soon.saidMs, 120 * minute);
  const later = await startedAgain(120 * minute, 40 * minute);
  assert.ok(later.sentMs >= 40 * minute && later.sentMs < 41 * minute, `${later.sentMs} ms`);
  assert.equal(later.notedMs, null);
});

test('a batch that only has its balance left to read ends without it if that request is throttled for long', async () => {
  for (const [waitMs, isRead] of [
    [minute, true],
    [24 * 60 * minute, false],
  ] as const) {
    const rig = await makeRig();
    const { balance } = rig.service;
    let told = 0;
    rig.service.balance = async () => {
      told += 1;
      const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: null };
      return told === 1 ? { kind: 'throttled', retryAfterMs: waitMs, evidence } : balance();
    };
    await rig.add(someRows(2));
    await rig.run();
    const batch = await rig.batch();
    assert.equal(batch.status, 'completed');
    assert.equal(batch.balance_after !== null, isRead);
    assert.ok((batch.completed_at ?? Infinity) - (batch.started_at ?? 0) < 10 * minute);
  }
});

test('a request whose intent is still being written when the service says to wait is not made', async () => {
  const rig = await makeRig({ paceMs: 200 });
  const { transact } = rig.db;
  let isSlow = false;
  rig.db.transact = async (work) => {
    const result = await transact(work);
    if (isSlow) await rig.clock.sleep(2_000);
    return result;
  };
  const { create } = rig.service;
  const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: 'r-1' };
  rig.service.create = async (request) => {
    request.beforeWrite?.();
    isSlow = true;
    await rig.clock.sleep(1_000);
    [isSlow, rig.service.create] = [false, create];
    return { kind: 'throttled', retryAfterMs: minute, evidence };
  };
  await rig.add(someRows(4));
  const begunAt = rig.clock.now();
  await rig.run();
  assert.equal(rig.service.creates.length, 4);
  assert.deepEqual(
    rig.service.creates.filter(({ at }) => at < begunAt + minute),
    [],
  );
  const held = await rig.db.query(`SELECT body FROM events WHERE kind = 'row.unsent' AND body NOT LIKE '%429%'`);
  assert.ok(held.length > 0, 'an intent was written meanwhile');
  // Neither the 429 nor what was held back counts as an attempt.
  for (const rowNo of [1, 2, 3, 4]) assert.equal((await rig.row(rowNo)).attempts, 1);
});
