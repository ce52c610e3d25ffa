import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineOperation, performIn } from '../../../src/operations/base/operation.ts';
import { rejectBatch } from '../../../src/operations/batches/reject-batch.ts';
import { listRows } from '../../../src/operations/rows/list-rows.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { makeRig, someRows } from '../../support/engine.ts';

test('a text with U+0000, which PostgreSQL cannot keep, is refused wherever it stands in the input', async () => {
  const rig = await makeRig();
  await rig.add(someRows(1));
  const { db, clock } = rig;
  const session = { ...{ db, clock, config: { people: {} }, person: 'mary' }, through: 'cli' } as unknown as Session;
  const door = { nameOf: (field: string) => field };
  await assert.rejects(performIn(session, rejectBatch, door, { batch_id: 'batch-1', why: 'no\0' }), {
    code: 'USAGE',
    message: 'why has a character U+0000',
  });
  await assert.rejects(performIn(session, listRows, door, { batch_id: 'batch\0' }), /^AirbatchError: batch_id has/);
  const taking = defineOperation({
    name: 'take-names',
    role: 'audit',
    ledger: 'read',
    result: z.string(),
    input: z.strictObject({ of: z.strictObject({ names: z.array(z.string()) }) }),
    run: async () => 'taken',
  });
  const take = (name: string) => performIn(session, taking, door, { of: { names: ['a', name] } });
  assert.equal(await take('b'), 'taken');
  await assert.rejects(take('b\0'), /^AirbatchError: of has/);
});
