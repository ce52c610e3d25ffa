import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeContentDigest } from '../../../src/core/identity/content-digest.ts';
import { batchLabel } from '../../../src/core/state/state-texts.ts';
import { approve, rejectBatch, requestApproval, withdrawBatch } from '../../../src/engine/batches/batch-commands.ts';
import { insertApiKey } from '../../../src/ledger/access/api-keys.ts';
import type { Actor } from '../../../src/ledger/actor.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { requireBatch } from '../../../src/ledger/batches/require-batch.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { folderOf } from '../../support/folder.ts';
import { aBatch, addBatch, approvalBy, beforeTransaction, unplanned } from '../../support/ledger.ts';

const id = 'batch-1';
const why = 'it is the file of October, ask +254712101000';

/** A batch of two rows that sam has submitted and that waits for approval. */
async function waiting() {
  const { db, clock } = await makeRig();
  const rows = someRows(2);
  const digest = makeContentDigest();
  for (const row of rows) digest.add(row);
  const policy = JSON.stringify({ approval: { needed: 'always' } });
  await addBatch(db, clock, aBatch({ policy, content_sha256: digest.hex(), created_by: 'sam' }), rows);
  const as = (person: string, more: Partial<Actor> = {}): Actor => ({ db, clock, person, through: 'console', ...more });
  await requestApproval(as('sam'), id, approvalBy(1));
  const batch = () => requireBatch(db, id);
  const lastOf = async (kind: string) => (await pageEvents(db, id, 0, 100)).findLast((event) => event.kind === kind);
  return { db, clock, as, batch, lastOf };
}

describe('a batch that waits for approval', () => {
  test('can be withdrawn by the person who submitted it, and nothing of it is sent', async () => {
    const { as, batch, lastOf } = await waiting();
    assert.equal((await withdrawBatch(as('sam'), id, why)).status, 'cancelled');
    const { status, withdrawn_by, rejected_by, rejection } = await batch();
    assert.deepEqual([status, withdrawn_by, rejected_by], ['cancelled', 'sam', null]);
    assert.match(rejection ?? '', /^it is the file of October, ask [^0-9+]*/);
    assert.doesNotMatch(rejection ?? '', /254712101000/);
    assert.equal(batchLabel(await batch()), 'withdrawn by sam');
    const event = await lastOf('batch.cancel');
    const { withdrawn, rejected, through, why: reason } = JSON.parse(event?.body ?? '{}');
    assert.deepEqual([event?.actor, withdrawn, rejected, through], ['sam', 'true', undefined, 'console']);
    assert.equal(reason, rejection);
    await assert.rejects(withdrawBatch(as('sam'), id, why), { code: 'BATCH_STATE', message: /is withdrawn by sam/ });
    await assert.rejects(approve(as('ann'), id, unplanned), { code: 'BATCH_STATE', message: /is withdrawn by sam/ });
  });

  test('is withdrawn by nobody else', async () => {
    const { as, batch } = await waiting();
    await assert.rejects(withdrawBatch(as('ann'), id, why), {
      code: 'ROLE_MISSING',
      message: 'ann did not submit batch batch-1, and cannot withdraw it',
      reason: { code: 'NOT_SUBMITTER', values: { name: 'sam' } },
      hint: 'sam can withdraw it, and a person who may approve it can reject it.',
    });
    assert.equal((await batch()).status, 'awaiting_approval');
  });

  test('can be withdrawn by its submitter under another name of theirs', async () => {
    const other = await waiting();
    const otherNames = new Map([['samwel', 'sam']]);
    await withdrawBatch(other.as('samwel', { otherNames }), id, why);
    assert.equal((await other.batch()).withdrawn_by, 'samwel');
    const { db, as, batch } = await waiting();
    const key = { key_id: 'k', name: 'sam', secret_sha256: 'x', created_by: 'samira', created_at: 1, expires_at: null };
    await db.transact((tx) => insertApiKey(tx, { ...key, roles: ['prepare'], accounts: [] }));
    await withdrawBatch(as('samira'), id, why);
    assert.equal((await batch()).withdrawn_by, 'samira');
  });

  test('stays withdrawn, or approved, whichever came first', async () => {
    const first = await waiting();
    const approved = beforeTransaction(first.db, () => approve(first.as('ann'), id, unplanned));
    await assert.rejects(withdrawBatch(first.as('sam', { db: approved }), id, why), {
      code: 'BATCH_STATE',
      message: /is approved: it does not wait for approval/,
    });
    assert.deepEqual([(await first.batch()).status, (await first.batch()).withdrawn_by], ['approved', null]);
    const second = await waiting();
    const withdrawn = beforeTransaction(second.db, () => withdrawBatch(second.as('sam'), id, why));
    await assert.rejects(approve(second.as('ann', { db: withdrawn }), id, unplanned), { code: 'BATCH_STATE' });
    assert.equal((await second.batch()).status, 'cancelled');
  });

  test('ends in one way if it is approved, rejected and withdrawn at the same instant', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { as, batch, db } = await waiting();
      const acts = [
        () => approve(as('ann'), id, unplanned),
        () => withdrawBatch(as('sam'), id, why),
        () => rejectBatch(as('joe'), id, why),
      ];
      const order = acts.map((_, at) => (at + round) % acts.length);
      const ended = await Promise.allSettled(order.map((at) => acts[at]?.()));
      assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1, JSON.stringify(ended));
      const { status, approved_by, rejected_by, withdrawn_by } = await batch();
      const deciders = [approved_by, rejected_by, withdrawn_by].filter((one) => one !== null);
      assert.equal(deciders.length, 1, deciders.join());
      assert.equal(status, approved_by === null ? 'cancelled' : 'approved');
      const kinds = (await pageEvents(db, id, 0, 100)).map(({ kind }) => kind);
      assert.equal(kinds.filter((kind) => kind === 'batch.approve' || kind === 'batch.cancel').length, 1);
    }
  });
});

test('the reports of a withdrawn batch say who withdrew it', async (t) => {
  const { db, clock, as } = await waiting();
  await withdrawBatch(as('sam'), id, 'the wrong month.');
  const key = await openSigningKey(join(folderOf(t), 'key.pem'));
  const signing = { key, clock, person: 'mary', through: 'cli' as const };
  const { dir } = await writeReports(db, id, folderOf(t), { signing });
  const { withdrawn_by, rejected_by, status } = await verifyReports(dir);
  assert.deepEqual([withdrawn_by, rejected_by, status], ['sam', null, 'cancelled']);
});
