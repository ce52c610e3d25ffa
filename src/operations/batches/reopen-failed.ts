import { z } from 'zod';
import { requireService } from '../../engine/batches/moved-service.ts';
import { retryFailed } from '../../engine/decisions/retry-failed.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { requestDepsFor } from '../../runtime/accounts/throttled-requests.ts';
import { retryOutcome } from '../base/events.ts';
import { batchId } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/**
 * Makes failed rows ready again, after a lookup of every payment that was sent for them. The program that works for the
 * account sends them.
 */
export const reopenFailed = defineOperation({
  name: 'reopen-failed',
  role: 'operate',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    /**
     * Only rows that failed with one of these codes. If it is empty: all failed rows except those that may have
     * arrived.
     */
    codes: z.array(z.string()).default([]),
    /** Only rows that were retried less often than this. */
    times_max: z.int().optional(),
    /** After this many rows in a row that the service does not answer about, the other rows are left. */
    unanswered_max: z.int().min(1).optional(),
  }),
  result: retryOutcome.omit({ kept: true }),
  async run({ session, actor, withAccount, signal }, { batch_id, codes, times_max, unanswered_max }) {
    const batch = await requireBatch(session.db, batch_id);
    return withAccount(batch.account, async (account) => {
      requireService(batch, account.service);
      const asking = await requestDepsFor(account, session);
      const done = await retryFailed(
        actor,
        asking,
        batch_id,
        { codes, timesMax: times_max },
        { ending: signal, unansweredMax: unanswered_max },
      );
      return { retried: done.retried, unanswered: done.unanswered };
    });
  },
});
