import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeContentDigest } from '../../../src/core/identity/content-digest.ts';
import { approve, pauseBatch, rejectBatch, requestApproval } from '../../../src/engine/batches/batch-commands.ts';
import { releaseRows, skipRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { resolveDoubt } from '../../../src/engine/decisions/resolve.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { preflight } from '../../../src/engine/plan/preflight.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { findBatch } from '../../../src/ledger/batches/batches.ts';
import { requireBatch } from '../../../src/ledger/batches/require-batch.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aBatch, addBatch, approvalBy, aRow, beforeTransaction, idlePace, unplanned } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

/**
 * Batch 1 has failed in row 1 and paid row 2. Batch 2 of the same run asks for row 1 again, for another amount under
 * the reference of row 2, and for a row 3 of its own that a person is to look at; all three are held.
 */
async function heldRows(): Promise<Rig> {
  const rig = await makeRig();
  rig.service.ends('run-1/ref-1', 'failed');
  await rig.add(someRows(2));
  await rig.run();
  assert.deepEqual(await rig.states(), ['failed', 'completed']);
  const rows = [aRow(1), aRow(2, { amount: '999' }), aRow(3, { status: 'held' })];
  await rig.add(rows, { batch_id: 'batch-2' });
  await rig.run();
  assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'held']);
  return rig;
}

const mary = ({ db, clock }: Rig) => ({ db, clock, person: 'mary', through: 'cli' as const });

describe('releasing rows whose reference another batch has', () => {
  for (const [rowNos, code, hint] of [
    [[1], 'FAILED_BEFORE', /airbatch retry batch-1/],
    [[3, 1], 'FAILED_BEFORE', /airbatch retry batch-1/],
    [[3, 2], 'REFERENCE_REUSED', /new reference/],
  ] as const) {
    test(`is refused if they are named (${rowNos}), and releases none of the others`, async () => {
      const rig = await heldRows();
      await assert.rejects(
        releaseRows(mary(rig), 'batch-2', rowNos),
        (error: Error & { code: string; hint: string }) => {
          assert.equal(error.code, 'ROW_NOT_RELEASABLE');
          assert.match(
            error.message,
            new RegExp(`row ${rowNos.at(-1)} of batch batch-2 .*${code}.*batch batch-1, row`),
          );
          assert.match(error.hint, hint);
          return true;
        },
      );
      assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'held']);
    });
  }

  test('leaves them held if all are released, and says so', async () => {
    const rig = await heldRows();
    const { released, kept } = await releaseRows(mary(rig), 'batch-2', []);
    assert.equal(released, 1);
    assert.deepEqual(
      kept.map(({ row, code }) => [row, code]),
      [
        [1, 'FAILED_BEFORE'],
        [2, 'REFERENCE_REUSED'],
      ],
    );
    assert.match((await rig.row(1, 'batch-2')).problems ?? '', /FAILED_BEFORE/);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'completed']);
    assert.equal(await skipRows(mary(rig), 'batch-2', [], 'retried in batch-1'), 2);
  });

  for (const [ends, code, hint] of [
    ['failed', 'FAILED_BEFORE', /airbatch retry batch-3/],
    ['completed', 'ALREADY_PAID', /^Skip it here/],
  ] as const) {
    test(`names the batch that tried the row last, which was then ${ends}`, async () => {
      const rig = await heldRows();
      rig.service.ends('run-1/ref-1~2', ends);
      await rig.add([aRow(1)], { batch_id: 'batch-3' });
      await rig.db.execute(`UPDATE rows SET generation = 2 WHERE batch_id = 'batch-3'`);
      await rig.run();
      assert.deepEqual(await rig.states('batch-3'), [ends]);
      const { kept } = await releaseRows(mary(rig), 'batch-2', []);
      assert.equal(kept[0]?.code, code);
      assert.match(kept[0]?.why ?? '', /batch batch-3, row 1/);
      assert.match(kept[0]?.suggestion ?? '', hint);
    });
  }

  test('is possible once the other batch has paid the row, which is then skipped', async () => {
    const rig = await heldRows();
    rig.service.ends('run-1/ref-1~2', 'completed');
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock, { paceMs: 0 }) };
    const retrying = retryFailed(mary(rig), service, 'batch-1', { codes: [] });
    assert.equal((await rig.clock.drive(retrying)).retried, 1);
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed', 'completed']);
    assert.equal((await releaseRows(mary(rig), 'batch-2', [1])).released, 1);
    await rig.run();
    assert.equal((await rig.states('batch-2'))[0], 'skipped');
    assert.equal(rig.service.charges.filter(({ reference }) => reference === 'run-1/ref-1').length, 1);
  });
});

test('a ready row is not skipped as a held one, and the message says how to cancel it', async () => {
  const rig = await makeRig();
  await rig.add(someRows(1));
  await assert.rejects(skipRows(mary(rig), 'batch-1', [1], 'paid in cash'), {
    code: 'BATCH_STATE',
    hint: 'It waits for its turn. To skip it: airbatch pause batch-1 --why TEXT, then airbatch skip batch-1 1 --unsent --why TEXT',
  });
});

test('a released row of a batch with other open rows is sent at once, by the running program', async () => {
  const rig = await makeRig({ settleMs: 100 * 24 * 3_600_000 });
  await rig.add([aRow(1, { status: 'held' }), aRow(2)]);
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(10 * 60_000));
  assert.deepEqual(await rig.states(), ['held', 'accepted']);
  await rig.clock.drive(releaseRows(mary(rig), 'batch-1', []));
  await rig.clock.drive(rig.clock.sleep(2 * 60_000));
  assert.deepEqual(await rig.states(), ['accepted', 'accepted']);
  assert.equal(rig.service.creates.length, 2);
  runner.stop();
  await rig.clock.drive(running);
});

test('rows that are held after a person looked stay held until that person looks again', async () => {
  const rig = await makeRig();
  await rig.add([aRow(1)]);
  await rig.run();
  await rig.add([aRow(1), aRow(2, { status: 'held' })], { batch_id: 'batch-2', run_id: 'run-2' });
  const seen = (await findBatch(rig.db, 'batch-2'))?.audit_seq ?? 0;
  await rig.run();
  assert.deepEqual(await rig.states('batch-2'), ['held', 'held']);
  const all = await releaseRows(mary(rig), 'batch-2', [], seen);
  assert.equal(all.released, 1);
  assert.deepEqual(
    all.kept.map(({ row, code }) => [row, code]),
    [[1, 'SENT_LATELY']],
  );
  assert.match(all.kept[0]?.suggestion ?? '', /held after you were asked/);
  assert.equal((await releaseRows(mary(rig), 'batch-2', [1], seen)).released, 0);
  assert.equal(await skipRows(mary(rig), 'batch-2', [], 'the same payment', { seenSeq: seen }), 0);
  const again = (await findBatch(rig.db, 'batch-2'))?.audit_seq ?? 0;
  assert.equal((await releaseRows(mary(rig), 'batch-2', [1], again)).released, 1);
});

const by = ({ db, clock }: Rig, person: string) => ({ db, clock, person, through: 'cli' as const });

/** Of Sam's batch one row is ready, and one is held; it was not approved yet. */
async function unapproved(policy: Record<string, unknown> = { approval: { needed: 'always' } }): Promise<Rig> {
  const rig = await makeRig();
  const rows = [aRow(1), aRow(2, { status: 'held' }), aRow(3, { status: 'skipped' }), aRow(4, { status: 'invalid' })];
  const digest = makeContentDigest();
  for (const row of rows) digest.add(row);
  const made = { policy: JSON.stringify(policy), created_by: 'sam', content_sha256: digest.hex() };
  await addBatch(rig.db, rig.clock, aBatch(made), rows);
  return rig;
}

async function waiting(policy?: Record<string, unknown>): Promise<Rig> {
  const rig = await unapproved(policy);
  await requestApproval(by(rig, 'sam'), 'batch-1', approvalBy(1));
  return rig;
}

/** What a person is shown of the batch. */
async function shown(rig: Rig) {
  const evidence = { httpStatus: null, code: 'x', message: 'x', requestId: null };
  const rate = {
    limit: 60,
    windowMs: 60_000,
    sendsTexts: true,
    sameNumberSpacingMs: 0,
    priceOf: async () => null,
    networkName: async () => '',
  };
  const ahead = { pace: idlePace, now: rig.clock.now() };
  const plan = await preflight(rig.db, await rig.batch(), { kind: 'unavailable', evidence }, { ...rate, ...ahead });
  return { balance: null, plan };
}

test('a batch that needs a second person cannot be approved without one, whoever calls', async () => {
  const rig = await unapproved();
  for (const name of ['sam', 'ann']) {
    await assert.rejects(approve(by(rig, name), 'batch-1', await shown(rig)), {
      code: 'SECOND_PERSON_NEEDED',
      message: /every batch needs a second person/,
      reason: { code: 'APPROVAL_NEEDED', values: {} },
    });
  }
  assert.equal((await rig.batch()).status, 'validated');
  const large = await unapproved({ approval: { needed: 'above', sums: { KES: '100' } } });
  await assert.rejects(approve(by(large, 'ann'), 'batch-1', unplanned), { code: 'SECOND_PERSON_NEEDED' });
  const small = await unapproved({ approval: { needed: 'above', sums: { KES: '101' } } });
  await approve(by(small, 'sam'), 'batch-1', unplanned);
});

test('the submitter of a batch that waits for a second person cannot approve it, whoever calls', async () => {
  const rig = await waiting();
  await assert.rejects(approve(by(rig, 'sam'), 'batch-1', await shown(rig)), {
    code: 'SECOND_PERSON_NEEDED',
    message: /^sam submitted batch batch-1, and cannot approve it/,
    reason: { code: 'OWN_BATCH', values: { did: 'submitted', name: 'sam' } },
  });
  assert.equal((await rig.batch()).status, 'awaiting_approval');
  assert.equal((await approve(by(rig, 'ann'), 'batch-1', await shown(rig))).status, 'approved');
});

test('a batch without rows to send needs no second person', async () => {
  const rig = await unapproved();
  await rig.db.execute("UPDATE rows SET status = 'held' WHERE row_no = 1");
  assert.equal((await approve(by(rig, 'sam'), 'batch-1', unplanned)).status, 'approved');
});

const approvedRows = async (rig: Rig) => JSON.parse((await rig.batch()).approved_plan ?? '{}').rows;

describe('releasing rows of a batch that is not approved yet', () => {
  test('is refused to the submitter while a second person is asked, as after the approval', async () => {
    const rig = await waiting();
    for (const rowNos of [[], [2]])
      await assert.rejects(releaseRows(by(rig, 'sam'), 'batch-1', rowNos), { code: 'SECOND_PERSON_NEEDED' });
    assert.equal((await rig.row(2)).status, 'held');
    assert.equal((await releaseRows(by(rig, 'ann'), 'batch-1', [])).released, 1);
    const own = await waiting({ approval: { needed: 'always', bySubmitter: true } });
    assert.equal((await releaseRows(by(own, 'sam'), 'batch-1', [])).released, 1);
  });

  test('is refused to the submitter even if no second person was needed at the beginning', async () => {
    const rig = await unapproved();
    const db = beforeTransaction(rig.db, () => requestApproval(by(rig, 'sam'), 'batch-1', approvalBy(1)));
    await assert.rejects(releaseRows({ ...by(rig, 'sam'), db }, 'batch-1', []), { code: 'SECOND_PERSON_NEEDED' });
    assert.equal((await rig.row(2)).status, 'held');
  });

  test('makes an approver look again who saw the plan before', async () => {
    const rig = await waiting();
    const seen = await shown(rig);
    assert.deepEqual(seen.plan.sums, { KES: '101' });
    await releaseRows(by(rig, 'joe'), 'batch-1', []);
    await assert.rejects(approve(by(rig, 'ann'), 'batch-1', seen), (error: Error & { code: string; hint: string }) => {
      assert.equal(error.code, 'CONTENT_CHANGED');
      assert.match(
        error.message,
        /would send 2 rows \(KES 203\.00\), and what was to be approved is 1 row \(KES 101\.00\)/,
      );
      assert.match(error.hint, /airbatch approve batch-1/);
      return true;
    });
    assert.equal((await rig.batch()).status, 'awaiting_approval');
    await approve(by(rig, 'ann'), 'batch-1', await shown(rig));
    assert.equal(await approvedRows(rig), 2);
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed', 'completed', 'skipped', 'invalid']);
  });

  test('changes the plan in its number of rows, its products and each sum, which are compared', async () => {
    const rig = await waiting();
    const { balance, plan } = await shown(rig);
    for (const other of [
      { toSend: 2 },
      { products: 1 },
      { sums: { KES: '100' } },
      { sums: {} },
      { sums: { USD: '101' } },
    ])
      await assert.rejects(approve(by(rig, 'ann'), 'batch-1', { balance, plan: { ...plan, ...other } }), {
        code: 'CONTENT_CHANGED',
      });
    await approve(by(rig, 'ann'), 'batch-1', { balance, plan: { ...plan, sums: { KES: '101.00' } } });
  });

  test('is also detected at the moment of the approval', async () => {
    const rig = await waiting();
    const db = beforeTransaction(rig.db, () => releaseRows(by(rig, 'joe'), 'batch-1', []));
    await assert.rejects(approve({ ...by(rig, 'ann'), db }, 'batch-1', await shown(rig)), { code: 'CONTENT_CHANGED' });
    assert.equal((await rig.batch()).status, 'awaiting_approval');
  });

  test('is detected without a second person: what was planned is approved, and nothing else', async () => {
    const rig = await unapproved({ canary: { rows: 1 } });
    const seen = await shown(rig);
    await releaseRows(by(rig, 'joe'), 'batch-1', []);
    await assert.rejects(approve(by(rig, 'sam'), 'batch-1', seen), {
      code: 'CONTENT_CHANGED',
      hint: /run the file again/,
    });
    const other = await unapproved({ canary: { rows: 1 } });
    await approve(by(other, 'sam'), 'batch-1', await shown(other));
    assert.equal(await approvedRows(other), 1);
    await releaseRows(by(other, 'joe'), 'batch-1', []);
    await other.run();
    assert.deepEqual(await other.states(), ['completed', 'completed', 'skipped', 'invalid']);
  });
});

describe('releasing rows after an approval that needed no second person', () => {
  /**
   * Sam's batch of two ready rows and `held` more, sent as it is, where more than three rows, or KES 500, need a
   * second person.
   */
  async function below(held: number, approval: Record<string, unknown> = {}): Promise<Rig> {
    const rig = await makeRig();
    const rows = [aRow(1), aRow(2), ...Array.from({ length: held }, (_, index) => aRow(index + 3, { status: 'held' }))];
    const policy = { approval: { needed: 'above', rows: 3, sums: { KES: '5000' }, ...approval } };
    await rig.add(rows, { policy: JSON.stringify(policy), created_by: 'sam' });
    await rig.run();
    return rig;
  }
  const refused = { code: 'SECOND_PERSON_NEEDED' };

  test('needs one as soon as the batch would have needed one with them, however few at a time', async () => {
    const rig = await below(3);
    assert.equal((await releaseRows(by(rig, 'sam'), 'batch-1', [3])).released, 1);
    await assert.rejects(releaseRows(by(rig, 'sam'), 'batch-1', [4]), {
      ...refused,
      message: /cannot release these rows of it: with them, 4 rows are more than the 3 that go without a second person/,
      reason: { code: 'OWN_RELEASE', values: { did: 'submitted', name: 'sam' } },
    });
    assert.equal((await releaseRows(by(rig, 'ann'), 'batch-1', [4])).released, 1);
    await assert.rejects(releaseRows(by(rig, 'sam'), 'batch-1', [5]), refused);
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed', 'completed', 'completed', 'completed', 'held']);
    await assert.rejects(releaseRows(by(rig, 'sam'), 'batch-1', [5]), refused);
  });

  test('needs one for all of them, or releases none', async () => {
    // The first transaction alone, of 500 rows, would need none.
    const rig = await below(600, { rows: 550, sums: {} });
    await assert.rejects(releaseRows(by(rig, 'sam'), 'batch-1', []), refused);
    assert.equal(new Set((await rig.states()).slice(2)).size, 1);
    assert.equal((await releaseRows(by(rig, 'ann'), 'batch-1', [])).released, 600);
  });

  test('needs one for a sum, and for a product if sums have a limit', async () => {
    const sums = { rows: undefined, sums: { KES: '306' } };
    const rig = await below(2, sums);
    assert.equal((await releaseRows(by(rig, 'sam'), 'batch-1', [3])).released, 1);
    await assert.rejects(releaseRows(by(rig, 'sam'), 'batch-1', [4]), {
      message: /KES 410\.00 is more than the KES 306\.00/,
    });
    await rig.db.execute('UPDATE rows SET amount = NULL, currency = NULL WHERE row_no = 4');
    await assert.rejects(releaseRows(by(rig, 'sam'), 'batch-1', [4]), { message: /buys products/ });
  });

  test('is checked in the transaction that releases them, even if somebody else has just released others', async () => {
    const rig = await below(2);
    const db = beforeTransaction(rig.db, () => releaseRows(by(rig, 'sam'), 'batch-1', [3]));
    await assert.rejects(releaseRows({ ...by(rig, 'sam'), db }, 'batch-1', [4]), refused);
    assert.equal((await rig.row(4)).status, 'held');
  });

  test('is allowed to the submitter if the policy says so, or needs nobody', async () => {
    for (const approval of [{ bySubmitter: true }, { needed: 'never' }, { rows: 5 }]) {
      const rig = await below(3, approval);
      assert.equal((await releaseRows(by(rig, 'sam'), 'batch-1', [])).released, 3);
    }
  });
});

test('a rejected batch has no waiting row, and says that it was rejected', async () => {
  const rig = await waiting();
  assert.equal((await rejectBatch(by(rig, 'ann'), 'batch-1', 'not ours')).status, 'cancelled');
  assert.deepEqual(await rig.states(), ['cancelled', 'cancelled', 'skipped', 'invalid']);
  const told = (await pageEvents(rig.db, 'batch-1', 0, 10)).find(({ kind }) => kind === 'batch.cancel');
  assert.equal(JSON.parse(told?.body ?? '').rejected, 'true');
  await assert.rejects(rejectBatch(by(rig, 'ann'), 'batch-1', 'again'), { code: 'BATCH_STATE' });
});

test('a batch that somebody has just approved can no longer be rejected', async () => {
  const rig = await waiting();
  const seen = await shown(rig);
  const db = beforeTransaction(rig.db, () => approve(by(rig, 'ann'), 'batch-1', seen));
  await assert.rejects(rejectBatch({ ...by(rig, 'joe'), db }, 'batch-1', 'too late'), {
    code: 'BATCH_STATE',
    message: /is approved: it does not wait/,
  });
  assert.equal((await rig.batch()).status, 'approved');
});

test('an approval is for exactly the rows that were checked and that the approver saw', async () => {
  const rig = await waiting();
  const { content_sha256 } = await rig.batch();
  const terms = { ...(await shown(rig)), seenDigest: content_sha256 };
  const refused = { code: 'CONTENT_CHANGED', message: /have changed since they were shown for approval/ };
  await rig.db.execute("UPDATE rows SET phone_number = '+254712099999' WHERE row_no = 1");
  for (const seenDigest of [null, content_sha256])
    await assert.rejects(approve(by(rig, 'ann'), 'batch-1', { ...terms, seenDigest }), refused);
  await rig.db.execute('UPDATE rows SET phone_number = ? WHERE row_no = 1', [aRow(1).phone_number]);
  await assert.rejects(approve(by(rig, 'ann'), 'batch-1', { ...terms, seenDigest: 'of another file' }), refused);
  assert.equal((await rig.batch()).status, 'awaiting_approval');
  assert.equal((await approve(by(rig, 'ann'), 'batch-1', terms)).status, 'approved');
});

test('ready rows can be skipped only after a person has paused their batch: otherwise they may be sent at any moment', async () => {
  const rig = await makeRig();
  await rig.add(someRows(2));
  await assert.rejects(skipRows(mary(rig), 'batch-1', [2], 'she has left', { state: 'ready' }), {
    code: 'BATCH_STATE',
    message: /not paused by a person/,
  });
  assert.deepEqual(await rig.states(), ['ready', 'ready']);
});

describe('a row in doubt', () => {
  async function doubted(nextActionAt: number | null): Promise<Rig> {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.db.execute("UPDATE rows SET status = 'in_doubt', failure_code = 'x', next_action_at = ?", [nextActionAt]);
    return rig;
  }

  for (const as of ['paid', 'not-paid'] as const)
    test(`cannot be resolved as ${as} by a person while it is still looked up`, async () => {
      const rig = await doubted(0);
      await assert.rejects(resolveDoubt(mary(rig), 'batch-1', 1, { as, evidence: 'QK-77' }), {
        code: 'BATCH_STATE',
        message: /still to be looked up/,
      });
      assert.deepEqual(await rig.states(), ['in_doubt']);
    });

  for (const [as, status, code] of [
    ['paid', 'completed', 'RESOLVED_PAID'],
    ['not-paid', 'failed', 'RESOLVED_NOT_PAID'],
  ] as const)
    test(`ends as ${status} if a person resolves it as ${as}, once`, async () => {
      const rig = await doubted(null);
      await resolveDoubt(mary(rig), 'batch-1', 1, { as, evidence: 'QK-77' });
      const row = await rig.row(1);
      assert.deepEqual([row.status, row.failure_code, row.completed_at], [status, code, rig.clock.now()]);
      assert.equal(row.failure_reason, 'mary: QK-77');
      await assert.rejects(resolveDoubt(mary(rig), 'batch-1', 1, { as: 'paid', evidence: 'QK-78' }), {
        code: 'BATCH_STATE',
        message: /not in doubt/,
      });
      assert.equal((await rig.row(1)).status, status);
    });
});

describe('the reasons that people write', () => {
  const why = 'Wanjiku (0712 405 118) has it since 2026-11-22: receipt QK-77';
  const kept = 'Wanjiku ([number]) has it since 2026-11-22: receipt QK-77';
  const isWithoutNumber = async (rig: Rig, batchId: string, kinds: readonly string[]) => {
    const events = (await pageEvents(rig.db, batchId, 0, 100)).filter(({ kind }) => kinds.includes(kind));
    assert.deepEqual(
      events.map(({ kind }) => kind),
      kinds,
    );
    for (const { body } of events) assert.ok(body.includes(kept) && !body.includes('405'), body);
    const { pause_detail, rejection } = await rig.batch(batchId);
    assert.doesNotMatch(`${pause_detail} ${rejection}`, /405/);
  };

  test('are in the audit chain without phone numbers, and complete in rows, which can be forgotten', async () => {
    const rig = await heldRows();
    await skipRows(mary(rig), 'batch-2', [2], why);
    await rig.db.execute(
      "UPDATE rows SET status = 'in_doubt', next_action_at = NULL WHERE batch_id = ? AND row_no = 3",
      ['batch-2'],
    );
    await resolveDoubt(mary(rig), 'batch-2', 3, { as: 'not-paid', evidence: why });
    await pauseBatch(mary(rig), 'batch-2', why);
    await isWithoutNumber(rig, 'batch-2', ['row.skip', 'row.fail', 'batch.pause']);
    assert.ok((await rig.row(2, 'batch-2')).problems?.includes(why));
    assert.equal((await rig.row(3, 'batch-2')).failure_reason, `mary: ${why}`);
  });

  test('are kept without numbers in a batch, whose own texts are never forgotten', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.db.execute("UPDATE batches SET status = 'validated'");
    await requestApproval(mary(rig), 'batch-1', approvalBy(1, why));
    await rejectBatch(mary(rig), 'batch-1', why);
    await isWithoutNumber(rig, 'batch-1', ['batch.request_approval', 'batch.cancel']);
  });
});

test('a run id in the place of a batch is recognized, and the message lists the batches of the run', async () => {
  const rig = await makeRig();
  await rig.add([aRow(1)]);
  await rig.add([aRow(2)], { batch_id: 'batch-2', created_at: rig.clock.now() + 1 });
  await assert.rejects(requireBatch(rig.db, 'run-1'), {
    code: 'BATCH_UNKNOWN',
    hint: '"run-1" is a run, not a batch. Its batches, the newest first: batch-2, batch-1 ("airbatch status").',
  });
  await assert.rejects(requireBatch(rig.db, 'run-7'), { code: 'BATCH_UNKNOWN', hint: /^See "airbatch status"/ });
});
