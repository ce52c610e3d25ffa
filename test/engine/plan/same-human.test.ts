import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeContentDigest } from '../../../src/core/identity/content-digest.ts';
import { approve, requestApproval } from '../../../src/engine/batches/batch-commands.ts';
import { releaseRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { readHumans } from '../../../src/engine/plan/same-human.ts';
import { insertApiKey, revokeApiKey } from '../../../src/ledger/access/api-keys.ts';
import { approvalsOf } from '../../../src/ledger/batches/approvals.ts';
import { addStep } from '../../../src/ledger/drafts/draft-changes.ts';
import { insertDraft } from '../../../src/ledger/drafts/drafts.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { aDraft } from '../../support/drafts.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { aBatch, addBatch, approvalBy, memoryLedger, unplanned } from '../../support/ledger.ts';

const otherNames = new Map([
  ['akamau', 'amina'],
  ['uid 1000', 'amina'],
  ['bob@work', 'bob'],
]);

let keys = 0;
function addKey(db: Database, name: string, created_by: string) {
  const key_id = `key-${++keys}`;
  const times = { created_at: 0, expires_at: null };
  return insertApiKey(db, { key_id, name, secret_sha256: '', created_by, ...times, roles: [], accounts: [] });
}

describe('two names', () => {
  test('are one human if they are equal, linked, or a key and its maker', async () => {
    const db = await memoryLedger();
    await addKey(db, 'payroll', 'akamau');
    await addKey(db, 'promo', 'amina');
    await addKey(db, 'rewards', 'bob');
    const humans = await readHumans(db, { otherNames });
    const alike = [
      ...[
        ['amina', 'amina'],
        ['amina', 'akamau'],
        ['akamau', 'uid 1000'],
        ['payroll', 'amina'],
      ],
      ...[
        ['payroll', 'akamau'],
        ['payroll', 'uid 1000'],
        ['payroll', 'promo'],
        ['rewards', 'bob@work'],
      ],
    ];
    for (const [one = '', other = ''] of alike)
      assert.deepEqual([humans.areOne(one, other), humans.areOne(other, one)], [true, true], `${one}, ${other}`);
    const apart = [
      ['amina', 'bob'],
      ['payroll', 'bob'],
      ['payroll', 'rewards'],
      ['akamau', 'bob@work'],
    ];
    for (const [one = '', other = ''] of apart)
      assert.deepEqual([humans.areOne(one, other), humans.areOne(other, one)], [false, false], `${one}, ${other}`);
    await db.close();
  });

  test('stay one if the key was revoked; two makers of keys of one name stay two', async () => {
    const db = await memoryLedger();
    await addKey(db, 'payroll', 'amina');
    await revokeApiKey(db, { name: 'payroll', by: 'amina', at: 1 });
    await addKey(db, 'payroll', 'bob');
    const humans = await readHumans(db, {});
    assert.deepEqual([humans.areOne('payroll', 'amina'), humans.areOne('payroll', 'bob')], [true, true]);
    assert.equal(humans.areOne('amina', 'bob'), false);
    await db.close();
  });
});

/** A batch with a held row, which its submitter has left to two others for approval. */
async function waiting(created_by: string) {
  const { db, clock } = await makeRig();
  const rows = someRows(4).map((row, at) => (at === 0 ? { ...row, status: 'held' as const } : row));
  const digest = makeContentDigest();
  for (const row of rows) digest.add(row);
  const policy = JSON.stringify({ approval: { needed: 'always', tiers: [{ rows: 1, approvers: 2 }] } });
  await addBatch(db, clock, aBatch({ policy, content_sha256: digest.hex(), created_by }), rows);
  await addKey(db, 'payroll', 'akamau');
  const as = (person: string) => ({ db, clock, person, through: 'cli' as const, otherNames });
  await requestApproval(as(created_by), 'batch-1', approvalBy(2));
  return { db, as, by: (person: string) => approve(as(person), 'batch-1', unplanned) };
}

describe('one human with several names', () => {
  test('does not approve what a key of theirs, or they under another name, have submitted', async () => {
    for (const submitter of ['payroll', 'amina', 'akamau', 'uid 1000']) {
      const { db, as, by } = await waiting(submitter);
      for (const name of ['payroll', 'amina', 'akamau', 'uid 1000']) {
        await assert.rejects(by(name), { code: 'SECOND_PERSON_NEEDED' }, `${name} for ${submitter}`);
        await assert.rejects(releaseRows(as(name), 'batch-1', [1]), { code: 'SECOND_PERSON_NEEDED' });
      }
      assert.equal((await by('bob')).status, 'awaiting_approval');
      await db.close();
    }
  });

  test('counts once among those who approve', async () => {
    const { db, by } = await waiting('sam');
    await by('amina');
    for (const name of ['akamau', 'uid 1000', 'payroll'])
      await assert.rejects(by(name), /has approved batch batch-1 already as amina/);
    assert.equal((await by('bob')).status, 'approved');
    assert.deepEqual((await approvalsOf(db, 'batch-1')).map(({ person }) => person).sort(), ['amina', 'bob']);
    await db.close();
  });

  test('does not approve a file that they have brought or mended, whoever submitted it', async () => {
    const { db, by } = await waiting('sam');
    const draft = aDraft({ draft_id: 'D-1', batch_id: 'batch-1', created_by: 'dora' });
    await db.transact((tx) => insertDraft(tx, draft));
    const step = { draft_id: 'D-1', kind: 'cells' as const, detail: '{}', cells: 1, done_at: 1 };
    for (const done_by of ['payroll', 'emeka']) await db.transact((tx) => addStep(tx, { ...step, done_by }));
    await db.execute("UPDATE draft_steps SET undone_by = 'femi', undone_at = 2 WHERE done_by = 'emeka'");
    for (const name of ['dora', 'akamau', 'femi'])
      await assert.rejects(by(name), /prepared batch batch-1.*cannot approve it/, name);
    await by('emeka');
    assert.equal((await by('bob')).status, 'approved', 'what emeka did was undone');
    await db.close();
  });

  test('counts once even if the names were linked after both had approved', async () => {
    const { db, as, by } = await waiting('sam');
    await by('amina');
    await db.execute(
      "INSERT INTO approvals SELECT batch_id, 'akamau', through, approved_at, content_sha256, plan FROM approvals",
    );
    assert.equal((await by('bob')).status, 'approved');
    const { length } = await approvalsOf(db, 'batch-1');
    assert.equal(length, 2, `${as('bob').person} and one of the two names`);
    await db.close();
  });
});
