import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { type BatchBefore, batchesBefore } from '../../engine/forecast/sending.ts';
import { type AccountGate, causeOf } from '../../engine/pacing/account-gate.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import { nextLookupAt } from '../../ledger/rows/in-flight-rows.ts';
import { accountsNow, type LedgerNow, paceOf } from '../base/account-now.ts';
import { beforeText, serviceText } from '../base/blockers.ts';
import type { ProgressEvent } from '../base/events.ts';
import type { OperationContext } from '../base/operation.ts';

/**
 * Reports the progress of the batches again and again until it is ended, and then once more. Only durable results
 * count.
 */
export function reportProgress(
  { session, emit, progressMs }: Pick<OperationContext, 'emit' | 'progressMs'> & { session: LedgerNow },
  batchIds: readonly string[],
): { end(): Promise<void> } {
  const stop = new AbortController();
  const reportAgain = async () => {
    while (!stop.signal.aborted) {
      await session.clock.sleep(progressMs, stop.signal);
      const progress = await progressOf(session, batchIds);
      if (progress.to_pay > 0) emit({ ...progress, is_last: stop.signal.aborted });
    }
  };
  const done = reportAgain();
  return {
    async end() {
      stop.abort();
      await done;
    },
  };
}

async function progressOf(session: LedgerNow, batchIds: readonly string[]): Promise<Omit<ProgressEvent, 'is_last'>> {
  const { db, clock } = session;
  const sum = { completed: 0, failed: 0, in_doubt: 0, under_way: 0, to_send: 0, is_paused: false };
  let lookupAt: number | null = null;
  let leftMs: number | null = null;
  let gate: AccountGate | null = null;
  let slowest: BatchBefore[] = [];
  const accountOf = accountsNow(session);
  for (const batchId of batchIds) {
    const counts = await countRows(db, batchId);
    const count = (state: string) => counts.get(state) ?? 0;
    sum.completed += count('completed');
    sum.failed += count('failed');
    sum.in_doubt += count('in_doubt');
    sum.under_way += count('sending') + count('accepted');
    sum.to_send += count('ready');
    const batch = await findBatch(db, batchId);
    sum.is_paused ||= batch?.status === 'paused';
    const account = batch && (await accountOf(batch.account));
    const pace = account && paceOf(account, batch);
    const dueAt = count('in_doubt') > 0 ? await nextLookupAt(db, batchId, clock.now()) : null;
    if (dueAt !== null) lookupAt = Math.min(lookupAt ?? dueAt, dueAt);
    if (!pace) continue;
    gate ??= account.gate;
    const before = batchesBefore(batch, { ready: count('ready'), pace, sending: account.sending });
    const sentMs = account.foreseen().get(batchId)?.sentMs;
    if (sentMs === undefined || sentMs < (leftMs ?? 0)) continue;
    leftMs = sentMs;
    slowest = before;
  }
  const now = clock.now();
  const shown = new Set(batchIds);
  return {
    kind: 'progress',
    at: isoTime(now),
    batch_ids: [...batchIds],
    to_pay: sum.completed + sum.failed + sum.in_doubt + sum.under_way + sum.to_send,
    ...sum,
    lookup_at: isoOrNull(lookupAt),
    left_ms: leftMs,
    is_sending: gate !== null,
    service_wait: gate && serviceText(gate, now),
    unreachable_since: isoOrNull(gate && (causeOf(gate, 'unreachable')?.since ?? null)),
    rows_before: beforeText(slowest.filter(({ batch }) => !shown.has(batch))),
  };
}
