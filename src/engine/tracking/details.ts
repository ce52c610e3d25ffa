import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import { endedRows, type RowRecord } from '../../ledger/rows/rows.ts';
import { LimiterStopped } from '../../limiter/limiter.ts';
import type { Parts } from '../runner/context.ts';

type DetailsNeeds = Parts<
  'clock' | 'committer' | 'db' | 'gateway' | 'limiter' | 'readTrouble' | 'settings' | 'stopping'
>;

const rowsPerPage = 100;
/** The part of the read limit that details use: the rest is for payments that have not ended. */
const share = 1 / 2;

/**
 * Reads what the list does not show (the provider's reference), before the reports of a completed batch are written,
 * unless the batch is large. One row is read at a time, and no more than a share of the limit is used, so that the next
 * batch need not wait. Resolves at the first read without an answer: a report may lack details.
 */
export async function readDetails(context: DetailsNeeds, { batch_id }: BatchRecord): Promise<void> {
  if (context.gateway.list === null) return;
  const counts = await countRows(context.db, batch_id);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total > context.settings.detailRowsMax) return;
  for (let after = 0; ; ) {
    const rows = await endedRows(context.db, batch_id, after, rowsPerPage);
    for (const row of rows) {
      const isKnown = row.status !== 'completed' || row.topup_id === null || row.provider_reference !== null;
      if (!isKnown && !(await readRow(context, row))) return;
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.row_no;
  }
}

/** Returns whether the service has answered. */
async function readRow(context: DetailsNeeds, row: RowRecord): Promise<boolean> {
  const { clock, committer, gateway, limiter, stopping } = context;
  for (;;) {
    const { used, limit, windowMs, heldMs } = limiter.usage('read');
    if (stopping.aborted || heldMs > 0) return false;
    if (used < Math.max(1, limit * share)) break;
    await clock.sleep(windowMs / limit, stopping);
  }
  const read = { topupId: row.topup_id ?? '', reference: '' };
  const outcome = await limiter
    .admit('read', () => gateway.read(read))
    .catch((error: unknown) => {
      if (error instanceof LimiterStopped) return null;
      throw error;
    });
  if (outcome === null) return false;
  if (outcome.kind !== 'found') {
    if (outcome.kind !== 'not_found') await context.readTrouble(outcome);
    return false;
  }
  const provider_reference =
    outcome.payments.find(({ topupId }) => topupId === row.topup_id)?.providerReference ?? null;
  if (provider_reference !== null)
    await committer.commit((unit) => unit.noteRow(row, { provider_reference }, null, {}), false);
  return true;
}
