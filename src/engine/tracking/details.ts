import { pagesOf } from '../../core/basics/pages.ts';
import { isSameService } from '../../core/identity/service-name.ts';
import type { Gateway, LookupOutcome } from '../../gateway/contract/gateway.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import { endedRows, findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import { LimiterStopped, type RateUsage } from '../../limiter/limiter.ts';
import { type RequestDeps, requestOnce } from '../pacing/request-with-retry-after.ts';
import type { Parts } from '../runner/context.ts';

type DetailsNeeds = Parts<
  'clock' | 'committer' | 'db' | 'gateway' | 'limiter' | 'readTrouble' | 'settings' | 'stopping'
>;

/** Rows that are read one after the other before what was found is written: a crash loses that many reads at most. */
const rowsPerUnit = 25;
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
  const read = (last: RowRecord | undefined, limit: number) =>
    endedRows(context.db, batch_id, last?.row_no ?? 0, limit);
  for await (const rows of pagesOf(rowsPerUnit, read))
    if (!(await readRows(context, rows.filter(lacksDetails)))) return;
}

/** Whether a read may show more of the row's payment than the ledger has. */
export function lacksDetails({ status, topup_id, provider_reference }: RowRecord): boolean {
  return status === 'completed' && topup_id !== null && provider_reference === null;
}

/**
 * Reads the details of one row, because a person looks at it. `isUnread`: payments that have not ended need the reads
 * of this moment, or the service has not answered, so the person may ask again. Nothing waits for its turn here: a read
 * for details never stands before one that tracking needs.
 */
export async function readDetailsNow(
  actor: Actor,
  { service, gateway, limiter, onWait }: Parts<'gateway' | 'limiter' | 'service'> & Pick<RequestDeps, 'onWait'>,
  batch: BatchRecord,
  row: RowRecord,
): Promise<{ row: RowRecord; isUnread: boolean }> {
  if (!lacksDetails(row) || gateway.list === null || !isSameService(batch.service, service))
    return { row, isUnread: false };
  if (!hasRoom(limiter.usage('read'))) return { row, isUnread: true };
  const read = () => requestOnce({ limiter, onWait, clock: actor.clock }, 'read', () => readPayment(gateway, row));
  const outcome = await unlessStopped(read());
  if (outcome?.kind !== 'found') return { row, isUnread: outcome?.kind !== 'not_found' };
  return inUnitOf(actor, async (unit) => {
    const now = (await findRow(unit.tx, row.batch_id, row.row_no)) ?? row;
    const provider_reference = referenceIn(outcome, now);
    if (!lacksDetails(now) || provider_reference === null) return { row: now, isUnread: false };
    return { row: (await unit.noteRow(now, { provider_reference }, null, {})) ?? now, isUnread: false };
  });
}

function hasRoom({ used, limit, heldMs }: RateUsage): boolean {
  return heldMs === 0 && used < Math.max(1, limit * share);
}

/** Reads rows, and writes what was found in one unit. Returns whether the service has answered for each. */
async function readRows(context: DetailsNeeds, rows: readonly RowRecord[]): Promise<boolean> {
  const found: { row: RowRecord; provider_reference: string }[] = [];
  let isAnswered = true;
  for (const row of rows) {
    const outcome = await readWhenRoom(context, row);
    isAnswered = outcome?.kind === 'found';
    if (outcome?.kind !== 'found') break;
    const provider_reference = referenceIn(outcome, row);
    if (provider_reference !== null) found.push({ row, provider_reference });
  }
  if (found.length > 0)
    await context.committer.commit(async (unit) => {
      for (const { row, provider_reference } of found) await unit.noteRow(row, { provider_reference }, null, {});
    }, false);
  return isAnswered;
}

/** Null if the program ends first, or if the account must wait. */
async function readWhenRoom(context: DetailsNeeds, row: RowRecord) {
  const { clock, limiter, stopping } = context;
  for (;;) {
    const usage = limiter.usage('read');
    if (stopping.aborted || usage.heldMs > 0) return null;
    if (hasRoom(usage)) break;
    await clock.sleep(usage.windowMs / usage.limit, stopping);
  }
  const outcome = await unlessStopped(limiter.admit('read', () => readPayment(context.gateway, row)));
  if (outcome !== null && outcome.kind !== 'found' && outcome.kind !== 'not_found') await context.readTrouble(outcome);
  return outcome;
}

function readPayment(gateway: Gateway, { topup_id }: RowRecord): Promise<LookupOutcome> {
  return gateway.read({ topupId: topup_id ?? '', reference: '' });
}

/** The outcome of a request; null if the program ends first. */
async function unlessStopped<Outcome>(request: Promise<Outcome>): Promise<Outcome | null> {
  return request.catch((error: unknown) => {
    if (error instanceof LimiterStopped) return null;
    throw error;
  });
}

function referenceIn({ payments }: Extract<LookupOutcome, { kind: 'found' }>, { topup_id }: RowRecord): string | null {
  return payments.find(({ topupId }) => topupId === topup_id)?.providerReference ?? null;
}
