import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { idempotencyKey } from '../../../src/core/identity/ids.ts';
import { cancelUnsent, pauseBatch, resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { cancelRowsLeft } from '../../../src/engine/batches/cancelled-rows.ts';
import type { CreateRequest } from '../../../src/gateway/contract/gateway.ts';
import { storedPace } from '../../../src/ledger/accounts/pace.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { countRows } from '../../../src/ledger/batches/row-counts.ts';
import { findLease } from '../../../src/ledger/schema/lease-table.ts';
import { failOncePausing, makeRig, type Rig, someRows } from '../../support/engine.ts';
import { v1Policy } from '../../support/fake-service.ts';
import { aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const minute = 60_000;

describe('the engine', () => {
  test('pays every row once and completes the batch', async () => {
    const rig = await makeRig();
    await rig.add(someRows(25));
    await rig.run();
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    assert.equal(rig.service.charges.length, 25);
    assert.equal(new Set(rig.service.charges.map(({ reference }) => reference)).size, 25);
    const batch = await rig.batch();
    assert.equal(batch.status, 'completed');
    assert.match(batch.balance_after ?? '', /"975"/);
    const row = await rig.row(7);
    assert.deepEqual([row.provider_reference, row.cost, row.attempts], ['p-1', '1', 1]);
  });

  test('sends the last rows of a batch with those before them', async () => {
    for (const [rows, weights] of [
      [5, [5]],
      [8, [4, 4]],
      [13, [4, 4, 5]],
      [3, [3]],
    ] as const) {
      const rig = await makeRig({ settings: { rowsPerAdmission: 4 } });
      const limiter = makeOpenLimiter(rig.clock);
      const admitted: number[] = [];
      const admit: typeof limiter.admit = (name, job, weight = 1) => {
        if (name === 'creation') admitted.push(weight);
        return limiter.admit(name, job, weight);
      };
      await rig.add(someRows(rows));
      await rig.clock.drive(rig.runner({ limiter: { ...limiter, admit } }).run(3_600_000));
      assert.deepEqual(admitted, weights);
      assert.equal(rig.service.charges.length, rows);
    }
  });

  test('starts no more jobs than it has rows, also if the limiter starts them at once', async () => {
    const rig = await makeRig();
    const limiter = makeOpenLimiter(rig.clock);
    let admitted = 0;
    const admit: typeof limiter.admit = (name, job, weight = 1) => {
      if (name !== 'creation') return limiter.admit(name, job, weight);
      admitted += weight;
      assert.ok(admitted <= 3);
      return job(weight, () => undefined);
    };
    await rig.add(someRows(3));
    await rig.clock.drive(rig.runner({ limiter: { ...limiter, admit } }).run(3_600_000));
    assert.equal(admitted, 3);
    assert.equal(rig.service.charges.length, 3);
  });

  test('does the same if the service has no list', async () => {
    const rig = await makeRig({ list: false, policy: { ...v1Policy, sameNumberSpacingMs: 0 } });
    await rig.add(someRows(25));
    await rig.run();
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    assert.equal(rig.service.charges.length, 25);
  });

  test('reads a failure with its reason from a full read', async () => {
    const rig = await makeRig({ settings: { detailRowsMax: 0 } });
    rig.service.ends('run-1/ref-2', 'failed');
    await rig.add(someRows(3));
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed', 'failed', 'completed']);
    const row = await rig.row(2);
    assert.deepEqual([row.failure_code, row.failure_reason, row.cost], ['DECLINED', 'declined', '0']);
    assert.equal((await rig.row(1)).provider_reference, null);
  });

  test('keeps the reason of a failure without phone numbers in the audit chain, and complete in the row, which can be forgotten', async () => {
    const rig = await makeRig();
    const { read } = rig.service;
    const failureReason = '0712 405 118 is barred';
    rig.service.read = async (payment) => {
      const found = await read(payment);
      return found.kind === 'found'
        ? { ...found, payments: found.payments.map((one) => ({ ...one, failureReason })) }
        : found;
    };
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add(someRows(1));
    await rig.run();
    assert.equal((await rig.row(1)).failure_reason, failureReason);
    const failed = (await pageEvents(rig.db, 'batch-1', 0, 100)).find(({ kind }) => kind === 'row.fail');
    const { failure_code, failure_reason } = JSON.parse(failed?.body ?? '{}');
    assert.deepEqual([failure_code, failure_reason], ['DECLINED', '[number] is barred']);
  });

  test('fails a row that the service refuses, and continues with the others', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'refuse');
    await rig.add(someRows(3));
    await rig.run();
    assert.deepEqual(await rig.states(), ['failed', 'completed', 'completed']);
    assert.equal((await rig.row(1)).failure_code, 'INVALID_PHONE_NUMBER');
  });

  test('finds a payment whose answer was lost, and does not send it again', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    await rig.add(someRows(2));
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed', 'completed']);
    assert.equal(rig.service.creates.filter(({ reference }) => reference === 'run-1/ref-1').length, 1);
  });

  test('sends a lost request again with the same key and bytes, after a look-up', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_request', 'lose_request');
    await rig.add(someRows(1));
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed']);
    const sends = rig.service.creates;
    assert.equal(sends.length, 3);
    assert.equal(new Set(sends.map(({ key }) => key)).size, 1);
    assert.equal(new Set(sends.map(({ body }) => body)).size, 1);
    const [first = 0, second = 0, third = 0] = sends.map(({ at }) => at);
    assert.ok(second - first >= 120_000 && second - first < 130_000, `${second - first}`);
    // Other runs see it as what was sent at first.
    assert.ok(((await rig.row(1)).first_sent_at ?? 0) <= first);
    assert.ok(third - second >= 300_000 && third - second < 310_000, `${third - second}`);
    assert.ok(rig.service.lookUps.length >= 4);
  });

  test('does not charge twice when a list lags behind a charge whose answer was lost', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    rig.service.hidden.add('run-1/ref-1');
    await rig.add(someRows(1));
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed']);
    assert.equal(rig.service.charges.length, 1);
  });

  test('stops before it repeats a server error for ever, and leaves the row to a person', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'error_500', 'error_500', 'error_500', 'error_500');
    await rig.add(someRows(2));
    await rig.run();
    assert.deepEqual(await rig.states(), ['in_doubt', 'completed']);
    const row = await rig.row(1);
    assert.equal(row.next_action_at, null);
    assert.match(row.failure_reason ?? '', /A person must decide/);
    assert.equal(rig.service.creates.filter(({ reference }) => reference === 'run-1/ref-1').length, 3);
    assert.equal((await rig.batch()).status, 'running');
  });

  test('never sends a key again that is 23 hours old, but looks the row up and asks a person', async () => {
    const rig = await makeRig({
      policy: { ...v1Policy, sameNumberSpacingMs: 0, resendDelaysMs: [22 * 3_600_000], resendsMax: 99 },
    });
    rig.service.script('run-1/ref-1', 'lose_request', 'lose_request', 'lose_request');
    await rig.add(someRows(1));
    await rig.run();
    const sends = rig.service.creates.map(({ at }) => at);
    assert.equal(sends.length, 2);
    assert.deepEqual(await rig.states(), ['in_doubt']);
    assert.match((await rig.row(1)).failure_reason ?? '', /too old/);
    const events = await pageEvents(rig.db, 'batch-1', 0, 1_000);
    const leftAt = events.find(({ kind }) => kind === 'row.escalate')?.at ?? 0;
    assert.ok(leftAt - (sends[0] ?? 0) >= 47 * 60 * minute, 'it is looked up for a day more');
  });

  for (const [what, backMs, isSent] of [
    [
      'never sends a key again whose age nobody knows, since the clock was set back while nobody worked',
      60 * minute,
      false,
    ],
    ['sends a key again where the clock was only corrected a little', minute, true],
  ] as const)
    test(what, async () => {
      const rig = await makeRig();
      rig.service.script('run-1/ref-1', 'lose_request');
      await rig.add(someRows(1));
      const first = rig.runner();
      const running = first.run(Number.POSITIVE_INFINITY);
      await rig.clock.drive(rig.clock.sleep(minute));
      first.stop();
      await rig.clock.drive(running);
      const stoppedAt = rig.clock.now();
      await rig.clock.drive(rig.clock.sleep(isSent ? 1_000 : 30 * 60 * minute));
      rig.clock.setWall(stoppedAt - backMs);
      await rig.run();
      const states = await rig.states();
      assert.deepEqual([rig.service.creates.length, states], isSent ? [2, ['completed']] : [1, ['in_doubt']]);
      if (!isSent) assert.match((await rig.row(1)).failure_reason ?? '', /A person must decide: the key is too old/);
    });

  describe('after a change of the API key while no program was running', () => {
    const runWith = async (rig: Rig, keyScope: string, minutes: number) => {
      Object.assign(rig.service, { keyScope });
      const runner = rig.runner();
      const running = runner.run(Number.POSITIVE_INFINITY);
      await rig.clock.drive(rig.clock.sleep(minutes * minute));
      runner.stop();
      await rig.clock.drive(running);
    };

    for (const [what, next, sends] of [
      ['never sends again what is in doubt, since the service may remember keys for each API key alone', 'new', 1],
      ['sends again where it is the same', 'old', 2],
    ] as const)
      test(what, async () => {
        const rig = await makeRig();
        rig.service.script('run-1/ref-1', 'lose_request');
        await rig.add(someRows(1));
        await runWith(rig, 'old', 1);
        await runWith(rig, next, 10);
        await runWith(rig, next, 10);
        assert.equal(rig.service.creates.length, sends);
        assert.deepEqual(await rig.states(), [sends === 1 ? 'in_doubt' : 'completed']);
        assert.ok(rig.service.lookUps.length > 0);
      });

    test('sends under its own key what was certainly refused', async () => {
      const rig = await makeRig();
      rig.service.script('run-1/ref-1', 'cannot_pay');
      await rig.add(someRows(1));
      await runWith(rig, 'old', 1);
      await resumeBatch({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1');
      await runWith(rig, 'new', 10);
      assert.deepEqual([await rig.states(), (await rig.row(1)).generation], [['completed'], 1]);
    });

    test('repeats what was first sent under the new key', async () => {
      const rig = await makeRig();
      await runWith(rig, 'old', 1);
      rig.service.script('run-1/ref-1', 'lose_request');
      await rig.add(someRows(1));
      await runWith(rig, 'new', 10);
      assert.deepEqual([rig.service.creates.length, await rig.states()], [2, ['completed']]);
    });
  });

  test('looks up a row at once that would be repeated under such a key, and continues under the next generation', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'cannot_pay');
    await rig.add(someRows(1));
    await rig.run();
    await resumeBatch({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1');
    rig.clock.setWall(rig.clock.now() - 60 * minute);
    await rig.run();
    assert.deepEqual([await rig.states(), (await rig.row(1)).generation], [['completed'], 2]);
    const events = await pageEvents(rig.db, 'batch-1', 0, 1_000);
    const [sent, doubted] = ['row.send', 'row.doubt'].map((wanted) => events.find(({ kind }) => kind === wanted));
    assert.equal(JSON.parse(doubted?.body ?? '{}').first_sent_at, sent?.at, 'that is when it was sent');
  });

  test('waits as long as a 429 asks, and does not count that as an attempt', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'throttle');
    await rig.add(someRows(1));
    await rig.run();
    const row = await rig.row(1);
    assert.deepEqual([row.status, row.attempts], ['completed', 1]);
    const [first = 0, second = 0] = rig.service.creates.map(({ at }) => at);
    assert.ok(second - first >= 30_000);
  });

  describe('if the service repeats the same 429 again and again', () => {
    const keys = (rig: Rig) => [...Map.groupBy(rig.service.creates, ({ key }) => key).values()];
    const many = <Behaviour extends string>(behaviour: Behaviour) => Array<Behaviour>(2_000).fill(behaviour);

    test('looks the row up as soon as the answer is identical, and continues under the next generation', async () => {
      const rig = await makeRig();
      rig.service.script('run-1/ref-1', ...many('throttle_kept'));
      await rig.add(someRows(1));
      await rig.run();
      const row = await rig.row(1);
      assert.deepEqual([row.status, row.generation], ['completed', 2]);
      assert.deepEqual(
        keys(rig).map(({ length }) => length),
        [2, 1],
      );
      assert.deepEqual(rig.service.lookUps.slice(0, 1), ['run-1/ref-1']);
      const [, second = Number.NaN, third = Number.NaN] = rig.service.creates.map(({ at }) => at);
      assert.ok(third - second < 60_000, 'nothing can be under way for which the look-up would wait');
      assert.equal(rig.service.charges.length, 1);
    });

    test('does so after an hour if the answers differ, and not if they come for a shorter time', async () => {
      const rig = await makeRig();
      rig.service.script('run-1/ref-1', ...many('throttle'));
      rig.service.script('run-1/ref-2', ...many('throttle').slice(0, 50));
      await rig.add(someRows(2));
      await rig.run();
      assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).generation], ['completed', 2]);
      assert.deepEqual([(await rig.row(2)).status, (await rig.row(2)).generation], ['completed', 1]);
      const sent = rig.service.creates
        .filter(({ reference }) => reference.startsWith('run-1/ref-1'))
        .map(({ at }) => at);
      assert.ok((sent.at(-1) ?? 0) - (sent[0] ?? 0) < 65 * 60_000);
      assert.equal(rig.service.charges.length, 2);
    });

    test('leaves the row to a person once every generation has received it', async () => {
      const rig = await makeRig();
      for (const mark of ['', '~2', '~3']) rig.service.script(`run-1/ref-1${mark}`, ...many('throttle_kept'));
      await rig.add(someRows(1));
      await rig.run();
      const row = await rig.row(1);
      assert.deepEqual([row.status, row.next_action_at], ['in_doubt', null]);
      assert.match(row.failure_reason ?? '', /A person must decide: the maximum number of generations was refused/);
      assert.ok(rig.warnings.includes('a person must find out whether a row was paid: the service cannot say'));
      assert.equal(rig.service.charges.length, 0);
    });

    for (const [what, requestId, waits] of [
      ['have no id to be told apart by', () => null, [1_000, 1_000]],
      ['are far apart', (count: number) => `r-${count}`, [61 * minute, 1_000]],
    ] as const)
      test(`asks once more if its answers are few and ${what}`, async () => {
        const rig = await makeRig();
        const { create } = rig.service;
        let count = 0;
        rig.service.create = async (request) => {
          const retryAfterMs = waits[count++];
          if (retryAfterMs === undefined) return create(request);
          request.beforeWrite?.();
          const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: requestId(count) };
          return { kind: 'throttled', retryAfterMs, evidence };
        };
        await rig.add(someRows(1));
        await rig.run();
        assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).generation], ['completed', 1]);
      });

    test('adopts a payment that a look-up finds, if the first answer was not true', async () => {
      const rig = await makeRig();
      rig.service.script('run-1/ref-1', 'lose_answer', ...many('throttle_kept'));
      await rig.add(someRows(1));
      rig.service.hidden.add('run-1/ref-1');
      const running = rig.runner().run(36 * 3_600_000);
      await rig.clock.drive(rig.clock.sleep(10 * 60_000));
      rig.service.hidden.clear();
      await rig.clock.drive(running);
      assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).generation], ['completed', 1]);
      assert.equal(rig.service.charges.length, 1);
    });
  });

  test('keeps trying while nobody answers, slower and slower, under the same key', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'unreachable', 'unreachable', 'unreachable');
    await rig.add(someRows(1));
    await rig.run();
    const sends = rig.service.creates;
    assert.deepEqual(await rig.states(), ['completed']);
    assert.equal(new Set(sends.map(({ key }) => key)).size, 1);
    const gaps = sends.slice(1).map(({ at }, index) => at - (sends[index]?.at ?? 0));
    assert.ok((gaps[1] ?? 0) > (gaps[0] ?? 0) && (gaps[2] ?? 0) > (gaps[1] ?? 0), `${gaps}`);
  });

  test('reports an outage once, however many requests were in flight, and again after the wait', async () => {
    const rig = await makeRig();
    for (const row of [1, 2, 3, 4]) rig.service.script(`run-1/ref-${row}`, 'unreachable', 'unreachable');
    await rig.add(someRows(4));
    await rig.run();
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    const told = 'the service cannot be reached, or does not answer; airbatch tries again';
    assert.deepEqual(rig.warnings, [told, told]);
    assert.deepEqual(rig.infos, ['the service answers again']);
  });

  test('reports reads without an answer once a minute, however many there are', async () => {
    const rig = await makeRig();
    const { list } = rig.service;
    assert.ok(list);
    const [from, forMs] = [rig.clock.monotonic(), 5 * 60_000];
    let unanswered = 0;
    const silent: typeof list = async (query) => {
      if (rig.clock.monotonic() >= from + forMs) return list(query);
      unanswered += 1;
      return { kind: 'unavailable', evidence: { code: 'timeout', message: '', httpStatus: null, requestId: null } };
    };
    Object.assign(rig.service, { list: silent });
    await rig.add(someRows(1));
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed']);
    assert.ok(unanswered > 20, `${unanswered} reads`);
    const told = rig.warnings.filter((message) => message === 'a read got no answer; airbatch asks again').length;
    assert.ok(told >= 2 && told <= 5, `told ${told} times`);
  });

  test('stores the beginning of an outage once, and its end', async () => {
    const rig = await makeRig();
    for (const row of [1, 2]) rig.service.script(`run-1/ref-${row}`, ...Array(6).fill('unreachable'));
    await rig.add(someRows(2));
    const from = rig.clock.now();
    const noted: (number | null | undefined)[] = [];
    const watch = async () => {
      while (!(await rig.states()).every((state) => state === 'completed')) {
        noted.push((await storedPace(rig.db, 'main', rig.clock.now()))?.gate.unreachableSince);
        await rig.clock.sleep(1_000);
      }
    };
    await rig.clock.drive(Promise.all([rig.runner().run(36 * 3_600_000), watch()]).then(() => undefined));
    const unreached = noted.filter((since) => typeof since === 'number');
    assert.ok(unreached.length > 30, `${noted}`);
    assert.equal(new Set(unreached).size, 1);
    assert.ok((unreached[0] ?? 0) - from < 1_000);
    assert.equal(noted.at(-1), null, 'it is back');
  });

  test('looks up and follows accepted rows while payments get no answer but reads do', async () => {
    const rig = await makeRig({ paceMs: 1_000, settleMs: 10 * 60_000 });
    const { create, lookup } = rig.service;
    const from = rig.clock.now() + 5_000;
    const evidence = { code: 'http_503', message: '', httpStatus: 503, requestId: null };
    const readsAt: number[] = [];
    Object.assign(rig.service, {
      create: async (request: CreateRequest) =>
        rig.clock.now() < from ? create(request) : { kind: 'in_doubt', evidence },
      lookup: (reference: string) => {
        readsAt.push(rig.clock.now() - from);
        return lookup(reference);
      },
    });
    await rig.add(someRows(60));
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(15 * 60_000));
    runner.stop();
    await rig.clock.drive(running);
    assert.deepEqual((await rig.states()).slice(0, 5), Array(5).fill('completed'));
    // The first doubts are looked up when their time has come, and not when the account tries the next payment.
    const first = readsAt.filter((at) => at >= 90_000 && at < 105_000);
    assert.ok(first.length >= 10, `${readsAt}`);
  });

  test('keeps its pace if a working service explains what is wrong with single payments, however many and with any status', async () => {
    const rig = await makeRig({ paceMs: 1_000 });
    const { create } = rig.service;
    const evidence = { code: '234', message: 'route unavailable', httpStatus: 503, requestId: null };
    Object.assign(rig.service, {
      create: async (request: CreateRequest) =>
        /ref-([6-9]|[1-4][0-9])"/.test(request.body)
          ? { kind: 'in_doubt', evidence, isInOrder: true }
          : create(request),
    });
    await rig.add(someRows(60));
    await rig.run(0);
    const states = await rig.states();
    assert.deepEqual([states.indexOf('in_doubt'), states.lastIndexOf('in_doubt')], [5, 48]);
    assert.equal(states.filter((state) => state === 'completed').length, 16);
    assert.deepEqual(
      rig.warnings.filter((warning) => warning.endsWith('it is tried again')),
      [],
    );
  });

  test('sends only a row from time to time during an outage, says since when, and pays all after it', async () => {
    const rig = await makeRig({ paceMs: 1_000, settings: { rowsPerAdmission: 8 } });
    const { create, lookup } = rig.service;
    const [from, to] = [rig.clock.now() + 20_000, rig.clock.now() + 30 * 60_000];
    const isOut = () => rig.clock.now() >= from && rig.clock.now() < to;
    const evidence = { code: 'http_503', message: '', httpStatus: 503, requestId: null };
    const sends: number[] = [];
    Object.assign(rig.service, {
      create: async (request: CreateRequest) => {
        if (!isOut()) return create(request);
        sends.push(rig.clock.now());
        return { kind: 'in_doubt', evidence };
      },
      lookup: async (reference: string) => (isOut() ? { kind: 'unavailable', evidence } : lookup(reference)),
    });
    await rig.add(someRows(300));
    const noted = new Set<number | null | undefined>();
    const unreachableSince = async () => (await storedPace(rig.db, 'main', rig.clock.now()))?.gate.unreachableSince;
    let afterwards: number | null | undefined;
    const watch = async () => {
      await rig.clock.sleep(60_000);
      for (; isOut(); await rig.clock.sleep(60_000)) noted.add(await unreachableSince());
      // The longest wait, and the next payment.
      await rig.clock.sleep(90_000);
      afterwards = await unreachableSince();
    };
    await rig.clock.drive(Promise.all([rig.runner().run(36 * 3_600_000), watch()]).then(() => undefined));
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    assert.equal(rig.service.charges.length, 300);
    assert.equal(noted.size, 1);
    const [since] = noted;
    assert.ok(since && since >= from && since - from < 60_000, `${since}`);
    assert.ok(sends.length > 30 && sends.length < 80, `${sends.length} sent in half an hour`);
    const tries = sends.filter((at) => at >= since + 1_000);
    assert.ok(
      tries.every((at, index) => at - (tries[index - 1] ?? since) >= 900),
      `one alone tries: ${tries}`,
    );
    assert.equal(afterwards, null, 'it is back');
    const [first = 0, ...others] = rig.service.charges.filter(({ at }) => at >= to).map(({ at }) => at);
    const last = others[60] ?? Infinity;
    assert.ok(last - first < 20_000, `the others go on ${last - first} ms after the first that is answered`);
  });

  test('does not count a 429 as the end of an outage: one row alone tries after the wait', async () => {
    const rig = await makeRig({ jobsAtOnce: 40 });
    const { create, lookup } = rig.service;
    const to = rig.clock.now() + 30 * 60_000;
    const isOut = () => rig.clock.now() < to;
    const evidence = { code: 'http_503', message: '', httpStatus: 503, requestId: null };
    let sent = 0;
    Object.assign(rig.service, {
      create: async (request: CreateRequest) => {
        if (!isOut()) return create(request);
        sent += 1;
        const answer = sent;
        await rig.clock.sleep(1_000);
        // Its front turns every third away, and cannot reach what is behind it with the others.
        return answer % 3 === 0
          ? {
              kind: 'throttled',
              retryAfterMs: 5_000,
              evidence: { ...evidence, httpStatus: 429, requestId: `${answer}` },
            }
          : { kind: 'in_doubt', evidence };
      },
      lookup: async (reference: string) => (isOut() ? { kind: 'unavailable', evidence } : lookup(reference)),
    });
    await rig.add(someRows(300));
    const doubts: number[] = [];
    const watch = async () => {
      for (; isOut(); await rig.clock.sleep(60_000))
        doubts.push((await rig.states()).filter((state) => state === 'in_doubt').length);
    };
    await rig.clock.drive(Promise.all([rig.runner().run(36 * 3_600_000), watch()]).then(() => undefined));
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    assert.ok(Math.max(...doubts) < 90, `${doubts}`);
    assert.equal(rig.infos.filter((info) => info === 'the service answers again').length, 1);
  });

  test('counts a 429 as the end of an outage in which no connection was answered', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'unreachable', 'unreachable', 'throttle');
    await rig.add(someRows(1));
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed']);
    assert.equal(rig.infos.filter((info) => info === 'the service answers again').length, 1);
  });

  for (const [code, httpStatus] of [
    ['redirect_refused', 302],
    ['http_404', 404],
    ['connection_lost', 201],
    ['timeout', 200],
  ] as const) {
    test(`sends only a row from time to time while every payment gets "${code}" on HTTP ${httpStatus}`, async () => {
      const rig = await makeRig({ paceMs: 1_000 });
      const sends: number[] = [];
      const evidence = { code, message: '', httpStatus, requestId: null };
      Object.assign(rig.service, {
        create: async () => {
          sends.push(rig.clock.now());
          return { kind: 'in_doubt', evidence };
        },
      });
      await rig.add(someRows(100));
      const runner = rig.runner();
      const running = runner.run(Number.POSITIVE_INFINITY);
      await rig.clock.drive(rig.clock.sleep(90_000));
      runner.stop();
      await rig.clock.drive(running);
      assert.ok(sends.length < 30, `${sends.length} were sent into it`);
      assert.ok(
        rig.warnings.includes('another program seems to answer at the address of the service; airbatch tries again'),
      );
      assert.ok(!rig.warnings.some((warning) => warning.includes('cannot be reached')));
    });
  }

  test('is not held up by rows that the service never answers, while it answers the others', async () => {
    const [rows, broken] = [300, 20];
    const rig = await makeRig({ paceMs: 1_000, jobsAtOnce: 200 });
    for (let row = 1; row <= broken; row++)
      rig.service.script(`run-1/ref-${row}`, ...Array<'error_500'>(10).fill('error_500'));
    await rig.add(someRows(rows));
    const from = rig.clock.now();
    await rig.run();
    assert.equal(rig.service.charges.length, rows - broken);
    const lastedMs = (rig.service.charges.at(-1)?.at ?? 0) - from;
    // Twenty that meet no answer one after the other look like an outage, once.
    assert.ok(lastedMs < (rows + 10 * 60) * 1_000, `${lastedMs} ms`);
    const left = await rig.states();
    assert.deepEqual([left.slice(0, broken).every((state) => state === 'in_doubt'), left[broken]], [true, 'completed']);
  });

  test('pauses the account when the money runs out, and marks no row as failed', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'cannot_pay');
    await rig.add(someRows(50));
    await rig.run();
    const batch = await rig.batch();
    assert.deepEqual([batch.status, batch.pause_reason], ['paused', 'insufficient_balance']);
    const states = await rig.states();
    assert.equal(states[0], 'ready');
    assert.equal(states.includes('failed'), false);
  });

  test('looks a row up that is refused again in the same way after money was added: it may be the cached answer', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'cannot_pay', 'cannot_pay');
    await rig.add(someRows(1));
    for (let times = 0; times < 2; times++) {
      await rig.run();
      await resumeBatch({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1');
    }
    await rig.run();
    assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).generation], ['completed', 2]);
    assert.ok(rig.service.lookUps.includes('run-1/ref-1'));
  });

  for (const [what, idOf, generation] of [
    ['is refused anew each time', (times: number) => `r-${times}`, 1],
    ['is refused by a service that names no requests', () => null, 3],
  ] as const)
    test(`marks no row as failed that ${what}, however often it is resumed without money, and pays it once there is some`, async () => {
      const rig = await makeRig();
      const { create } = rig.service;
      rig.service.create = async (request) => {
        const outcome = await create(request);
        if (outcome.kind !== 'account_blocked') return outcome;
        return { ...outcome, evidence: { ...outcome.evidence, requestId: idOf(rig.service.creates.length) } };
      };
      rig.service.purse.opening = 0;
      await rig.add(someRows(2));
      for (let times = 0; times < 12; times++) {
        await rig.run();
        assert.deepEqual([await rig.states(), (await rig.batch()).status], [['ready', 'ready'], 'paused'], `${times}`);
        await rig.clock.drive(rig.clock.sleep(3_600_000));
        await resumeBatch({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1');
      }
      rig.service.purse.opening = 100;
      await rig.run();
      assert.deepEqual([await rig.states(), (await rig.row(1)).generation], [['completed', 'completed'], generation]);
    });

  for (const answer of ['throttle', 'cannot_pay', 'unreachable'] as const) {
    test(`leaves a row in doubt whose second request gets "${answer}": the result of its first is still unknown`, async () => {
      const rig = await makeRig();
      rig.service.script('run-1/ref-1', 'lose_answer', answer);
      rig.service.hidden.add('run-1/ref-1');
      await rig.add(someRows(1));
      const runner = rig.runner();
      const running = runner.run(Number.POSITIVE_INFINITY);
      await rig.clock.drive(rig.clock.sleep(3 * 60_000));
      assert.equal(rig.service.creates.length, 2);
      assert.equal((await rig.row(1)).status, 'in_doubt');
      rig.service.hidden.clear();
      await rig.clock.drive(rig.clock.sleep(60 * 60_000));
      runner.stop();
      await rig.clock.drive(running);
      assert.deepEqual([await rig.states(), rig.service.charges.length], [['completed'], 1]);
    });
  }

  test('halts the account if an answer shows another payment', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'wrong_answer');
    await rig.add(someRows(1));
    await rig.run(60_000);
    assert.equal((await rig.batch()).pause_reason, 'service_mismatch');
    assert.equal((await rig.row(1)).status, 'in_doubt');
  });

  test('halts the account, and keeps it halted, even if the ledger is busy at that moment', async () => {
    const rig = await makeRig({ paceMs: 1_000 });
    rig.service.script('run-1/ref-1', 'wrong_answer');
    await rig.add(someRows(3));
    failOncePausing(rig);
    await assert.rejects(rig.run(60_000), { code: 'LEDGER_BUSY' });
    assert.equal(rig.service.creates.length, 1);
    await rig.run();
    assert.equal(new Set(rig.service.charges.map(({ reference }) => reference)).size, 3);
  });

  test('halts the account for a look-up in the transaction that leaves the row to a person: both or neither', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    await rig.add(someRows(1));
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      const found = await lookup(reference);
      if (found.kind === 'found')
        found.payments = found.payments.map((one) => ({ ...one, amount: { value: '7', currency: 'KES' } }));
      return found;
    };
    failOncePausing(rig);
    await assert.rejects(rig.run(), { code: 'LEDGER_BUSY' });
    await rig.run();
    assert.deepEqual(await rig.states(), ['in_doubt']);
    assert.equal((await rig.batch()).pause_reason, 'service_mismatch');
  });

  test('halts the account if a look-up finds another payment, and keeps a number that is the reference itself', async () => {
    const number = '254712000001';
    for (const [said, more] of [
      ['another amount', { amount: { value: '7', currency: 'KES' } }],
      ['2 payments', null],
    ] as const) {
      const rig = await makeRig();
      const { lookup } = rig.service;
      rig.service.lookup = async (reference) => {
        const outcome = await lookup(reference);
        if (outcome.kind !== 'found') return outcome;
        const payments = outcome.payments.flatMap((one) => (more ? [{ ...one, ...more }] : [one, one]));
        return { ...outcome, payments };
      };
      rig.service.script(`run-1/${number}`, 'lose_answer');
      await rig.add([aRow(1, { row_ref: number })]);
      await rig.run(10 * 60_000);
      const { pause_reason, pause_detail, pause_why } = await rig.batch();
      assert.equal(pause_reason, 'service_mismatch');
      assert.match(pause_why?.code ?? '', /^DOUBT_(OTHER|SEVERAL)$/);
      assert.match(pause_detail ?? '', new RegExp(`has ${said} under the reference of row 1 of batch batch-1`));
      const events = await pageEvents(rig.db, 'batch-1', 0, 100);
      const { why_reason } = JSON.parse(events.find(({ kind }) => kind === 'row.escalate')?.body ?? '{}');
      assert.deepEqual(JSON.parse(why_reason), pause_why);
      assert.doesNotMatch(events.map(({ body }) => body).join(), new RegExp(number));
    }
  });

  for (const list of [true, false])
    test(`on a restored ledger looks every row up before sending it, once no request of the lost program can be in flight, ${list ? 'with' : 'without'} a list`, async () => {
      const rig = await makeRig({ list });
      const seconds = (at: number) => Math.floor((at - from) / 1_000);
      const lookedUpAt: number[] = [];
      const { lookup } = rig.service;
      rig.service.lookup = (reference) => {
        lookedUpAt.push(seconds(rig.clock.now()));
        return lookup(reference);
      };
      await rig.add(someRows(2));
      const [body, key] = [
        JSON.stringify({
          reference: 'run-1/ref-1',
          phoneNumber: '+254712000001',
          amount: { value: '101', currency: 'KES' },
          productId: null,
        }),
        idempotencyKey({ account: 'main', runId: 'run-1', rowRef: 'ref-1', generation: 1 }),
      ];
      await rig.clock.drive(rig.service.create({ body, idempotencyKey: key }));
      const from = rig.clock.now();
      const runner = rig.runner({ restored: true });
      await rig.clock.drive(runner.run(36 * 3_600_000));
      assert.equal(rig.warnings[0]?.split(':')[0], 'the ledger was restored');
      assert.deepEqual(lookedUpAt.slice(0, 2), [90, 90]);
      assert.deepEqual(await rig.states(), ['completed', 'completed']);
      const charged = rig.service.charges.map(({ reference }) => reference);
      assert.deepEqual(charged, ['run-1/ref-1', 'run-1/ref-2']);
      assert.equal(rig.service.creates.length, 2);
    });

  test('skips a row that another batch of the same run has paid, and names the batch', async () => {
    const rig = await makeRig();
    await rig.add(someRows(2));
    await rig.run();
    await rig.add([...someRows(2), aRow(3)], { batch_id: 'batch-2' });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['skipped', 'skipped', 'completed']);
    assert.match((await rig.row(1, 'batch-2')).problems ?? '', /batch-1, row 1/);
    assert.equal(rig.service.charges.length, 3);
  });

  test('holds a row whose reference was used for another amount, and never sends it', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.run();
    await rig.add([aRow(1, { amount: '999' })], { batch_id: 'batch-2' });
    await rig.run();
    const row = await rig.row(1, 'batch-2');
    assert.equal(row.status, 'held');
    assert.match(row.problems ?? '', /REFERENCE_REUSED.*batch-1, row 1/);
    assert.equal(rig.service.charges.length, 1);
  });

  test('looks a row in doubt up less and less often while nothing answers, and leaves it to a person after a day', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    let asked = 0;
    rig.service.lookup = async () => {
      asked += 1;
      await rig.clock.sleep(10);
      return {
        kind: 'unavailable',
        evidence: { httpStatus: 200, code: 'filter_ignored', message: '', requestId: null },
      };
    };
    await rig.add(someRows(1));
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(3_600_000));
    assert.ok(asked > 20 && asked < 80, `${asked} look-ups in an hour`);
    assert.notEqual((await rig.row(1)).next_action_at, null);
    await rig.clock.drive(rig.clock.sleep(24 * 3_600_000));
    const { status, next_action_at, failure_reason } = await rig.row(1);
    assert.deepEqual([status, next_action_at], ['in_doubt', null]);
    assert.match(failure_reason ?? '', /A person must decide: no look-up was answered for a day \(filter_ignored\)/);
    assert.ok(rig.warnings.includes('a person must find out whether a row was paid: the service cannot say'));
    assert.ok(asked < 400, `${asked} look-ups in a day`);
    runner.stop();
    await rig.clock.drive(running);
  });

  test('continues to look a row in doubt up if one look-up of the next day is not answered', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    await rig.add(someRows(1));
    const first = rig.runner();
    const running = first.run(36 * 3_600_000);
    await rig.clock.drive(rig.clock.sleep(1_000));
    first.stop();
    await rig.clock.drive(running);
    assert.deepEqual(await rig.states(), ['in_doubt']);
    await rig.clock.drive(rig.clock.sleep(30 * 3_600_000));
    const { lookup } = rig.service;
    let unanswered = 0;
    rig.service.lookup = async (reference) => {
      if (unanswered++ > 0) return lookup(reference);
      const evidence = { httpStatus: 503, code: 'http_503', message: 'offline', requestId: null };
      return { kind: 'unavailable', evidence };
    };
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed']);
    assert.equal(rig.service.charges.length, 1);
  });

  test('looks a row in doubt up as long as its look-ups are throttled: that is an answer', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    const { lookup } = rig.service;
    const silentUntil = rig.clock.now() + 25 * 60 * minute;
    const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: null };
    rig.service.lookup = async (reference) =>
      rig.clock.now() > silentUntil ? lookup(reference) : { kind: 'throttled', retryAfterMs: 10 * minute, evidence };
    await rig.add(someRows(1));
    await rig.run();
    assert.deepEqual([await rig.states(), rig.service.charges.length], [['completed'], 1]);
  });

  test('repeats a lost request however often it was throttled before: those were not sent', async () => {
    const rig = await makeRig({ policy: v1Policy, list: false });
    rig.service.script('run-1/ref-1', 'throttle', 'throttle', 'throttle', 'throttle', 'lose_request');
    await rig.add(someRows(1));
    await rig.run();
    const row = await rig.row(1);
    assert.deepEqual([row.status, row.generation, rig.service.creates.length], ['completed', 1, 6]);
  });

  for (const refused of ['throttle', 'unreachable'] as const)
    test(`repeats a lost request as often as allowed, however often a repetition is not taken (${refused})`, async () => {
      const rig = await makeRig({ policy: { ...v1Policy, resendsMax: 1 }, list: false });
      rig.service.script('run-1/ref-1', 'lose_request', refused, refused, refused);
      await rig.add(someRows(1));
      await rig.run();
      const { status, generation } = await rig.row(1);
      assert.deepEqual([status, generation, rig.service.creates.length], ['completed', 1, 5]);
    });

  test('uses the next generation if the provider blocked the number at a first attempt', async () => {
    const rig = await makeRig({ policy: v1Policy, list: false });
    rig.service.script('run-1/ref-1', 'number_blocked');
    await rig.add(someRows(1));
    await rig.run();
    const row = await rig.row(1);
    assert.deepEqual([row.status, row.generation], ['completed', 2]);
    const [first, second] = rig.service.creates;
    assert.equal(second?.reference, 'run-1/ref-1~2');
    assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 65_000);
  });

  for (const word of ['TIMEOUT', 'UNDERLIVERED', 'CANCELED']) {
    test(`keeps its generation if the provider blocked the number, and has the first attempt as ${word}`, async () => {
      const rig = await makeRig({ policy: v1Policy, list: false });
      rig.service.script('run-1/ref-1', 'number_blocked');
      const { lookup } = rig.service;
      rig.service.lookup = async (reference) => {
        if (rig.service.creates.length === 0) return lookup(reference);
        const payment = {
          topupId: 't-1',
          serviceStatus: word,
          state: 'failed',
          unknownStatus: false,
          reference,
          phoneNumber: '+254712000001',
          amount: { value: '101', currency: 'KES' },
          cost: { value: '1', currency: 'USD' },
          productId: null,
          providerReference: null,
          failureCode: word,
          failureReason: null,
          createdAt: null,
          completedAt: null,
          full: true,
        } as const;
        const evidence = { httpStatus: 200, code: 'found', message: 'found', requestId: null };
        return { kind: 'found', payments: [payment], evidence };
      };
      await rig.add(someRows(1));
      await rig.run();
      const row = await rig.row(1);
      assert.deepEqual([row.status, row.generation, row.service_status], ['failed', 1, word]);
      assert.equal(rig.service.creates.length, 1);
    });
  }

  test('spaces payments to one number, without delaying the others', async () => {
    const rig = await makeRig({ policy: v1Policy, list: false });
    const phone_number = '+254712000001';
    await rig.add([aRow(1, { phone_number }), aRow(2, { phone_number }), aRow(3)]);
    await rig.run();
    const at = (reference: string) => rig.service.creates.find((send) => send.reference === reference)?.at ?? 0;
    assert.ok(at('run-1/ref-2') - at('run-1/ref-1') >= 65_000);
    assert.ok(at('run-1/ref-3') - at('run-1/ref-1') < 5_000);
    assert.deepEqual(await rig.states(), ['completed', 'completed', 'completed']);
  });

  test('spaces payments to one number across a restart, also after a doubt that was sent again', async () => {
    for (const behaviour of ['accept', 'lose_request'] as const) {
      const rig = await makeRig({ policy: v1Policy, list: false });
      rig.service.script('run-1/ref-1', behaviour);
      const phone_number = '+254712000001';
      await rig.add([aRow(1, { phone_number })]);
      const first = rig.runner();
      const running = first.run(3_600_000);
      // The doubt is sent again after a quarter of an hour; either way the number was sent to a moment ago.
      await rig.clock.drive(rig.clock.sleep(behaviour === 'accept' ? 2_000 : 15 * 60_000 + 30_000));
      first.stop();
      await rig.clock.drive(running);
      await rig.add([aRow(2, { phone_number })], { batch_id: 'batch-2', run_id: 'run-2' });
      await rig.run();
      const before = rig.service.creates.findLast(({ reference }) => reference === 'run-1/ref-1')?.at ?? 0;
      const after = rig.service.creates.find(({ reference }) => reference === 'run-2/ref-2')?.at ?? 0;
      assert.ok(after - before >= 65_000, `${behaviour}: ${after - before}`);
    }
  });

  test('sends an urgent batch before an earlier one', async () => {
    const rig = await makeRig();
    await rig.add(someRows(300), { priority: 'bulk' });
    await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2', priority: 'urgent' });
    await rig.run();
    const place = rig.service.creates.findIndex(({ reference }) => reference.startsWith('run-2/'));
    assert.ok(place >= 0 && place < 30, `${place}`);
  });

  test('lets only one runner work for an account', async () => {
    const rig = await makeRig();
    await rig.add(someRows(5));
    const first = rig.runner().run(60_000);
    const second = rig.runner().run(60_000);
    await assert.rejects(rig.clock.drive(second), { code: 'ACCOUNT_BUSY' });
    await rig.clock.drive(first);
    assert.equal(rig.service.charges.length, 5);
  });

  test('sends nothing on a ledger that a later version has changed since it was opened', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.db.execute('INSERT INTO migrations (version) VALUES (999)');
    await assert.rejects(rig.run(), { code: 'LEDGER_VERSION' });
    assert.deepEqual(rig.service.creates, []);
  });

  test('releases the account when the outcomes of all requests are written, even if one of them failed', async () => {
    const rig = await makeRig({ settings: { rowsPerAdmission: 2 }, settleMs: 600_000 });
    const { create } = rig.service;
    rig.service.create = async (request) => {
      if (request.body.includes('run-1/ref-1"')) throw new Error('no request was made');
      await rig.clock.sleep(5_000);
      return create(request);
    };
    await rig.add(someRows(2));
    await assert.rejects(rig.run(), /no request was made/);
    assert.deepEqual(await rig.states(), ['sending', 'accepted']);
    assert.equal((await findLease(rig.db, 'main'))?.expires_at, 0);
  });

  test('stops when asked: requests in flight end, the other rows stay ready, and a new runner continues', async () => {
    const rig = await makeRig();
    await rig.add(someRows(400));
    const runner = rig.runner();
    const running = runner.run(60_000);
    await rig.clock.drive(rig.clock.sleep(30));
    runner.stop();
    await rig.clock.drive(running);
    const states = await rig.states();
    assert.equal(states.includes('sending'), false);
    assert.ok(states.includes('ready') && states.includes('accepted'), states.join());
    await rig.run();
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    assert.equal(rig.service.charges.length, 400);
  });
});

const mary = ({ db, clock }: Rig) => ({ db, clock, person: 'mary', through: 'cli' as const });

test('nothing of a batch is sent from the moment another process has paused it', async () => {
  const rig = await makeRig({ paceMs: 2 });
  const { create } = rig.service;
  let sentByThen = Number.POSITIVE_INFINITY;
  rig.service.create = async (request) => {
    if (rig.service.creates.length === 50) {
      await pauseBatch(mary(rig), 'batch-1', 'the wrong month');
      sentByThen = rig.service.creates.length;
    }
    return create(request);
  };
  await rig.add(someRows(200));
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(60_000));
  // What had its intent by then is sent: a row that is being sent, and is not, would be a doubt.
  assert.ok(rig.service.creates.length <= sentByThen + 20, `${sentByThen}, then ${rig.service.creates.length}`);
  runner.stop();
  await rig.clock.drive(running);
});

describe('cancelling a batch', () => {
  test('is possible until it begins, and nothing of it is sent', async () => {
    const rig = await makeRig();
    await rig.add([aRow(1), aRow(2, { status: 'held' }), aRow(3, { status: 'invalid' })]);
    await pauseBatch(mary(rig), 'batch-1', 'not today');
    await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2' });
    await cancelUnsent(mary(rig), 'batch-2', 'interrupted');
    const runner = rig.runner();
    const running = rig.clock.drive(runner.run(Number.POSITIVE_INFINITY));
    await Promise.race([running, rig.clock.sleep(60_000)]);
    // The runner knows this batch by now, and has not begun it.
    await cancelUnsent(mary(rig), 'batch-1', 'interrupted');
    await Promise.race([running, rig.clock.sleep(60_000)]);
    runner.stop();
    await running;
    assert.deepEqual([(await rig.batch()).status, (await rig.batch('batch-2')).status], ['cancelled', 'cancelled']);
    assert.deepEqual(await rig.states(), ['cancelled', 'cancelled', 'invalid']);
    assert.equal(rig.service.creates.length, 0);
  });

  test('cancels its rows as well; a start finishes what a crash interrupted', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1_200));
    await rig.db.execute(`UPDATE batches SET status = 'cancelled'`);
    await cancelRowsLeft(rig, { actor: 'engine' });
    assert.deepEqual(await countRows(rig.db, 'batch-1'), new Map([['cancelled', 1_200]]));
    assert.deepEqual(new Set(await rig.states()), new Set(['cancelled']));
  });

  test('is refused once rows of it are in flight, and each of them is followed to its end', async () => {
    const rig = await makeRig({ settleMs: 60_000 });
    await rig.add(someRows(3));
    const running = rig.runner().run(36 * 3_600_000);
    await rig.clock.drive(rig.clock.sleep(5_000));
    assert.deepEqual(await rig.states(), ['accepted', 'accepted', 'accepted']);
    await assert.rejects(cancelUnsent(mary(rig), 'batch-1', 'changed my mind'), {
      code: 'BATCH_STATE',
      hint: /airbatch status batch-1/,
    });
    await rig.clock.drive(running);
    assert.deepEqual(await rig.states(), ['completed', 'completed', 'completed']);
    assert.equal((await rig.batch()).status, 'completed');
  });

  test('is refused from its start on, whatever the state of its rows, and also after a pause', async () => {
    for (const status of ['running', 'paused']) {
      const rig = await makeRig();
      await rig.add(someRows(1));
      await rig.db.execute('UPDATE batches SET status = ?, started_at = 1', [status]);
      await assert.rejects(cancelUnsent(mary(rig), 'batch-1', 'late'), { code: 'BATCH_STATE' });
    }
    // Ledgers of earlier versions have batches that were paused before they began, resumed, and have no start.
    for (const [status, row] of [
      ['running', 'ready'],
      ['paused', 'in_doubt'],
    ] as const) {
      const rig = await makeRig();
      await rig.add([aRow(1, { status: row })]);
      await rig.db.execute('UPDATE batches SET status = ?', [status]);
      await assert.rejects(cancelUnsent(mary(rig), 'batch-1', 'late'), { code: 'BATCH_STATE' });
    }
  });
});

test('is refused after a batch that was paused before it began has been resumed', async () => {
  const rig = await makeRig();
  await rig.add(someRows(2));
  await pauseBatch(mary(rig), 'batch-1', 'not today');
  assert.equal((await rig.batch()).started_at, null);
  await rig.clock.drive(rig.clock.sleep(1_000));
  const at = rig.clock.now();
  await resumeBatch(mary(rig), 'batch-1');
  // A later pause does not make it begin anew.
  await rig.clock.drive(rig.clock.sleep(1_000));
  await pauseBatch(mary(rig), 'batch-1', 'a moment');
  await resumeBatch(mary(rig), 'batch-1');
  await rig.run();
  assert.deepEqual(await rig.states(), ['completed', 'completed']);
  assert.equal((await rig.batch()).started_at, at);
});
