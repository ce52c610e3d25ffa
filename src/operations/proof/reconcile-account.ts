import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { requireBatch, wrongState } from '../../ledger/batches/require-batch.ts';
import { pageOpenItems } from '../../ledger/reporting/reconciliations.ts';
import { reconcile } from '../../reports/reconcile/reconcile.ts';
import type { ReconcileRequest } from '../../reports/reconcile/reconcile-run.ts';
import { isSettled, reconciliationShape } from '../../reports/reconcile/reconciliation.ts';
import { reconcileDeps } from '../../runtime/accounts/reconcile-deps.ts';
import { applyStoredThrottle } from '../../runtime/accounts/throttled-requests.ts';
import { type Session, sessionKey } from '../../runtime/session/session.ts';
import { chosenAccountName } from '../../runtime/settings/config.ts';
import { reportStore } from '../../runtime/upkeep/report-store.ts';
import { accountName, batchId, folder, moment } from '../base/fields.ts';
import { spanOf } from '../base/input-times.ts';
import { type Door, defineOperation } from '../base/operation.ts';
import { openItem, openItemJson } from './open-item.ts';

const input = z
  .strictObject({
    account: accountName.optional(),
    from: moment.optional(),
    /** If it is left out: now. */
    to: moment.optional(),
    /** In place of an account and a time: one batch, from its start to its end. */
    batch_id: batchId.optional(),
    out: folder.optional(),
  })
  .superRefine(({ batch_id, account, from, to }, { addIssue }) => {
    if (batch_id === undefined) return;
    const hint = 'A batch has its account and its time: leave the batch or the other options out.';
    for (const [field, given] of Object.entries({ account, from, to }))
      if (given !== undefined)
        addIssue({ code: 'custom', path: [field], message: 'cannot be used with a batch', params: { hint } });
  });

/** How long after a batch's last row the reconciliation still looks for its payments. */
const afterBatchMs = 60_000;
/** How many open items the result contains; the files contain all. */
const itemsMax = 5;

/** Compares the ledger with the service's own list and with the wallets, and writes reports about it. */
export const reconcileAccount = defineOperation({
  name: 'reconcile-account',
  role: 'audit',
  ledger: 'change',
  input,
  result: z.strictObject({
    reconciliation: reconciliationShape,
    reports: z.strictObject({ dir: folder, files: z.array(z.string()) }),
    /** The first 5 open items. */
    open_items: z.array(openItem),
    /** Whether nobody has anything left to do. */
    is_settled: z.boolean(),
  }),
  async run({ withAccount, session, onWait, nameOf }, given) {
    const request = await requestOf(session, given, nameOf);
    return withAccount(request.account, async (account) => {
      await applyStoredThrottle(account, session);
      const key = await sessionKey(session);
      const { out, readableByGroup } = session.config;
      const deps = {
        ...reconcileDeps(account, session, { next: 'try again', showWait: onWait }),
        key,
        readableByGroup,
      };
      const { reconciliation, ...reports } = await reportStore(session, given.out ?? out).write(null, (outDir) =>
        reconcile(session.db, deps, request, outDir),
      );
      const items = await pageOpenItems(session.db, reconciliation.reconciliation_id, 0, itemsMax);
      return {
        reconciliation,
        reports,
        open_items: await Promise.all(items.map((one) => openItemJson(session, reconciliation.account, one))),
        is_settled: isSettled(reconciliation),
      };
    });
  },
});

async function requestOf(
  { clock, db, config }: Session,
  { account, from, to, batch_id }: z.output<typeof input>,
  nameOf: Door['nameOf'],
): Promise<ReconcileRequest> {
  const now = clock.now();
  if (batch_id !== undefined) {
    const found = await requireBatch(db, batch_id);
    if (found.started_at === null) throw wrongState(found, 'nothing of it was sent');
    const toMs = found.completed_at === null ? now : found.completed_at + afterBatchMs;
    return { account: found.account, batchId: batch_id, fromMs: found.started_at, toMs };
  }
  if (from === undefined)
    throw new AirbatchError('USAGE', 'the time to compare is missing', {
      hint: `Give ${nameOf('from')} (and ${nameOf('to')}), or ${nameOf('batch_id')}.`,
    });
  return { account: chosenAccountName(config, account), ...spanOf({ from, to }, now, nameOf) };
}
