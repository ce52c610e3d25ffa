import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { releaseRows, skipRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { addToInbox } from '../../../src/ledger/accounts/webhook-inbox.ts';
import { openPausesOfAccount } from '../../../src/ledger/batches/pauses.ts';
import { makeRig, type Rig } from '../../support/engine.ts';
import { v1Policy, v2Policy } from '../../support/fake-service.ts';
import { anInboxEntry, aRow, setPause } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';
import { callbackBody } from '../../support/webhooks.ts';

const dayMs = 24 * 3_600_000;
const mary = ({ db, clock }: Rig) => ({ db, clock, person: 'mary', through: 'cli' as const });
const unanswered = {
  kind: 'unavailable',
  evidence: { httpStatus: 503, code: 'http_503', message: 'offline', requestId: null },
} as const;

interface Again {
  rowRef?: string;
  runId?: string;
  policy?: string;
}

/** A row of run-1 has failed. */
async function failedOnce(options: Parameters<typeof makeRig>[0] = {}): Promise<Rig> {
  const rig = await makeRig(options);
  rig.service.ends('run-1/ref-1', 'failed');
  await rig.add([aRow(1)]);
  await rig.run();
  assert.deepEqual(await rig.states(), ['failed']);
  rig.service.lookUps.length = 0;
  return rig;
}

/** Beside those of the row's own payment, which a runner looks up where the service has no list. */
const readsOfFailed = ({ service }: Rig) => service.lookUps.filter((reference) => reference === 'run-1/ref-1');

/** The same person is to be sent the same, by another batch. */
function addAgain(rig: Rig, { rowRef = 'new-ref', runId = 'run-1', policy = '{}' }: Again = {}): Promise<void> {
  const batch = { batch_id: 'batch-2', run_id: runId, policy, created_at: rig.clock.now() };
  return rig.add([aRow(1, { row_ref: rowRef })], batch);
}

const ways: [string, Again][] = [
  ['under the same run id and another reference', {}],
  ['under the same reference and another run id', { rowRef: 'ref-1', runId: 'run-2' }],
  ['under another reference and another run id', { runId: 'run-2' }],
  ['under the same run id where the policy compares no runs', { policy: '{"repeatWithinDays":0}' }],
];

test('a 429 to one of several failed payments that are read at once is obeyed, whatever the others answer', async () => {
  const rig = await failedOnce();
  rig.service.ends('run-2/ref-1', 'failed');
  await addAgain(rig, { rowRef: 'ref-1', runId: 'run-2' });
  await rig.run();
  assert.deepEqual(await rig.states('batch-2'), ['failed']);
  const { lookup, create } = rig.service;
  const first = new Map<string, Awaited<ReturnType<typeof lookup>>>([
    ['run-1/ref-1', unanswered],
    ['run-2/ref-1', { kind: 'throttled', retryAfterMs: 40_000, evidence: unanswered.evidence }],
  ]);
  let throttledAt: number | null = null;
  rig.service.lookup = async (reference) => {
    const answer = first.get(reference) ?? (await lookup(reference));
    if (answer.kind === 'throttled') throttledAt = rig.clock.now();
    first.delete(reference);
    return answer;
  };
  const sentAfter: number[] = [];
  rig.service.create = async (request) => {
    const waitedMs = throttledAt === null ? null : rig.clock.now() - throttledAt;
    const outcome = await create(request);
    if (waitedMs !== null && outcome.kind !== 'not_sent') sentAfter.push(waitedMs);
    return outcome;
  };
  await rig.add([aRow(1, { row_ref: 'third' }), aRow(2)], { batch_id: 'batch-3', run_id: 'run-3' });
  await rig.run();
  assert.deepEqual(await rig.states('batch-3'), ['completed', 'completed']);
  assert.ok(sentAfter.length > 0 && Math.min(...sentAfter) >= 40_000, sentAfter.join());
});

for (const [version, options] of [
  ['of a service with a list', { policy: v2Policy }],
  ['of a service without a list', { policy: v1Policy, list: false }],
] as const) {
  describe(`a failed payment ${version} that a row would repeat for the same person`, () => {
    for (const [way, again] of ways) {
      test(`is read once before the row is sent ${way}: if it arrived after all, the row is held`, async () => {
        const rig = await failedOnce(options);
        await addAgain(rig, again);
        rig.service.ends('run-1/ref-1', 'completed');
        await rig.run();
        assert.deepEqual(await rig.states('batch-2'), ['held']);
        assert.deepEqual([rig.service.charges.length, readsOfFailed(rig)], [1, ['run-1/ref-1']]);
        assert.match((await rig.row(1, 'batch-2')).problems ?? '', /batch-1, row 1 \(run run-1, completed/);
        const { status, contradicted } = await rig.row(1);
        assert.deepEqual([status, contradicted], ['failed', 'completed']);
      });

      test(`lets the row pass if it is sent ${way} and the failure is confirmed`, async () => {
        const rig = await failedOnce(options);
        await addAgain(rig, again);
        await rig.run();
        assert.deepEqual(await rig.states('batch-2'), ['completed']);
        assert.deepEqual(readsOfFailed(rig), ['run-1/ref-1']);
        assert.equal((await rig.row(1)).contradicted, null);
      });
    }

    test('holds the row without a read if the ledger knows already that it arrived', async () => {
      const rig = await failedOnce(options);
      await rig.db.execute(
        `UPDATE rows SET contradicted = 'completed', contradicted_at = 5 WHERE batch_id = 'batch-1'`,
      );
      await addAgain(rig, { runId: 'run-2' });
      await rig.run();
      assert.deepEqual([await rig.states('batch-2'), readsOfFailed(rig)], [['held'], []]);
    });

    test('is read again if the batch was approved days ago and is only now sent', async () => {
      const rig = await makeRig(options);
      await addAgain(rig, { runId: 'run-2' });
      await rig.db.execute(`UPDATE batches SET status = 'paused' WHERE batch_id = 'batch-2'`);
      rig.service.ends('run-1/ref-1', 'failed');
      await rig.add([aRow(1)]);
      await rig.run();
      assert.deepEqual(await rig.states(), ['failed']);
      await rig.clock.drive(rig.clock.sleep(5 * dayMs));
      rig.service.ends('run-1/ref-1', 'completed');
      await rig.db.execute(`UPDATE batches SET status = 'running' WHERE batch_id = 'batch-2'`);
      await rig.run();
      assert.deepEqual([await rig.states('batch-2'), rig.service.charges.length], [['held'], 1]);
    });
  });
}

describe('a row that pays the same as a failed one', () => {
  test('waits while the service does not answer about the failed one, and is sent once that is confirmed', async () => {
    const rig = await failedOnce();
    await addAgain(rig);
    const { lookup } = rig.service;
    rig.service.lookup = async () => unanswered;
    const running = rig.runner().run(36 * 3_600_000);
    await rig.clock.drive(rig.clock.sleep(3_600_000));
    assert.deepEqual([await rig.states('batch-2'), rig.service.charges.length], [['ready'], 1]);
    rig.service.lookup = lookup;
    await rig.clock.drive(running);
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
  });

  test('is not sent if a payment fails between its reads and its intent, before that one was read as well', async () => {
    const rig = await failedOnce();
    // As another process of the account has it: the row fails while the reads of this one are under way.
    await rig.db.execute(`UPDATE rows SET status = 'accepted' WHERE batch_id = 'batch-1'`);
    await rig.add([aRow(1, { row_ref: 'other' })], { batch_id: 'batch-3', run_id: 'run-3', created_at: 1 });
    await rig.db.execute(
      `UPDATE rows SET status = 'failed', service_status = 'failed', first_sent_at = 1 WHERE batch_id = 'batch-3'`,
    );
    await rig.db.execute(`UPDATE batches SET status = 'completed' WHERE batch_id IN ('batch-1', 'batch-3')`);
    await rig.db.execute(`UPDATE rows SET first_sent_at = ${rig.clock.now()} WHERE batch_id = 'batch-3'`);
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      await rig.db.execute(`UPDATE rows SET status = 'failed' WHERE batch_id = 'batch-1'`);
      return lookup(reference);
    };
    await addAgain(rig, { runId: 'run-2' });
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.run();
    assert.deepEqual([await rig.states('batch-2'), rig.service.charges.length], [['held'], 1]);
    assert.deepEqual(rig.service.lookUps.slice(0, 2), ['run-3/other', 'run-1/ref-1']);
  });

  test('is held though a person has released it for another payment, which was sent later than the failed one', async () => {
    const rig = await failedOnce();
    await rig.add([aRow(1, { row_ref: 'meant' })], { batch_id: 'batch-3', run_id: 'run-3' });
    await rig.run();
    await addAgain(rig, { runId: 'run-2' });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
    await releaseRows(mary(rig), 'batch-2', []);
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.run();
    assert.deepEqual([await rig.states('batch-2'), rig.service.charges.length], [['held'], 2]);
    await releaseRows(mary(rig), 'batch-2', []);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed'], 'who lets it go then has been shown both');
  });

  test('is held if the failed one is to be retried and was not yet, or was skipped since', async () => {
    for (const decide of [
      async () => undefined,
      (rig: Rig) => skipRows(mary(rig), 'batch-1', [], 'no longer needed', { state: 'ready' }),
    ]) {
      const rig = await failedOnce();
      const asked = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
      await rig.clock.drive(retryFailed(mary(rig), asked, 'batch-1', { codes: [] }));
      await setPause(rig.db, 'by_person');
      await decide(rig);
      rig.service.ends('run-1/ref-1', 'completed');
      await addAgain(rig, { runId: 'run-2' });
      await rig.run();
      assert.deepEqual([await rig.states('batch-2'), rig.service.charges.length], [['held'], 1]);
    }
  });

  test('is not sent again while it is in doubt, once the failed one has arrived', async () => {
    const rig = await failedOnce();
    await addAgain(rig, { runId: 'run-2' });
    rig.service.script('run-2/new-ref', 'lose_request');
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      if (reference === 'run-2/new-ref') rig.service.ends('run-1/ref-1', 'completed');
      return lookup(reference);
    };
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['in_doubt']);
    assert.match((await rig.row(1, 'batch-2')).failure_reason ?? '', /batch-1, row 1 may have paid the same/);
    assert.equal(rig.service.charges.length, 1);
  });

  test('needs no read if both are in one file, or if it pays something else in another run', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add([aRow(1), aRow(2, { phone_number: aRow(1).phone_number, amount: aRow(1).amount })]);
    await rig.add([aRow(1, { amount: '77', row_ref: 'else' })], { batch_id: 'batch-2', run_id: 'run-2' });
    await rig.run();
    assert.deepEqual([await rig.states(), await rig.states('batch-2')], [['failed', 'completed'], ['completed']]);
    assert.deepEqual(rig.service.lookUps, []);
  });

  test('has each failed payment read once, however many rows need it at the same moment', async () => {
    const rig = await failedOnce({ settings: { rowsPerAdmission: 16 } });
    const again = [1, 2, 3].map((rowNo) => aRow(rowNo, { ...termsOfFirst, row_ref: `again-${rowNo}` }));
    await rig.add(again, { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual([await rig.states('batch-2'), rig.service.lookUps], [Array(3).fill('completed'), ['run-1/ref-1']]);
  });
});

const termsOfFirst = { phone_number: aRow(1).phone_number, amount: aRow(1).amount };

for (const [status, topupId] of [
  ['completed', 'second'],
  ['in_doubt', null],
] as const)
  test(`a failed payment that arrived counts also if its row is ${status} again when the service answers`, async () => {
    const rig = await failedOnce();
    const [first] = [...rig.service.payments.values()];
    rig.service.ends('run-1/ref-1', 'completed');
    await addAgain(rig, { runId: 'run-2' });
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      const outcome = await lookup(reference);
      if (reference === 'run-1/ref-1')
        await rig.db.execute(
          `UPDATE rows SET status = ?, generation = 2, topup_id = ?, service_status = ?, next_action_at = NULL
           WHERE batch_id = 'batch-1'`,
          [status, topupId, topupId && 'completed'],
        );
      return outcome;
    };
    await rig.run();
    const { second_topup_id } = await rig.row(1);
    const late = await rig.db.query('SELECT topup_id FROM late_charges');
    assert.deepEqual([second_topup_id, late], [topupId && first?.topupId, [{ topup_id: first?.topupId }]]);
    const halts = (await openPausesOfAccount(rig.db, 'main')).filter(({ batch_id }) => batch_id === null);
    assert.equal(halts.length, topupId === null ? 0 : 1);
    assert.deepEqual(await rig.states('batch-2'), ['held']);
  });

describe('a retry of a failed row that the service contradicts', () => {
  test('leaves it unchanged, shows the service’s answer, and the row counts as paid from then on', async () => {
    const rig = await failedOnce();
    rig.service.ends('run-1/ref-1', 'completed');
    const asked = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    const { retried, kept } = await rig.clock.drive(retryFailed(mary(rig), asked, 'batch-1', { codes: [] }));
    assert.equal(retried, 0);
    assert.match(kept[0]?.why ?? '', /run-1\/ref-1 is completed: it may be paid/);
    assert.equal((await rig.row(1)).contradicted, 'completed');
  });

  test('reads the payment itself if the list still shows it as failed', async () => {
    const rig = await failedOnce();
    await rig.db.execute(`UPDATE rows SET contradicted = 'completed', contradicted_at = 5`);
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      const outcome = await lookup(reference);
      rig.service.ends('run-1/ref-1', 'completed');
      return outcome;
    };
    const asked = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    assert.equal((await rig.clock.drive(retryFailed(mary(rig), asked, 'batch-1', { codes: [] }))).retried, 0);
  });

  /** A webhook says that the payment was completed, and all reads still show it as failed. */
  async function contradictedByWebhook(): Promise<Rig> {
    const rig = await failedOnce();
    const [payment] = [...rig.service.payments.values()];
    const { phone_number } = await rig.row(1);
    const said = { id: payment?.topupId ?? '', status: 'completed', reference: 'run-1/ref-1' };
    const body = callbackBody({ ...said, phone_number: phone_number ?? '' });
    await addToInbox(rig.db, anInboxEntry({ scheme: 'callback', body, received_at: rig.clock.now() }));
    const staying = rig.runner();
    const running = staying.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(5_000));
    staying.stop();
    await rig.clock.drive(running);
    assert.equal((await rig.row(1)).contradicted, 'completed');
    return rig;
  }

  test('leaves it unchanged for a day, even if all reads show it as failed: they may lag behind a webhook', async () => {
    const rig = await contradictedByWebhook();
    const asked = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    const retry = () => rig.clock.drive(retryFailed(mary(rig), asked, 'batch-1', { codes: [] }));
    const { retried, kept } = await retry();
    await rig.run();
    assert.deepEqual([retried, rig.service.charges.length], [0, 1]);
    assert.match(kept[0]?.why ?? '', /the service says that run-1\/ref-1 is completed: it may be paid/);
    await rig.clock.drive(rig.clock.sleep(dayMs));
    assert.equal((await retry()).retried, 1);
  });

  test('is not sent by the same file either, if that was run again before the webhook came', async () => {
    const rig = await contradictedByWebhook();
    await rig.add([aRow(1)], { batch_id: 'batch-2' });
    await rig.db.execute(`UPDATE rows SET generation = 2 WHERE batch_id = 'batch-2'`);
    await rig.run();
    assert.deepEqual([await rig.states('batch-2'), rig.service.charges.length], [['held'], 1]);
    assert.match((await rig.row(1, 'batch-2')).problems ?? '', /MAY_BE_PAID.*says completed of that payment/);
    // A person who releases it has asked the recipient.
    await releaseRows(mary(rig), 'batch-2', []);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
  });
});
