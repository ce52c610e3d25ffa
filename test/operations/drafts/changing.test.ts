import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approve, requestApproval } from '../../../src/engine/batches/batch-commands.ts';
import { findBatch } from '../../../src/ledger/batches/batches.ts';
import type { DraftRecord } from '../../../src/ledger/drafts/drafts.ts';
import { dropPlanned } from '../../../src/operations/drafts/changing.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { aBatch, addBatch, approvalBy, beforeTransaction, unplanned } from '../../support/ledger.ts';

for (const status of ['approved', 'awaiting_approval'] as const)
  test(`a change of a draft does not cancel its batch if somebody submits that at this moment (${status})`, async () => {
    const { db, clock } = await makeRig();
    await addBatch(db, clock, aBatch(), someRows(1));
    const as = (person: string) => ({ db, clock, person, through: 'cli' as const });
    const submit = () =>
      status === 'approved'
        ? approve(as('sam'), 'batch-1', unplanned)
        : requestApproval(as('sam'), 'batch-1', approvalBy(1));
    const mary = { ...as('mary'), db: beforeTransaction(db, submit) };
    const draft = { draft_id: 'draft-1', batch_id: 'batch-1' } as DraftRecord;
    await assert.rejects(dropPlanned(mary, draft), { code: 'DRAFT_STATE', message: /submitted as batch batch-1/ });
    assert.equal((await findBatch(db, 'batch-1'))?.status, status);
  });
