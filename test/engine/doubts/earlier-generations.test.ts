import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { releaseRows, skipRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { defaultEngineSettings, type EngineSettings } from '../../../src/engine/runner/settings.ts';
import type { BatchRecord } from '../../../src/ledger/batches/batches.ts';
import type { NewRow } from '../../../src/ledger/rows/rows.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

/**
 * Row 1 of batch 1 has failed; batch 2 of the same run has it corrected, as intake leaves it: with the next
 * generation.
 */
async function fedAgain(
  others: readonly NewRow[] = [],
  batch: Partial<BatchRecord> = {},
  settings: Partial<EngineSettings> = {},
): Promise<Rig> {
  const rig = await makeRig({ settings });
  rig.service.ends('run-1/ref-1', 'failed');
  await rig.add(someRows(2));
  await rig.run();
  assert.deepEqual(await rig.states(), ['failed', 'completed']);
  await rig.add([aRow(1, { amount: '999' }), ...others], { ...batch, batch_id: 'batch-2' });
  await rig.db.execute(`UPDATE rows SET generation = 2 WHERE batch_id = 'batch-2' AND row_no = 1`);
  return rig;
}

const dayMs = 24 * 3_600_000;

const mary = ({ db, clock }: Rig) => ({ db, clock, person: 'mary', through: 'cli' as const });

const retry = (rig: Rig) => {
  const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
  return rig.clock.drive(retryFailed(mary(rig), service, 'batch-1', { codes: [] }));
};

const lateCharges = ({ db }: Rig) => db.query('SELECT batch_id, row_no, cost FROM late_charges');

const sent = (rig: Rig) => rig.service.creates.map(({ reference }) => reference);

for (const [what, refused, live] of [
  ['the first, after a second one', [], 'run-1/ref-1'],
  ['the second, after a first one of which nothing is to be found', ['run-1/ref-1'], 'run-1/ref-1~2'],
] as const)
  test(`a row is not sent a third time if the service no longer reports one payment as failed: ${what}`, async () => {
    const rig = await makeRig();
    for (const reference of ['run-1/ref-1', 'run-1/ref-1~2']) rig.service.ends(reference, 'failed');
    for (const reference of refused) rig.service.script(reference, 'refuse');
    await rig.add(someRows(1));
    for (const _ of [1, 2]) {
      await rig.run();
      assert.equal((await retry(rig)).retried, 1);
    }
    rig.service.ends(live, 'completed');
    await rig.run();
    assert.deepEqual([await rig.states(), sent(rig)], [['held'], ['run-1/ref-1', 'run-1/ref-1~2']]);
  });

test('a row is not tried again if only the last of its payments is found, by its id, and is completed', async () => {
  const rig = await makeRig();
  const references = ['run-1/ref-1', 'run-1/ref-1~2'];
  for (const reference of references) rig.service.ends(reference, 'failed');
  await rig.add(someRows(1));
  await rig.run();
  await retry(rig);
  await rig.run();
  for (const reference of references) rig.service.hidden.add(reference);
  rig.service.ends('run-1/ref-1~2', 'completed');
  const { retried, kept } = await retry(rig);
  assert.equal(retried, 0);
  // Under the reference of the payment that has that id: the one before it has none by which it could be found.
  assert.match(kept[0]?.why ?? '', /says that run-1\/ref-1~2 is completed/);
});

describe('a row that continues a failed row of another batch', () => {
  test('is sent under the next generation', async () => {
    const rig = await fedAgain();
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
    assert.deepEqual(sent(rig).slice(2), ['run-1/ref-1~2']);
    assert.deepEqual(await rig.states(), ['failed', 'completed']);
  });

  for (const [word, state] of [
    // What the service called failed is delivered after all.
    ['completed', 'completed'],
    // It has taken up again what it called failed: what becomes of it is not known yet.
    ['pending', 'open'],
  ] as const)
    test(`is held if the service now reports the earlier payment as ${word}, however often it is released`, async () => {
      const rig = await fedAgain();
      rig.service.ends('run-1/ref-1', state);
      for (const release of [false, true]) {
        if (release) assert.equal((await releaseRows(mary(rig), 'batch-2', [])).released, 1);
        await rig.run();
        assert.deepEqual(await rig.states('batch-2'), ['held']);
        assert.match(
          (await rig.row(1, 'batch-2')).problems ?? '',
          new RegExp(`MAY_BE_PAID.*says ${word} of that payment \\(run-1/ref-1\\)`),
        );
      }
      // A reference may be a number, which the audit chain would keep for ever.
      const told = await rig.db.query<{ body: string }>(`SELECT body FROM events WHERE kind = 'row.hold'`);
      assert.ok(told.length > 0 && told.every(({ body }) => !body.includes('ref-1')));
      assert.equal(sent(rig).length, 2);
      assert.equal(await skipRows(mary(rig), 'batch-2', [], 'the recipient has it'), 1);
      await rig.run();
      assert.equal((await rig.batch('batch-2')).status, 'completed');
    });

  test('is also looked up if it is sent together with a row that was never tried', async () => {
    const rig = await fedAgain([aRow(3)], {}, { rowsPerAdmission: 2 });
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.run();
    assert.deepEqual([await rig.states('batch-2'), sent(rig).slice(2)], [['held', 'completed'], ['run-1/ref-3']]);
  });

  test('is held if the service has the earlier payment only under its id, as completed', async () => {
    const rig = await fedAgain();
    rig.service.hidden.add('run-1/ref-1');
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.run();
    assert.deepEqual([await rig.states('batch-2'), sent(rig).length], [['held'], 2]);
  });

  test('is held if another payment than the failed one has the earlier reference', async () => {
    const rig = await fedAgain();
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      const outcome = await lookup(reference);
      if (outcome.kind !== 'found') return outcome;
      const { payments } = outcome;
      return { ...outcome, payments: payments.flatMap((one) => [one, { ...one, state: 'open' as const }]) };
    };
    await rig.run();
    assert.deepEqual([await rig.states('batch-2'), sent(rig).length], [['held'], 2]);
  });

  test('is held if the service now reports that the earlier payment may have arrived', async () => {
    const rig = await fedAgain();
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      const outcome = await lookup(reference);
      if (outcome.kind !== 'found') return outcome;
      return { ...outcome, payments: outcome.payments.map((one) => ({ ...one, serviceStatus: 'TIMEOUT' })) };
    };
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
    assert.match((await rig.row(1, 'batch-2')).problems ?? '', /MAY_BE_PAID.*says TIMEOUT of that payment/);
    assert.equal(sent(rig).length, 2);
  });

  describe('and is held because the earlier payment may have arrived', () => {
    /** The row of batch 2, held, and another run's row to the same number for the same amount. */
    async function heldAndOther(
      rig: Rig,
      { decide, amount = '101' }: { decide?: () => Promise<unknown>; amount?: string } = {},
    ) {
      rig.service.ends('run-1/ref-1', 'completed');
      await rig.run();
      assert.deepEqual(await rig.states('batch-2'), ['held']);
      await decide?.();
      await rig.add([aRow(1, { amount })], { batch_id: 'batch-3', run_id: 'run-2', created_at: rig.clock.now() });
      await rig.run();
      return rig.row(1, 'batch-3');
    }
    const unchanged = async () => {
      const rig = await fedAgain();
      await rig.db.execute(`UPDATE rows SET amount = '101' WHERE batch_id = 'batch-2'`);
      return rig;
    };

    test('also holds the same payment of another run', async () => {
      const other = await heldAndOther(await unchanged());
      assert.equal(other.status, 'held');
      assert.match(other.problems ?? '', /SENT_LATELY.* on 2026-.*batch-1, row 1 \(run run-1, completed by what/);
    });

    test('also holds it if only the network of the row was corrected: the number has that amount', async () => {
      const rig = await unchanged();
      await rig.db.execute(`UPDATE rows SET network_id = 9 WHERE batch_id = 'batch-2'`);
      assert.equal((await heldAndOther(rig)).status, 'held');
    });

    test('also holds it after a person has skipped the row', async () => {
      const rig = await unchanged();
      const decide = () => skipRows(mary(rig), 'batch-2', [], 'the recipient has it');
      assert.equal((await heldAndOther(rig, { decide })).status, 'held');
      assert.deepEqual(await rig.states('batch-2'), ['skipped']);
    });

    test('holds it if the row was retried in the batch in which it failed', async () => {
      const rig = await makeRig();
      rig.service.ends('run-1/ref-1', 'failed');
      await rig.add(someRows(1));
      await rig.run();
      await retry(rig);
      rig.service.ends('run-1/ref-1', 'completed');
      await rig.run();
      assert.deepEqual(await rig.states(), ['held']);
      await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
      await rig.run();
      assert.deepEqual(await rig.states('batch-2'), ['held']);
    });

    test('lets it pass if the row was corrected since: what it asks for now has not arrived', async () => {
      assert.equal((await heldAndOther(await fedAgain(), { amount: '999' })).status, 'completed');
    });

    test('also holds it once the row is released, until a look-up has shown that nothing arrived', async () => {
      const rig = await unchanged();
      const other = await heldAndOther(rig, { decide: () => releaseRows(mary(rig), 'batch-2', []) });
      assert.deepEqual([other.status, await rig.states('batch-2')], ['held', ['held']]);
      assert.deepEqual(sent(rig), ['run-1/ref-1', 'run-1/ref-2']);
    });

    test('is sent normally if it is released, and the look-up finds that nothing arrived', async () => {
      const rig = await unchanged();
      let releasedAt = 0;
      const decide = async () => {
        await releaseRows(mary(rig), 'batch-2', []);
        releasedAt = rig.clock.now();
        rig.service.ends('run-1/ref-1', 'failed');
      };
      await heldAndOther(rig, { decide, amount: '102' });
      const { status, service_status, first_sent_at } = await rig.row(1, 'batch-2');
      assert.deepEqual([status, service_status], ['completed', 'completed']);
      assert.ok((first_sent_at ?? 0) >= releasedAt);
    });
  });

  test('is left to a person if it is in doubt, and the earlier payment is completed before it is sent again', async () => {
    const rig = await fedAgain();
    rig.service.script('run-1/ref-1~2', 'lose_request');
    const running = rig.runner().run(36 * 3_600_000);
    await rig.clock.drive(rig.clock.sleep(30_000));
    assert.deepEqual(await rig.states('batch-2'), ['in_doubt']);
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.clock.drive(running);
    const { status, next_action_at, failure_reason } = await rig.row(1, 'batch-2');
    assert.deepEqual([status, next_action_at], ['in_doubt', null]);
    assert.match(
      failure_reason ?? '',
      /A person must decide: the service says completed of its payment of generation 1\./,
    );
    assert.ok(rig.warnings.includes('a person must find out whether a row was paid: the service cannot say'));
    assert.deepEqual(sent(rig).slice(2), ['run-1/ref-1~2']);
    // Batch 1 sent the payment, so the row there counts as paid, with what the service charged for it.
    assert.equal((await rig.row(1)).contradicted, 'completed');
    assert.deepEqual(await lateCharges(rig), [{ batch_id: 'batch-1', row_no: 1, cost: '1' }]);
  });

  test('is left to a person with what its own earlier payment was charged', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add(someRows(1));
    await rig.run();
    await retry(rig);
    rig.service.script('run-1/ref-1~2', 'lose_request');
    const running = rig.runner().run(36 * 3_600_000);
    await rig.clock.drive(rig.clock.sleep(30_000));
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.clock.drive(running);
    const { status, next_action_at } = await rig.row(1);
    assert.deepEqual([status, next_action_at], ['in_doubt', null]);
    assert.deepEqual(await lateCharges(rig), [{ batch_id: 'batch-1', row_no: 1, cost: '1' }]);
  });

  test('waits while the earlier payment cannot be looked up, with no more requests than any other read', async () => {
    const rig = await fedAgain();
    const { lookup } = rig.service;
    const lookedUpAt = new Set<number>();
    let failures = 3;
    rig.service.lookup = async (reference) => {
      if (reference !== 'run-1/ref-1') return lookup(reference);
      lookedUpAt.add(rig.clock.now());
      if (failures-- <= 0) return lookup(reference);
      return {
        kind: 'unavailable',
        evidence: { httpStatus: 503, code: 'http_503', message: 'offline', requestId: null },
      };
    };
    await rig.run();
    const times = [...lookedUpAt];
    assert.ok(times.length > 1);
    for (const [index, at] of times.slice(1).entries())
      assert.equal(at - (times[index] ?? 0), defaultEngineSettings.readRetryMs);
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
    assert.equal(sent(rig).length, 3);
  });

  /** The first payment cannot be looked up while `isDown` says so. Returns when it was asked for. */
  function failLookUps(rig: Rig, isDown: () => boolean): number[] {
    const { lookup } = rig.service;
    const askedAt: number[] = [];
    rig.service.lookup = async (reference) => {
      if (reference !== 'run-1/ref-1' || !isDown()) return lookup(reference);
      askedAt.push(rig.clock.now());
      const evidence = { httpStatus: 200, code: 'unparsable', message: '', requestId: null };
      return { kind: 'unavailable', evidence };
    };
    return askedAt;
  }

  test('is looked up by one program, one request at a time, however long an answer takes', async () => {
    const rig = await fedAgain([], {}, { idlePollMs: 1_000 });
    let [underWay, most, asked] = [0, 0, 0];
    rig.service.lookup = async () => {
      asked += 1;
      underWay += 1;
      most = Math.max(most, underWay);
      await rig.clock.sleep(30_000);
      underWay -= 1;
      return { kind: 'unavailable', evidence: { httpStatus: null, code: 'timeout', message: '', requestId: null } };
    };
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(600_000));
    runner.stop();
    await rig.clock.drive(running);
    assert.deepEqual([most, asked <= 18], [1, true], `${asked} times, ${most} at once`);
  });

  test('delays no other released row while it waits to be looked up', async () => {
    const rig = await fedAgain([aRow(3, { status: 'held' })]);
    failLookUps(rig, () => true);
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(3_600_000));
    await releaseRows(mary(rig), 'batch-2', [3]);
    await rig.clock.drive(rig.clock.sleep(120_000));
    assert.deepEqual(await rig.states('batch-2'), ['ready', 'completed']);
    runner.stop();
    await rig.clock.drive(running);
  });

  test('is asked for less and less often if no look-up is answered, is held after a day, and tried again when it is released', async () => {
    const rig = await fedAgain([aRow(3)]);
    let isDown = true;
    const askedAt = failLookUps(rig, () => isDown);
    const from = rig.clock.now();
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
    assert.ok(askedAt.length > 200 && askedAt.length < 400, `${askedAt.length} times`);
    const lasted = (askedAt.at(-1) ?? 0) - from;
    assert.ok(lasted >= dayMs && lasted < dayMs + 600_000, `${lasted}`);
    const [problem] = JSON.parse((await rig.row(1, 'batch-2')).problems ?? '[]');
    assert.equal(problem.code, 'NOT_LOOKED_UP');
    assert.match(problem.message, /Since 2026-11-20T09:\d\d.* no answer .*\(run-1\/ref-1: unparsable\)/);
    const holds = await rig.db.query<{ body: string }>(`SELECT body FROM events WHERE kind = 'row.hold'`);
    assert.ok(holds.length === 1 && holds.every(({ body }) => !body.includes('ref-1')));
    assert.ok(rig.warnings.some((message) => message.includes('a person must decide')));
    assert.equal(sent(rig).length, 3);

    await releaseRows(mary(rig), 'batch-2', []);
    const before = askedAt.length;
    const running = rig.runner().run(36 * 3_600_000);
    await rig.clock.drive(rig.clock.sleep(60_000));
    assert.ok(askedAt.length > before + 1);
    isDown = false;
    await rig.clock.drive(running);
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'completed']);
    assert.deepEqual(await rig.db.query('SELECT * FROM unanswered_lookups'), []);
  });

  test('is held a day after the first unanswered look-up, however often the program is started meanwhile', async () => {
    const rig = await fedAgain();
    failLookUps(rig, () => true);
    for (let hours = 0; hours < 20; hours += 5) {
      const runner = rig.runner();
      const running = runner.run(Number.POSITIVE_INFINITY);
      await rig.clock.drive(rig.clock.sleep(5 * 3_600_000));
      runner.stop();
      await rig.clock.drive(running);
    }
    assert.deepEqual(await rig.states('batch-2'), ['ready']);
    await rig.clock.drive(rig.clock.sleep(5 * 3_600_000));
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
  });

  test('gives its place among the first rows to another, and is held', async () => {
    const rig = await fedAgain([aRow(3)], { policy: JSON.stringify({ canary: { rows: 1 } }) });
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
  });

  test('in doubt is asked for ever less often while it cannot be looked up, and ends once it can', async () => {
    const rig = await fedAgain();
    rig.service.script('run-1/ref-1~2', 'lose_request');
    const { lookup } = rig.service;
    const evidence = { httpStatus: 200, code: 'unparsable', message: '', requestId: null };
    let [isUnreadable, asked] = [false, 0];
    rig.service.lookup = async (reference) => {
      if (!isUnreadable || reference !== 'run-1/ref-1') return lookup(reference);
      asked += 1;
      return { kind: 'unavailable', evidence };
    };
    const runner = rig.runner();
    const running = runner.run(Number.POSITIVE_INFINITY);
    const after = (ms: number) => rig.clock.drive(rig.clock.sleep(ms));
    await after(30_000);
    assert.deepEqual(await rig.states('batch-2'), ['in_doubt']);
    isUnreadable = true;
    await after(4 * 3_600_000);
    assert.ok(asked > 4 && asked < 20, `${asked} times`);
    isUnreadable = false;
    await after(4 * 3_600_000);
    runner.stop();
    await rig.clock.drive(running);
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
    assert.equal(rig.service.charges.filter(({ reference }) => reference === 'run-1/ref-1~2').length, 1);
  });

  test('leaves nothing to retry in the batch in which it failed', async () => {
    const rig = await fedAgain();
    await rig.run();
    const { retried, kept } = await retry(rig);
    assert.equal(retried, 0);
    assert.match(kept[0]?.why ?? '', /batch batch-2, row 1 has tried it again/);
  });

  test('is skipped if the batch in which it failed has tried it again first', async () => {
    const rig = await fedAgain();
    assert.equal((await retry(rig)).retried, 1);
    await rig.db.execute(`UPDATE batches SET priority = 'urgent' WHERE batch_id = 'batch-1'`);
    await rig.run();
    assert.equal(sent(rig).filter((reference) => reference === 'run-1/ref-1~2').length, 1);
    assert.deepEqual(await rig.states(), ['completed', 'completed']);
    // It asked for another amount, so that a person looks at it.
    assert.deepEqual(await rig.states('batch-2'), ['held']);
    assert.match((await rig.row(1, 'batch-2')).problems ?? '', /REFERENCE_REUSED/);
  });
});
