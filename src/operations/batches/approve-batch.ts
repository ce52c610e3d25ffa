import { z } from 'zod';
import { approve } from '../../engine/batches/batch-commands.ts';
import { requireService } from '../../engine/batches/moved-service.ts';
import { balanceNow } from '../../runtime/upkeep/plan-batch.ts';
import { hasWorker } from '../base/account-now.ts';
import { approvals, approvalsNow } from '../base/approvals-now.ts';
import { batchId, batchStatus, isWorkedOn, sums } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { requireApprovable, whereMoved } from './review-batch.ts';

/** Approves a batch, if it is still what the person saw. It may need more people: then it still waits. */
export const approveBatch = defineOperation({
  name: 'approve-batch',
  role: 'approve',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    /** What `review-batch` showed. Throws `CONTENT_CHANGED` if the batch has changed since. */
    seen: z.strictObject({
      content_sha256: z.string().nullable(),
      to_send: z.int(),
      products: z.int(),
      sums,
    }),
  }),
  result: z.strictObject({
    batch_id: batchId,
    status: batchStatus,
    /** The caller. The batch still waits if it needs more people. */
    approved_by: z.string(),
    approvals,
    content_sha256: z.string().nullable(),
    is_worked_on: isWorkedOn,
  }),
  async run(
    { withAccount, session, actor },
    { batch_id, seen: { content_sha256: seenDigest, to_send: toSend, products, sums } },
  ) {
    const { account: name, service } = await requireApprovable(actor, batch_id);
    const balance = await withAccount(name, (account) => {
      requireService({ batch_id, service }, account.service, whereMoved);
      return balanceNow(session, account);
    });
    const plan = { toSend, products, sums };
    const read = balance.kind === 'balance' ? balance.balance : null;
    const after = await approve(actor, batch_id, { balance: read, plan, seenDigest });
    const { status, content_sha256 } = after;
    return {
      ...{ batch_id, status, approved_by: actor.person, content_sha256 },
      approvals: await approvalsNow(session, after),
      is_worked_on: await hasWorker(session, name),
    };
  },
});
