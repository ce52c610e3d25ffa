import { isSameService } from '../../core/identity/service-name.ts';
import { wasSent } from '../../core/state/row-state.ts';
import {
  type Gateway,
  paymentsPerPageMax,
  type ReadProblem,
  type ServicePayment,
} from '../../gateway/contract/gateway.ts';
import { makePageMarks } from '../../gateway/contract/list-pages.ts';
import { type BatchRecord, batchesToReread, findBatch } from '../../ledger/batches/batches.ts';
import {
  dropRereadPlace,
  findRereadPlace,
  type Reading,
  type RereadPlace,
  saveRereadPlace,
} from '../../ledger/batches/rereads.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { namedEnds } from '../../ledger/rows/row-decisions.ts';
import { endedRows, findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import {
  isOwnPayment,
  type LateDifference,
  noteDifference,
  noteGone,
  noteSecond,
  rowPaidBy,
} from '../payments/late-differences.ts';
import { paymentNames, referenceOf } from '../payments/payment-request.ts';
import type { Asks, Parts, Writes } from '../runner/context.ts';
import { makeRowMarks, type RowMarks } from '../runner/row-marks.ts';
import { haltPaidTwice } from './apply-status-update.ts';

type RereadNeeds = Parts<Asks | Writes | 'account' | 'service' | 'settings' | 'stopping'>;

/** Payments are looked for this much before and after the reading's times, because the service's clock may differ. */
const marginMs = 60_000;
/** Rows that are read at once to find one that belongs to the reading and was on no page. */
const rowsPerLook = 1_000;

/** The position up to which this process has read the list for a reading, and the rows that it found there. */
interface Listing {
  nextPage: number;
  isWhole: boolean;
  isNew: ReturnType<typeof makePageMarks>;
  seen: RowMarks;
}

/** A reading with its batch as it was when the reading was chosen. */
interface BatchReading extends Reading {
  batch: BatchRecord;
}

/**
 * Reads the payments of rows that have ended again, a day later (reliability.md, V2 step 8): a payment may be refunded,
 * or end differently, after its last status. The rows stay as they ended; a difference is recorded and reported. Rows
 * of a batch that ended within a day of each other are one reading, so that a batch that stays open is read as well.
 * Pages of the service's list come first. Then each row that was on no page is looked up, with all of its earlier
 * payments: if the clocks differ, the pages may have shown none of them. Version 1 has no list, so all rows are looked
 * up. Each call of the returned function asks for one page or one row, of the due readings in turn. It returns how long
 * to wait before the next call, in milliseconds.
 */
export function makeRereading(context: RereadNeeds): () => Promise<number> {
  const { db, account, clock, settings, gateway } = context;
  const { rereadAfterMs, rereadLookMs } = settings;
  const listings = new Map<string, Listing>();
  let turn = 0;
  return async () => {
    const due = await batchesToReread(db, account, {
      endedBefore: clock.now() - rereadAfterMs,
      spanMs: rereadAfterMs,
    });
    const readings = due.map((batch) => readingOf(batch, rereadAfterMs));
    const names = new Set(readings.map(nameOf));
    for (const name of listings.keys()) if (!names.has(name)) listings.delete(name);
    const reading = readings[turn++ % readings.length];
    if (!reading) return rereadLookMs;
    // A batch of another service is skipped: this service has none of its payments, and each would be recorded as
    // missing.
    const isAtOtherService = !isSameService(reading.batch.service, context.service);
    const wait = isAtOtherService ? null : await readOn(context, reading, gateway.list && listingOf(listings, reading));
    if (wait === null) await noteRead(context, reading);
    return wait ?? 0;
  };
}

/** The next reading of a batch: the rows that ended within `spanMs` since the last one, but not after the batch. */
function readingOf(batch: BatchRecord, spanMs: number): BatchReading {
  const { batch_id, reread_at, started_at, created_at, completed_at } = batch;
  const spanEnd = (reread_at ?? started_at ?? created_at) + spanMs;
  return { batch, batch_id, after: reread_at, to: Math.min(completed_at ?? spanEnd, spanEnd) };
}

function nameOf({ batch_id, to }: BatchReading): string {
  return `${batch_id} ${to}`;
}

/**
 * Whether a row belongs to the reading. The last reading of a batch has all that were not read before: the service may
 * have set the time of their end, and its clock may be ahead.
 */
function isIn({ batch, after, to }: BatchReading, { status, completed_at: endedAt }: RowRecord): boolean {
  if (endedAt !== null && endedAt <= (after ?? Number.NEGATIVE_INFINITY)) return false;
  if (to === batch.completed_at) return true;
  return (status === 'completed' || status === 'failed') && endedAt !== null && endedAt <= to;
}

function listingOf(listings: Map<string, Listing>, reading: BatchReading): Listing {
  const name = nameOf(reading);
  const listing = listings.get(name) ?? { nextPage: 1, isWhole: false, isNew: makePageMarks(), seen: makeRowMarks() };
  listings.set(name, listing);
  return listing;
}

/** Asks for one page or one row. Returns how long to wait before the next call; null if the reading is complete. */
async function readOn(context: RereadNeeds, reading: BatchReading, listing: Listing | null): Promise<number | null> {
  const { list } = context.gateway;
  const place = (await findRereadPlace(context.db, reading)) ?? { pages: 0, row_no: null };
  if (!list || !listing || listing.isWhole) return readRow(context, reading, { seen: listing?.seen ?? null, place });
  // Days in which no row of an open batch ended need no page.
  if (listing.nextPage === 1 && (await nextRow(context, reading, 0, () => true)) === null)
    return context.stopping.aborted ? 0 : null;
  return readPage(context, reading, { list, listing, place });
}

async function readPage(
  context: RereadNeeds,
  reading: BatchReading,
  { list, listing, place }: { list: NonNullable<Gateway['list']>; listing: Listing; place: RereadPlace },
): Promise<number> {
  const { batch, after, to } = reading;
  const page = listing.nextPage;
  // What a program before this one found on this page is recorded already.
  const isKnown = place.row_no !== null || page <= place.pages;
  const fromMs = (after ?? batch.started_at ?? batch.created_at) - marginMs;
  const query = { page, perPage: paymentsPerPageMax, fromMs, toMs: to + marginMs, oldestFirst: true };
  const outcome = await context.limiter.admit('read', () => list(query));
  if (outcome.kind !== 'page') return context.readTrouble(outcome);
  const differences = await context.committer.commit(async (unit) => {
    const found: LateDifference[] = [];
    for (const payment of outcome.payments) {
      const paid = await rowPaidBy(unit, context.account, batch.batch_id, payment);
      if (!paid || !isIn(reading, paid.row)) continue;
      const { row, isOwn } = paid;
      if (isOwn) listing.seen.add(row.row_no);
      if (isKnown) continue;
      const difference = await (isOwn ? noteDifference : noteSecond)(unit, row, payment);
      if (difference?.isPaidTwice) await haltPaidTwice(unit, context, difference.row, payment.topupId);
      if (difference) found.push(difference);
    }
    if (!isKnown) await saveRereadPlace(unit.tx, reading, { pages: page, row_no: null });
    return found;
  });
  logDifferences(context, differences);
  listing.nextPage += 1;
  // A page without new entries is treated as the last, even if the service announces more: it would be read for ever.
  listing.isWhole = !outcome.hasNext || !listing.isNew(outcome);
  return 0;
}

async function readRow(
  context: RereadNeeds,
  reading: BatchReading,
  { seen, place }: { seen: RowMarks | null; place: RereadPlace },
): Promise<number | null> {
  // With a list, rows that were sent and have no payment id are left out: the service never had a payment of them.
  const isUnseen = ({ row_no, topup_id, status }: RowRecord) =>
    seen === null || ((topup_id !== null || !wasSent(status)) && !seen.has(row_no));
  const row = await nextRow(context, reading, place.row_no ?? 0, isUnseen);
  if (!row) return context.stopping.aborted ? 0 : null;
  const asked = await lookupAll(context, reading.batch, row);
  if (!Array.isArray(asked)) return context.readTrouble(asked);
  const payments = asked.at(-1) ?? [];
  const named = await namedEnds(context.db, row);
  // When a person retried the row, they confirmed that these ends did not arrive.
  const earlier = asked.slice(0, -1).flatMap((of) => of.filter(({ serviceStatus }) => !named.includes(serviceStatus)));
  const differences = await context.committer.commit(async (unit) => {
    await saveRereadPlace(unit.tx, reading, { ...place, row_no: row.row_no });
    const current = await findRow(unit.tx, row.batch_id, row.row_no);
    if (current?.generation !== row.generation) return [];
    const own = payments.find((payment) => isOwnPayment(current, payment));
    const isGone = !own && current.status === 'completed';
    const ofOwn = own ? await noteDifference(unit, current, own) : null;
    if (own && ofOwn?.isPaidTwice) await haltPaidTwice(unit, context, current, own.topupId);
    const found = [isGone ? await noteGone(unit, current, payments.length === 0) : null, ofOwn];
    const others = isGone ? [] : payments.filter((payment) => payment !== own);
    for (const payment of [...earlier, ...others]) {
      const second = await noteSecond(unit, current, payment);
      if (second?.isPaidTwice) await haltPaidTwice(unit, context, second.row, payment.topupId);
      found.push(second);
    }
    return found.filter((difference) => difference !== null);
  });
  logDifferences(context, differences);
  return context.settings.rereadApartMs * asked.length;
}

/** The service's payments of each generation of a row; or the problem if a lookup failed. */
async function lookupAll(
  { db, limiter, gateway }: Parts<'db' | 'gateway' | 'limiter'>,
  batch: BatchRecord,
  row: RowRecord,
): Promise<ServicePayment[][] | ReadProblem> {
  const payments: ServicePayment[][] = [];
  for (let generation = 1; generation <= row.generation; generation++) {
    // The row of an earlier file may have sent it, and counts it.
    if (!wasSent(row.status) && !(await hasSent(db, batch, row, generation))) {
      payments.push([]);
      continue;
    }
    const outcome = await limiter.admit('read', () => gateway.lookup(referenceOf(batch, row, generation)));
    if (outcome.kind !== 'found' && outcome.kind !== 'not_found') return outcome;
    payments.push(outcome.kind === 'found' ? outcome.payments : []);
  }
  return payments;
}

async function hasSent(db: Queryable, batch: BatchRecord, row: RowRecord, generation: number): Promise<boolean> {
  const payment = await findPayment(db, paymentNames(batch, row, generation).key);
  return payment?.batch_id === row.batch_id && payment.row_no === row.row_no;
}

/** The first row of the reading after row `after` that is wanted. */
async function nextRow(
  { db, clock, stopping }: Parts<'clock' | 'db' | 'stopping'>,
  reading: BatchReading,
  after: number,
  isWanted: (row: RowRecord) => boolean,
): Promise<RowRecord | null> {
  // Usually the first row will do.
  let limit = 1;
  for (let last = after; !stopping.aborted; await clock.turn()) {
    const rows = await endedRows(db, reading.batch_id, last, limit);
    const found = rows.find((row) => isIn(reading, row) && isWanted(row));
    if (found || rows.length === 0) return found ?? null;
    last = rows.at(-1)?.row_no ?? last;
    limit = rowsPerLook;
  }
  return null;
}

async function noteRead({ committer }: Parts<'committer'>, reading: BatchReading): Promise<void> {
  await committer.commit(async (unit) => {
    const current = await findBatch(unit.tx, reading.batch_id);
    await dropRereadPlace(unit.tx, reading);
    // A retry may have reopened the batch. Rows that end again since are of a later reading.
    if (current) await unit.noteBatch(current, { reread_at: reading.to });
  });
}

function logDifferences({ log }: Parts<'log'>, differences: readonly LateDifference[]): void {
  for (const { row, why } of differences)
    log.warn('a payment has changed since its row ended', { batch_id: row.batch_id, row: row.row_no, why });
}
