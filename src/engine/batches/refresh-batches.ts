import { isSameService } from '../../core/identity/service-name.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { type BatchRecord, openBatches } from '../../ledger/batches/batches.ts';
import { openPauses } from '../../ledger/batches/pauses.ts';
import { makeFileRefs } from '../../ledger/rows/file-refs.ts';
import { makeBatchWatch } from '../runner/batch-watch.ts';
import type { Parts } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';
import { makeRowMarks } from '../runner/row-marks.ts';
import { wakeAll } from '../runner/wake.ts';
import { rowsAlone } from './enforce-guards.ts';
import { pauseMovedService } from './moved-service.ts';

export type OpenBatchesNeeds = Parts<
  'account' | 'batches' | 'committer' | 'db' | 'log' | 'picker' | 'service' | 'wakes'
>;

/** Reads the account's open batches from the ledger again. `read`: they were just read, and nobody has since. */
export async function refreshBatches(context: OpenBatchesNeeds, read?: readonly BatchRecord[]): Promise<void> {
  const found = read ?? (await openBatches(context.db, context.account));
  const open = new Map<string, OpenBatch>();
  const movedBatches = new Map<string, OpenBatch>();
  for (const batch of found) {
    const known = context.batches.get(batch.batch_id);
    const policy = known?.policy ?? storedPolicy(batch.policy);
    // Counts from before a pause do not apply after it, because a person has looked.
    const isResumed = known?.batch.status === 'paused' && batch.status === 'running';
    const isHere = isSameService(batch.service, context.service);
    if (isHere && batch.status === 'running' && known?.batch.status !== 'running') context.batches.forgetPauses();
    const watch = known && !isResumed ? known.watch : makeBatchWatch(policy);
    (isHere ? open : movedBatches).set(batch.batch_id, {
      batch,
      policy,
      watch,
      file: known?.file ?? makeFileRefs(batch.batch_id),
      contradicted: known?.contradicted ?? makeRowMarks(),
      seconds: known?.seconds ?? new Set(),
    });
  }
  // The loops of an account without batches sleep until they are woken.
  if (context.batches.replace(open, movedBatches)) wakeAll(context.wakes);
  const running = [...open.values()].filter(({ batch }) => batch.status === 'running');
  context.picker.setBatches(
    running.map(({ batch }) => batch),
    rowsAlone(running),
  );
  for (const { batch } of movedBatches.values()) {
    const pauses = await openPauses(context.db, batch);
    if (!pauses.some(({ reason }) => reason === 'service_changed')) await pauseMovedService(context, batch);
  }
}
