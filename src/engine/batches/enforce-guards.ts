import { can } from '../../core/state/batch-state.ts';
import type { Why } from '../../core/state/pause-texts.ts';
import { sentAmong } from '../../core/state/row-state.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { overspent } from '../plan/spending.ts';
import { canaryVerdict } from '../runner/batch-watch.ts';
import type { Parts } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';

type EnforceGuardsNeeds = Parts<'batches' | 'committer' | 'db' | 'log' | 'wakes'>;

const inFlightStates = ['sending', 'accepted', 'in_doubt'] as const;

/** Passes rows that ended to the watches of their batches. A batch that a watch stops sends nothing from here on. */
export function noteEnded(context: Parts<'batches'>, ended: readonly RowRecord[]): void {
  for (const [batchId, rows] of Map.groupBy(ended, ({ batch_id }) => batch_id)) {
    const why = context.batches.get(batchId)?.watch.note(rows) ?? null;
    if (why !== null) context.batches.stop(batchId, why);
  }
}

/**
 * How many first rows these batches send alone, for batches whose first rows were not all sent or have not all ended.
 */
export function rowsAlone(running: readonly OpenBatch[]): Map<string, number> {
  return new Map(
    running.flatMap((open) => {
      const rows = firstRows(open);
      return rows === null ? [] : [[open.batch.batch_id, rows] as const];
    }),
  );
}

/** How many rows a batch may send now: all ready rows, or the rest of its first rows. */
export function rowsToSend(open: OpenBatch, counts: ReadonlyMap<string, number>): number {
  if (open.batch.status !== 'running') return 0;
  const ready = counts.get('ready') ?? 0;
  const rows = firstRows(open);
  return rows === null ? ready : Math.min(ready, Math.max(0, rows - sentAmong(counts)));
}

/** How many first rows a batch sends alone; null if all rows may be sent. */
function firstRows({ batch, policy: { canary } }: OpenBatch): number | null {
  return canary === null || batch.canary_at !== null ? null : canary.rows;
}

/**
 * Pauses the batches that a guard stops, and releases the remaining rows of a batch once its first rows have ended
 * well. `standings`: how many rows of each batch are in each state.
 */
export async function enforceGuards(
  context: EnforceGuardsNeeds,
  standings: ReadonlyMap<string, { counts: ReadonlyMap<string, number> }>,
): Promise<void> {
  for (const open of context.batches.all().values()) {
    const { batch, policy } = open;
    const { batch_id: batchId } = batch;
    if (batch.status !== 'running') {
      // The ledger has the pause, so the mark in memory is no longer needed.
      context.batches.unstop(batchId);
      continue;
    }
    const counts = standings.get(batchId)?.counts;
    if (counts === undefined) continue;
    const isOver = !counts.has('ready');
    const isCanaryOver = canaryIsOver(open, counts);
    const failed = counts.get('failed') ?? 0;
    const why =
      context.batches.whyStopped(batchId) ??
      (await overspent(context.db, batch)) ??
      (isCanaryOver ? canaryVerdict(policy, { sent: sentAmong(counts), failed }) : null);
    // If nothing is left to send, a pause would only keep the batch from completing. Rows that a person releases or
    // retries later meet the guard then.
    if (why !== null && !isOver) await pauseByGuard(context, batchId, why, isCanaryOver);
    else if (why === null && isCanaryOver) await endCanary(context, batchId);
  }
}

/** Whether the first rows have all ended and were not judged yet. */
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
  why: Why,
  canary: boolean,
): Promise<void> {
  context.batches.stop(batchId, why);
  context.log.warn('a guard has paused the batch', { batch_id: batchId, why: why.text });
  await context.committer.commit(async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    if (!batch || !can(batch.status, 'pause')) return;
    // The person who resumes has seen how the first rows ended, so the remaining rows need not wait for more first
    // rows.
    const judged = canary ? { canary_at: unit.at } : {};
    await unit.pauseBatch(batch, { reason: 'guard_tripped', why }, judged);
  });
}
