import { z } from 'zod';
import { moveService, requireService } from '../../engine/batches/moved-service.ts';
import { retryFailed as retry } from '../../engine/decisions/retry-failed.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { peopleOf } from '../../reports/summary/stored.ts';
import { requestDepsFor } from '../../runtime/accounts/throttled-requests.ts';
import { retryOutcome } from '../base/events.ts';
import { batchId, folder } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { recordRestore, restored } from '../base/restored.ts';
import { batchResult } from '../working/batch-result.ts';
import { writeEarlierReports } from '../working/missing-reports.ts';
import { whileNothingIsSent } from '../working/nothing-sent.ts';
import { reportOn, workOn } from '../working/work.ts';

/**
 * Pays failed rows under a new generation, after a lookup of all earlier ones. The lookups and the sending use one open
 * account, so that they share its rate limits.
 */
export const retryFailed = defineOperation({
  name: 'retry-failed',
  role: 'operate',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    /**
     * Only rows that failed with one of these codes. If it is empty: all failed rows except those that may have
     * arrived.
     */
    codes: z.array(z.string()).default([]),
    /** The same service has moved to another address: see `resume-batches`. */
    service_moved: z.boolean().default(false),
    /** The folder for the reports. If it is left out: the configured one. */
    out: folder.optional(),
    restored,
  }),
  result: batchResult.extend({ retry: retryOutcome }),
  async run(context, { batch_id, codes, service_moved, out: named, restored }) {
    const { session, actor, emit, signal } = context;
    const batch = await requireBatch(session.db, batch_id);
    return context.withAccount(batch.account, async (account) => {
      if (service_moved) await moveService(actor, batch_id, account.service);
      else requireService(batch, account.service);
      const asking = await requestDepsFor(account, session);
      const { kept, ...counts } = await whileNothingIsSent(context, () =>
        retry(actor, asking, batch_id, { codes }, { ending: signal }),
      );
      const people = await peopleOf(
        session.db,
        batch,
        kept.map(({ row }) => row),
      );
      const outcome = {
        ...counts,
        kept: kept.map(({ row, why }) => ({ row, person: people.get(row) ?? null, why })),
      };
      emit({ kind: 'retried', batch_id, codes, retry: outcome });
      const what = { batchIds: [batch_id], out: named ?? session.config.out };
      // If a person's codes match no row, for example because of a typing error, no other row is sent either.
      const [result] =
        outcome.retried === 0
          ? await reportOn(context, account, what)
          : await workOn(context, account, { ...what, restored: await recordRestore(session, restored) });
      if (result === undefined) throw new Error('the work on one batch has no result');
      if (!signal.aborted) await writeEarlierReports(context);
      return { retry: outcome, ...result };
    });
  },
});
