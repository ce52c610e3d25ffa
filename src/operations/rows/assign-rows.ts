import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { assignDoubts } from '../../engine/decisions/assign-doubts.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { batchId, rowNo } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { doubtPeople } from './doubt-people.ts';

const rowsMax = 1_000;

/** Makes a person the owner of rows in doubt: the person who takes care of them. */
export const assignRows = defineOperation({
  name: 'assign-rows',
  role: 'operate',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    rows: z.array(rowNo).min(1).max(rowsMax),
    /** One of `people` of `list-doubts`; null: nobody. */
    owner: z.string().nullable(),
  }),
  result: z.strictObject({
    batch_id: batchId,
    owner: z.string().nullable(),
    /** Rows that have another owner than before. */
    assigned: z.int(),
  }),
  async run({ actor, session }, { batch_id, rows, owner }) {
    const { account } = await requireBatch(actor.db, batch_id);
    if (owner !== null && !(await doubtPeople(session, [account])).includes(owner))
      throw new AirbatchError('USAGE', `"${owner}" may not take care of doubts of account "${account}"`, {
        reason: refusal('OWNER_UNFIT', { name: owner }),
        hint: 'Choose a person who may operate or resolve.',
      });
    const assigned = await assignDoubts(actor, batch_id, [...new Set(rows)], owner);
    return { batch_id, owner, assigned };
  },
});
