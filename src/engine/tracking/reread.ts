import { isSameService } from '../../core/identity/service-name.ts';
import {
  type Gateway,
  paymentsPerPageMax,
  type ReadProblem,
  type ServicePayment,
} from '../../gateway/contract/gateway.ts';
import { makePageMarks } from '../../gateway/contract/list-pages.ts';
import { type BatchRecord, batchesToReread, findBatch } from '../../ledger/batches/batches.ts';
import { endedRows, findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import { forgetFact, readFact, writeFact } from '../../ledger/schema/facts.ts';
import { namedEnds } from '../doubts/earlier-generations.ts';
import {
  isOwnPayment,
  type LateDifference,
  noteDifference,
  noteGone,
  noteSecond,
  rowPaidBy,
} from '../payments/late-differences.ts';
import { referenceOf } from '../payments/payment-request.ts';
import type { Asks, Parts, Writes } from '../runner/context.ts';
import { makeRowMarks, type RowMarks } from '../runner/row-marks.ts';
import { haltPaidTwice } from './apply-status-update.ts';

type RereadNeeds = Parts<Asks | Writes | 'account' | 'service' | 'settings' | 'stopping'>;

/** How far beyond the batch's own times its payments are looked for: the service's clock may be another. */
const marginMs = 60_000;
/** Rows that are looked through at once for one that was on no page. */
const rowsPerLook = 1_000;

/** How far the list of a batch was read by this process, and which of its rows stood there. */
interface Listing {
  nextPage: number;
  isWhole: boolean;
  isNew: ReturnType<typeof makePageMarks>;
  seen: RowMarks;
}

/** What a restart goes on from: nothing on these pages, and none of these rows, is noted a second time. */
interface Place {
  pages: number;
  rowNo: number;
}

/**
 * Reads the payments of finished batches once more, a day after their end (reliability.md, V2 step 8): a payment may
 * be refunded, or turn out otherwise, after its last word. The rows stay as they ended; a difference is noted and
 * told. Pages of the service's list come first, and each row that was on none of them is looked up by itself; Version
 * 1 has no list, so there it is all of them, with every payment that was tried before. Each call of what comes back
 * asks the service of one page or row, for the batches that are due in turn, and returns how long until there may be
 * more to do, in milliseconds.
 */
export function makeRereading(context: RereadNeeds): () => Promise<number> {
  const { db, account, clock, settings, gateway } = context;
  const listings = new Map<string, Listing>();
  let turn = 0;
  return async () => {
    const due = await batchesToReread(db, account, clock.now() - settings.rereadAfterMs);
    const names = new Set(due.map(placeName));
    for (const name of listings.keys()) if (!names.has(name)) listings.delete(name);
    const batch = due[turn++ % due.length];
    if (!batch) return settings.rereadLookMs;
    // Another service would have none of its payments, and each would be called gone.
    const isAtOtherService = !isSameService(batch.service, context.service);
    const wait = isAtOtherService ? null : await readOn(context, batch, gateway.list && listingOf(listings, batch));
    if (wait === null) await noteRead(context, batch);
    return wait ?? 0;
  };
}

function listingOf(listings: Map<string, Listing>, batch: BatchRecord): Listing {
  const name = placeName(batch);
  const listing = listings.get(name) ?? { nextPage: 1, isWhole: false, isNew: makePageMarks(), seen: makeRowMarks() };
  listings.set(name, listing);
  return listing;
}

/** Asks of one page, or of one row. Returns how long until the next time, or null where all is read. */
async function readOn(context: RereadNeeds, batch: BatchRecord, listing: Listing | null): Promise<number | null> {
  const { list } = context.gateway;
  const place = await readPlace(context, batch);
  if (list && listing && !listing.isWhole) return readPage(context, batch, { list, listing, place });
  return readRow(context, batch, { seen: listing?.seen ?? null, place });
}

async function readPage(
  context: RereadNeeds,
  batch: BatchRecord,
  { list, listing, place }: { list: NonNullable<Gateway['list']>; listing: Listing; place: Place },
): Promise<number> {
  const page = listing.nextPage;
  const fromMs = (batch.started_at ?? batch.created_at) - marginMs;
  const toMs = (batch.completed_at ?? context.clock.now()) + marginMs;
  const query = { page, perPage: paymentsPerPageMax, fromMs, toMs, oldestFirst: true };
  const outcome = await context.limiter.admit('read', () => list(query));
  if (outcome.kind !== 'page') return context.readTrouble(outcome);
  const differences = await context.committer.commit(async (unit) => {
    const found: LateDifference[] = [];
    for (const payment of outcome.payments) {
      const paid = await rowPaidBy(unit, context.account, batch.batch_id, payment);
      if (!paid) continue;
      const { row, isOwn } = paid;
      if (isOwn) listing.seen.add(row.row_no);
      if (page <= place.pages) continue;
      const difference = await (isOwn ? noteDifference : noteSecond)(unit, row, payment);
      if (difference?.isPaidTwice) await haltPaidTwice(unit, context, difference.row, payment.topupId);
      if (difference) found.push(difference);
    }
    if (page > place.pages) await writeFact(unit.tx, placeName(batch), `${pagesPrefix}${page}`);
    return found;
  });
  logDifferences(context, differences);
  listing.nextPage += 1;
  // A page that shows nothing new is the end, whatever the service says: it would be read for ever.
  listing.isWhole = !outcome.hasNext || !listing.isNew(outcome);
  return 0;
}

async function readRow(
  context: RereadNeeds,
  batch: BatchRecord,
  { seen, place }: { seen: RowMarks | null; place: Place },
): Promise<number | null> {
  const row = await nextUnseen(context, batch, { seen, after: place.rowNo });
  if (!row) return context.stopping.aborted ? 0 : null;
  // Where there is a list, earlier payments of the row stand there, as a second one does.
  const asked = await lookupFrom(context, batch, row, seen === null ? 1 : row.generation);
  if (!Array.isArray(asked)) return context.readTrouble(asked);
  const payments = asked.at(-1) ?? [];
  const named = await namedEnds(context.db, row);
  // A person who had the row sent again has said of these ends that nothing came of them.
  const earlier = asked.slice(0, -1).flatMap((of) => of.filter(({ serviceStatus }) => !named.includes(serviceStatus)));
  const differences = await context.committer.commit(async (unit) => {
    await writeFact(unit.tx, placeName(batch), String(row.row_no));
    const current = await findRow(unit.tx, row.batch_id, row.row_no);
    if (current?.generation !== row.generation) return [];
    const own = payments.find((payment) => isOwnPayment(current, payment));
    const isGone = !own && current.status === 'completed';
    const ofOwn = own ? await noteDifference(unit, current, own) : null;
    if (own && ofOwn?.isPaidTwice) await haltPaidTwice(unit, context, current, own.topupId);
    const found = [isGone ? await noteGone(unit, current, payments.length === 0) : null, ofOwn];
    const others = seen === null && !isGone ? payments.filter((payment) => payment !== own) : [];
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

/** What the service has of each of a row's payments, from one generation to its last; or why that is not known. */
async function lookupFrom(
  { limiter, gateway }: Parts<'gateway' | 'limiter'>,
  batch: BatchRecord,
  row: RowRecord,
  first: number,
): Promise<ServicePayment[][] | ReadProblem> {
  const payments: ServicePayment[][] = [];
  for (let generation = first; generation <= row.generation; generation++) {
    const outcome = await limiter.admit('read', () => gateway.lookup(referenceOf(batch, row, generation)));
    if (outcome.kind !== 'found' && outcome.kind !== 'not_found') return outcome;
    payments.push(outcome.kind === 'found' ? outcome.payments : []);
  }
  return payments;
}

/**
 * The first row behind `after` that was on no page. With a list, what the service never had under an id was not to be
 * there.
 */
async function nextUnseen(
  { db, clock, stopping }: Parts<'clock' | 'db' | 'stopping'>,
  { batch_id }: BatchRecord,
  { seen, after }: { seen: RowMarks | null; after: number },
): Promise<RowRecord | null> {
  for (let last = after; !stopping.aborted; await clock.turn()) {
    const rows = await endedRows(db, batch_id, last, seen === null ? 1 : rowsPerLook);
    const unseen = rows.find(({ row_no, topup_id }) => seen === null || (topup_id !== null && !seen.has(row_no)));
    if (unseen || rows.length === 0) return unseen ?? null;
    last = rows.at(-1)?.row_no ?? last;
  }
  return null;
}

async function noteRead({ committer }: Parts<'committer'>, batch: BatchRecord): Promise<void> {
  await committer.commit(async (unit) => {
    const current = await findBatch(unit.tx, batch.batch_id);
    await forgetFact(unit.tx, placeName(batch));
    // A retry may have opened it again: then it is read when it has ended anew.
    if (current?.completed_at === batch.completed_at) await unit.noteBatch(current, { reread_at: unit.at });
  });
}

/** Where a batch's place is kept. A batch that ended anew begins anew. */
function placeName({ batch_id, completed_at }: BatchRecord): string {
  return `reread:${batch_id}:${completed_at}`;
}

const pagesPrefix = 'pages ';

async function readPlace({ db }: Parts<'db'>, batch: BatchRecord): Promise<Place> {
  const place = (await readFact(db, placeName(batch))) ?? `${pagesPrefix}0`;
  if (place.startsWith(pagesPrefix)) return { pages: Number(place.slice(pagesPrefix.length)), rowNo: 0 };
  return { pages: Number.POSITIVE_INFINITY, rowNo: Number(place) };
}

function logDifferences({ log }: Parts<'log'>, differences: readonly LateDifference[]): void {
  for (const { row, why } of differences)
    log.warn('a payment is not what it was when its row ended', { batch_id: row.batch_id, row: row.row_no, why });
}
