import pLimit from 'p-limit';
import { dueRows, nextDueAt } from '../../ledger/rows/in-flight-rows.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { type Place, sendingOrder } from '../forecast/sending-order.ts';
import type { Parts } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';

/** The most rows of a batch that one pass handles; each becomes a request. */
const rowsPerPass = 100;
/** The most requests that run at the same time. The limiter decides when each starts. */
const requestsAtOnce = 8;
/**
 * One step in this many goes to the batch that has waited longest, whatever its rank: the keys of doubts in a bulk
 * batch grow old too.
 */
const openTurnEvery = 4;
/** How often a batch without due rows is checked again while rows of other batches are handled. */
const queryAgainMs = 2_000;
/**
 * How long a row that was read from the ledger may be used. After that, a webhook may have settled it, and a request
 * would be wasted.
 */
const keptMsMax = 60_000;

/** A batch in a pass. */
interface Source {
  batchId: string;
  /** Due rows, the longest due last. */
  rows: RowRecord[];
  /** When they were read from the ledger (monotonic ms). */
  queriedAt: number;
  /** How many more rows may be handled in this pass. */
  left: number;
  /** The row numbers (in the file) that are being handled. */
  underWay: Set<number>;
  /** The number of the last step that handled one of its rows. */
  servedAs: number;
}

/**
 * Handles every due row of the open batches that is in this state, until the runner stops. Batches have the same order
 * and turns as for sending (engine/forecast/sending-order.ts). Within a batch, the row that has been due longest is
 * first. Returns when the next row is due (epoch ms); null if none is.
 */
export async function stepDueRows(
  context: Parts<'batches' | 'clock' | 'db' | 'stopping'>,
  status: 'accepted' | 'in_doubt',
  step: (open: OpenBatch, row: RowRecord) => Promise<void>,
): Promise<number | null> {
  const { clock, stopping } = context;
  const first = await firstDueAt(context, status);
  if (first === null || first > clock.now()) return first;
  const limit = pLimit(requestsAtOnce);
  const sources = new Map<string, Source>();
  let number = 1;
  let asking: Promise<void> | null = null;
  const ask = () => {
    asking ??= queryLedger(context, status, sources).finally(() => {
      asking = null;
    });
    return asking;
  };
  // The next row is chosen when its turn comes, so that a new batch does not wait behind a queue.
  const stepNext = async () => {
    await ask();
    const source = stopping.aborted ? null : nextSource(context, sources, number);
    const row = source?.rows.pop();
    const open = source && context.batches.get(source.batchId);
    if (!source || !row || !open) return;
    source.left -= 1;
    source.servedAs = number;
    number += 1;
    source.underWay.add(row.row_no);
    try {
      await step(open, row);
    } finally {
      source.underWay.delete(row.row_no);
    }
  };
  // The open batches as of now, so that a batch that was approved in the meantime gets its turn in this pass.
  const due = () =>
    [...context.batches.all().keys()].reduce((sum, batchId) => sum + (sources.get(batchId)?.rows.length ?? 0), 0);
  try {
    await ask();
    for (let count = due(); count > 0 && !stopping.aborted; count = due())
      await Promise.all(Array.from({ length: count }, () => limit(stepNext)));
  } finally {
    limit.clearQueue();
  }
  return firstDueAt(context, status);
}

/** The batch whose row is next; null if none has a due row now. */
function nextSource(
  { batches }: Parts<'batches'>,
  sources: ReadonlyMap<string, Source>,
  number: number,
): Source | null {
  const isOpenTurn = number % openTurnEvery === 0;
  let first: { source: Source; batch: Place } | null = null;
  for (const { batch } of batches.all().values()) {
    const source = sources.get(batch.batch_id);
    if (!source || source.rows.length === 0) continue;
    const order = first && !isOpenTurn ? sendingOrder(batch, first.batch) : 0;
    if (!first || order < 0 || (order === 0 && source.servedAs < first.source.servedAs)) first = { source, batch };
  }
  return first?.source ?? null;
}

/** Reads the due rows of each batch, and again if a batch had none for a while or its rows were read long ago. */
async function queryLedger(
  { db, clock, batches }: Parts<'batches' | 'clock' | 'db'>,
  status: 'accepted' | 'in_doubt',
  sources: Map<string, Source>,
): Promise<void> {
  const now = clock.monotonic();
  for (const batchId of batches.all().keys()) {
    const known = sources.get(batchId);
    if (known && !needsQuery(known, now)) continue;
    const source = known ?? { batchId, rows: [], queriedAt: now, left: rowsPerPass, underWay: new Set(), servedAs: 0 };
    // Rows that are being handled stay due in the ledger until their step is written, which may happen during this
    // read.
    const underWay = new Set(source.underWay);
    const due = await dueRows(db, batchId, status, clock.now(), source.left + underWay.size);
    source.rows = due
      .filter(({ row_no }) => !underWay.has(row_no) && !source.underWay.has(row_no))
      .slice(0, source.left)
      .reverse();
    source.queriedAt = now;
    sources.set(batchId, source);
  }
}

function needsQuery({ rows, queriedAt, left }: Source, now: number): boolean {
  return left > 0 && now - queriedAt >= (rows.length > 0 ? keptMsMax : queryAgainMs);
}

async function firstDueAt(
  { db, batches }: Parts<'batches' | 'db'>,
  status: 'accepted' | 'in_doubt',
): Promise<number | null> {
  let first: number | null = null;
  for (const batchId of batches.all().keys()) {
    const at = await nextDueAt(db, batchId, status);
    if (at !== null) first = Math.min(first ?? at, at);
  }
  return first;
}
