import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeContentDigest } from '../../../src/core/identity/content-digest.ts';
import { batchPolicy } from '../../../src/core/state/batch-policy.ts';
import { dayMs } from '../../../src/core/time/clock.ts';
import { approve, requestApproval } from '../../../src/engine/batches/batch-commands.ts';
import { releaseRows, skipRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { approvalNeeded } from '../../../src/engine/plan/approval.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { approvalsOf } from '../../../src/ledger/batches/approvals.ts';
import { findBatch } from '../../../src/ledger/batches/batches.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { pageRows } from '../../../src/ledger/rows/rows.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { folderOf } from '../../support/folder.ts';
import { aBatch, addBatch, approvalBy, unplanned } from '../../support/ledger.ts';

const tiers = [
  { rows: 2, sums: { KES: '1000' }, approvers: 2 },
  { sums: { KES: '5000' }, approvers: 3 },
];

test('a batch needs as many people as the highest tier that it exceeds asks for', () => {
  const policy = batchPolicy({ approval: { needed: 'above', rows: 1, sums: { KES: '100' }, tiers } });
  const needed = (toSend: number, KES: string, products = 0) =>
    approvalNeeded(policy, { toSend, products, sums: { KES } })?.approvers ?? 0;
  assert.deepEqual([needed(1, '100'), needed(1, '101'), needed(2, '1000')], [0, 1, 1]);
  assert.deepEqual([needed(3, '50'), needed(1, '1000.01'), needed(1, '5000.01')], [2, 2, 3]);
  assert.equal(needed(1, '1', 1), 3, 'the price of a product is not known, so it may exceed any sum');
  const { why } = approvalNeeded(policy, { toSend: 1, products: 0, sums: { KES: '6000' } }) ?? {};
  assert.match(why ?? '', /KES 6,000\.00 is more than the KES 5,000\.00 above which 3 people approve/);
});

test('tiers that contradict each other are refused', () => {
  const of = (approval: object) => () => batchPolicy({ approval });
  assert.throws(of({ needed: 'never', tiers }), /needed must be .* tiers/);
  assert.throws(of({ needed: 'always', tiers, bySubmitter: true }), /bySubmitter/);
  assert.throws(of({ needed: 'always', tiers: [{ approvers: 2 }] }), /rows or sums/);
});

async function pageStates(db: Database): Promise<string[]> {
  return (await pageRows(db, 'batch-1', 0, 10)).map(({ status }) => status);
}

async function waiting(approval: object = {}, held = 0) {
  const { db, clock } = await makeRig();
  const rows = someRows(4).map((row, at) => (at < held ? { ...row, status: 'held' as const } : row));
  const digest = makeContentDigest();
  for (const row of rows) digest.add(row);
  const policy = JSON.stringify({ approval: { needed: 'always', tiers: [{ rows: 1, approvers: 2 }], ...approval } });
  const batch = aBatch({ policy, content_sha256: digest.hex(), created_by: 'sam', created_at: clock.now() });
  await addBatch(db, clock, batch, rows);
  const as = (person: string) => ({ db, clock, person, through: 'cli' as const });
  const by = (person: string) => approve(as(person), 'batch-1', unplanned);
  await requestApproval(as('sam'), 'batch-1', approvalBy(2));
  const given = async () => (await approvalsOf(db, 'batch-1')).map(({ person }) => person);
  const kinds = async () => (await pageEvents(db, 'batch-1', 0, 100)).map(({ kind }) => kind);
  return { db, clock, as, by, given, kinds };
}

describe('a batch that two people must approve', () => {
  test('is approved when two different people have approved it, neither of whom submitted it', async () => {
    const { db, by, given, kinds } = await waiting();
    assert.equal((await findBatch(db, 'batch-1'))?.approvals_needed, 2);
    await assert.rejects(by('sam'), { code: 'SECOND_PERSON_NEEDED' });
    assert.equal((await by('ann')).status, 'awaiting_approval');
    await assert.rejects(by('ann'), {
      code: 'SECOND_PERSON_NEEDED',
      message: /ann has approved .* already/,
      reason: { code: 'APPROVED_ALREADY', values: { name: 'ann' } },
    });
    await assert.rejects(by('sam'), { code: 'SECOND_PERSON_NEEDED' });
    assert.deepEqual(await given(), ['ann']);
    const approved = await by('bob');
    assert.deepEqual([approved.status, approved.approved_by], ['approved', 'bob']);
    assert.deepEqual(await given(), ['ann', 'bob']);
    assert.deepEqual((await kinds()).slice(-2), ['batch.give_approval', 'batch.approve']);
  });

  for (const [what, ms] of [
    ['another machine’s clock is behind', -5_000],
    ['both come at the same time', 0],
  ] as const)
    test(`has reports that verify if ${what}`, async (t) => {
      const { db, clock, by } = await waiting();
      await by('zoe');
      clock.setWall(clock.now() + ms);
      assert.equal((await by('ann')).status, 'approved');
      const key = await openSigningKey(join(folderOf(t), 'key.pem'));
      const signing = { key, clock, person: 'mary', through: 'cli' as const };
      const { dir } = await writeReports(db, 'batch-1', folderOf(t), { signing });
      const { findings } = await verifyReports(dir);
      assert.deepEqual(
        findings.filter(({ message }) => message.includes('approval')),
        [],
      );
      await db.close();
    });

  test('loses its approvals when a row is released or skipped', async () => {
    for (const change of ['release', 'skip'] as const) {
      const { db, as, by, given, kinds } = await waiting({}, 1);
      await by('ann');
      if (change === 'release') await releaseRows(as('bob'), 'batch-1', [1]);
      else await skipRows(as('bob'), 'batch-1', [1], 'not this one');
      assert.deepEqual(await given(), []);
      assert.equal((await kinds()).at(-1), 'batch.void_approvals');
      assert.equal((await by('bob')).status, 'awaiting_approval');
      assert.equal((await by('ann')).status, 'approved');
      assert.deepEqual([...new Set(await given())].length, 2);
      await db.close();
    }
  });

  test('does not count an approval of other rows or of another plan', async () => {
    const { db, by, given } = await waiting();
    await by('ann');
    await db.execute(`UPDATE approvals SET content_sha256 = 'of other rows'`);
    assert.equal((await by('bob')).status, 'awaiting_approval');
    assert.deepEqual(await given(), ['bob']);
    await db.execute(`UPDATE approvals SET plan = '{"rows":3,"products":0,"sums":{"KES":"1"}}'`);
    assert.equal((await by('ann')).status, 'awaiting_approval');
  });

  test('needs more people once a released row makes it exceed a tier', async () => {
    const { db, as, by } = await waiting({ tiers: [{ rows: 3, approvers: 2 }] }, 1);
    await releaseRows(as('bob'), 'batch-1', []);
    assert.equal((await findBatch(db, 'batch-1'))?.approvals_needed, 2);
    assert.equal((await by('ann')).status, 'awaiting_approval');
  });
});

for (const [what, approval, asked] of [
  ['that nobody had to approve', { needed: 'above', rows: 1, tiers: [{ rows: 2, approvers: 2 }] }, false],
  ['that one person has approved', { needed: 'always', tiers: [{ rows: 2, approvers: 2 }] }, true],
] as const)
  test(`no single person releases rows that take a batch above a tier (a batch ${what})`, async () => {
    const { db, clock } = await makeRig();
    const rows = someRows(4).map((row, at) => (at < 3 ? { ...row, status: 'held' as const } : row));
    const digest = makeContentDigest();
    for (const row of rows) digest.add(row);
    const batch = aBatch({
      ...{ policy: JSON.stringify({ approval }), content_sha256: digest.hex() },
      ...{ created_by: 'sam', created_at: clock.now() },
    });
    await addBatch(db, clock, batch, rows);
    const as = (person: string) => ({ db, clock, person, through: 'cli' as const });
    if (asked) await requestApproval(as('sam'), 'batch-1', approvalBy(1));
    const by = asked ? 'ann' : 'sam';
    assert.equal((await approve(as(by), 'batch-1', unplanned)).status, 'approved');
    for (const all of [[], [1, 2, 3]])
      await assert.rejects(releaseRows(as('bob'), 'batch-1', all), {
        code: 'SECOND_PERSON_NEEDED',
        message:
          /batch-1 takes approval by 2 people: with them, 4 rows are more than the 2 above which 2 people approve/,
        reason: { code: 'TIER_RELEASE', values: { approvers: '2' } },
      });
    assert.deepEqual(await pageStates(db), ['held', 'held', 'held', 'ready']);
    assert.equal((await releaseRows(as('bob'), 'batch-1', [1])).released, 1);
    await assert.rejects(releaseRows(as('bob'), 'batch-1', [2]), { code: 'SECOND_PERSON_NEEDED' });
  });

test('a batch whose time for approval is over must be submitted again', async () => {
  const { as, by, clock } = await waiting({ expiresAfterDays: 3 });
  await by('ann');
  const later = { ...as('bob'), clock: { ...clock, now: () => clock.now() + 3 * dayMs + 1 } };
  await assert.rejects(approve(later, 'batch-1', unplanned), { code: 'APPROVAL_EXPIRED' });
});
