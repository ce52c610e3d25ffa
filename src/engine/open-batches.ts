import { storedPolicy } from '../core/batch-policy.ts';
import { type BatchRecord, countRows, openBatches } from '../ledger/batches.ts';
import type { OpenBatch, RunnerContext } from './context.ts';
import { canaryAllowances } from './guarding.ts';
import { makeBatchWatch } from './guards.ts';

/** Brings what the runner knows of the account's open batches up to date with the ledger. */
export async function refreshBatches(context: RunnerContext): Promise<void> {
  const found = await openBatches(context.db, context.account);
  const open = new Map<string, OpenBatch>();
  for (const batch of found) {
    const known = context.batches.get(batch.batch_id);
    const policy = known?.policy ?? storedPolicy(batch.policy);
    // What was seen before a pause does not count after it: a person has looked.
    const isResumed = known?.batch.status === 'paused' && batch.status === 'running';
    if (batch.status === 'running' && known?.batch.status !== 'running') context.pausesTold.clear();
    const watch = known && !isResumed ? known.watch : makeBatchWatch(policy);
    open.set(batch.batch_id, {
      batch,
      policy,
      watch,
      withDetails: known?.withDetails ?? (await isSmall(context, batch)),
    });
  }
  context.batches = open;
  const running = [...open.values()].filter(({ batch }) => batch.status === 'running');
  const allowances = await canaryAllowances(context.db, running);
  context.picker.setBatches(
    running.map(({ batch }) => batch),
    allowances,
  );
}

async function isSmall({ db, settings }: RunnerContext, batch: BatchRecord): Promise<boolean> {
  const counts = await countRows(db, batch.batch_id);
  return [...counts.values()].reduce((sum, count) => sum + count, 0) <= settings.detailRowsMax;
}
