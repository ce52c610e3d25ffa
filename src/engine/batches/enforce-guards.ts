import { can } from '../../core/state/batch-state.ts';
import { sentAmong } from '../../core/state/row-state.ts';
import { countRows } from '../../ledger/batches/batch-counts.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { overspent } from '../plan/spending.ts';
import { canaryVerdict } from '../runner/batch-watch.ts';
import type { Parts } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';

type EnforceGuardsNeeds = Parts<'batches' | 'committer' | 'db' | 'log' | 'wakes'>;

const inFlightStates = ['sending', 'accepted', 'in_doubt'] as const;

/** Shows rows that ended to their batches' watches. A batch that must not go on sends nothing from here on. */
export function noteEnded(context: Parts<'batches'>, ended: readonly RowRecord[]): void {
  for (const [batchId, rows] of Map.groupBy(ended, ({ batch_id }) => batch_id)) {
    const why = context.batches.get(batchId)?.watch.note(rows) ?? null;
    if (why !== null) context.batches.stop(batchId, why);
  }
}

/** How many rows those batches send alone at first which have not sent them all yet, or not all of them have ended. */
export function rowsAlone(running: readonly OpenBatch[]): Map<string, number> {
  return new Map(
    running.flatMap((open) => {
      const rows = firstRows(open);
      return rows === null ? [] : [[open.batch.batch_id, rows] as const];
    }),
  );
}

/** How many rows of a batch are to be sent before anything else has to happen. */
export function rowsToSend(open: OpenBatch, counts: ReadonlyMap<string, number>): number {
  if (open.batch.status !== 'running') return 0;
  const ready = counts.get('ready') ?? 0;
  const rows = firstRows(open);
  return rows === null ? ready : Math.min(ready, Math.max(0, rows - sentAmong(counts)));
}

/** How many rows a batch sends alone before the others; null where all may be sent. */
function firstRows({ batch, policy: { canary } }: OpenBatch): number | null {
  return canary === null || batch.canary_at !== null ? null : canary.rows;
}

/** Pauses the batches that a guard speaks against, and lets the others go on once their first rows have ended well. */
export async function enforceGuards(context: EnforceGuardsNeeds): Promise<void> {
  for (const open of context.batches.all().values()) {
    const { batch, policy } = open;
    const { batch_id: batchId } = batch;
    if (batch.status !== 'running') {
      // The pause is known everywhere by now.
      context.batches.unstop(batchId);
      continue;
    }
    const counts = await countRows(context.db, batchId);
    const isOver = !counts.has('ready');
    const isCanaryOver = canaryIsOver(open, counts);
    const failed = counts.get('failed') ?? 0;
    const why =
      context.batches.whyStopped(batchId) ??
      (await overspent(context.db, batch)) ??
      (isCanaryOver ? canaryVerdict(policy, { sent: sentAmong(counts), failed }) : null);
    // With nothing left to send, stopping would only keep the batch from being finished.
    if (why !== null && !isOver) await pauseByGuard(context, batchId, why, isCanaryOver);
    else if (isCanaryOver) await endCanary(context, batchId);
  }
}

/** Whether the rows that go alone have all ended, and were not judged yet. */
function canaryIsOver({ batch, policy }: OpenBatch, counts: ReadonlyMap<string, number>): boolean {
  if (policy.canary === null || batch.canary_at !== null || inFlightStates.some((state) => counts.has(state)))
    return false;
  return sentAmong(counts) >= policy.canary.rows || !counts.has('ready');
}

async function endCanary(context: Parts<'committer' | 'wakes'>, batchId: string): Promise<void> {
  await context.committer.commit(async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    if (batch?.status !== 'running' || batch.canary_at !== null) return;
    await unit.noteBatch(batch, { canary_at: unit.at });
    await unit.append(batchId, 'batch.canary_passed', {});
  });
  context.wakes.dispatch.wake();
}

async function pauseByGuard(
  context: Parts<'batches' | 'committer' | 'log'>,
  batchId: string,
  why: string,
  canary: boolean,
): Promise<void> {
  context.batches.stop(batchId, why);
  context.log.warn('a guard has paused the batch', { batch_id: batchId, why });
  await context.committer.commit(async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    if (!batch || !can(batch.status, 'pause')) return;
    // Who resumes it has seen how the first rows went: the others need not wait for more of them.
    const judged = canary ? { canary_at: unit.at } : {};
    await unit.pauseBatch(batch, { reason: 'guard_tripped', detail: why }, judged);
  });
}
