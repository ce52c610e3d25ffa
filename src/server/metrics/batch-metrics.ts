import type { RowState } from '../../core/state/row-state.ts';
import { situationOf, unknownNumbers } from '../../core/state/situation.ts';
import { waitsForFirstRows } from '../../engine/forecast/can-progress.ts';
import {
  batchesLate,
  batchesOpen,
  doubtsByAccount,
  leftToPersonByBatch,
  type OpenBatchInShort,
  oldestAccepted,
  rowsOfOpenBatches,
} from '../../ledger/accounts/gauges.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { SetMetric } from './metrics.ts';

/** An open batch with the number of its rows in each state. */
export interface CountedBatch extends OpenBatchInShort {
  counts: Map<RowState, number>;
}

/** The batches that have not ended, with their rows. */
export async function countedBatches(db: Queryable): Promise<CountedBatch[]> {
  const batches = (await batchesOpen(db)).map((batch) => ({ ...batch, counts: new Map<RowState, number>() }));
  const byId = new Map(batches.map((batch) => [batch.batch_id, batch]));
  for (const { batch_id, status, count } of await rowsOfOpenBatches(db)) byId.get(batch_id)?.counts.set(status, count);
  return batches;
}

/** Sets batches by situation, rows by state, and the oldest rows. `isWorkedOn`: whether any program works for it. */
export async function setBatchMetrics(
  set: SetMetric,
  db: Queryable,
  {
    batches,
    isWorkedOn,
    now,
  }: { batches: readonly CountedBatch[]; isWorkedOn: (account: string) => boolean; now: number },
): Promise<void> {
  const left = new Map((await leftToPersonByBatch(db)).map(({ batch_id, count }) => [batch_id, count]));
  const ofBatches = makeTally(['account', 'status', 'situation']);
  const ofRows = makeTally(['account', 'state']);
  for (const batch of batches) {
    const { account, status } = batch;
    ofBatches.add(1, account, status, doingOf(batch, left.get(batch.batch_id) ?? 0, isWorkedOn(account)));
    for (const [state, count] of batch.counts) ofRows.add(count, account, state);
  }
  ofBatches.each((labels, count) => set('batches', count, labels));
  ofRows.each((labels, count) => set('rows', count, labels));
  for (const { account, count } of await batchesLate(db, now)) set('batches_late', count, { account, state: 'past' });
  for (const { account, at } of await oldestAccepted(db))
    set('accepted_oldest_seconds', secondsSince(at, now), { account });
  await setDoubts(set, db, now);
}

async function setDoubts(set: SetMetric, db: Queryable, now: number): Promise<void> {
  const oldest = new Map<string, number>();
  for (const { account, currency, at, sum } of await doubtsByAccount(db)) {
    oldest.set(account, Math.min(oldest.get(account) ?? now, at ?? now));
    if (currency !== null && sum !== null) set('doubt_amount', sum, { account, currency });
  }
  for (const [account, at] of oldest) set('doubt_oldest_seconds', secondsSince(at, now), { account });
}

/** What the batch is doing. Its pauses and holds do not change that, so they are not read. */
function doingOf(batch: CountedBatch, leftToPerson: number, isWorkedOn: boolean) {
  const { status, counts } = batch;
  return situationOf({
    ...{ ...unknownNumbers, status, leftToPerson, isWorkedOn },
    counts: Object.fromEntries(counts),
    waitsForFirstRows: waitsForFirstRows(batch, counts),
  }).doing;
}

/** A time that lies ahead, by a clock that was set back, counts as now. */
export function secondsSince(at: number, now: number): number {
  return Math.max(0, now - at) / 1_000;
}

/** Adds up numbers by the values of labels. */
function makeTally(names: readonly string[]) {
  const sums = new Map<string, { labels: Record<string, string>; sum: number }>();
  return {
    add(count: number, ...values: string[]) {
      const key = values.join(' ');
      const known = sums.get(key);
      if (known) known.sum += count;
      else sums.set(key, { labels: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])), sum: count });
    },
    each(use: (labels: Record<string, string>, sum: number) => void) {
      for (const { labels, sum } of sums.values()) use(labels, sum);
    },
  };
}
