import { join } from 'node:path';
import type { Random } from '../../core/basics/random.ts';
import { parseReference } from '../../core/identity/ids.ts';
import { Sums, subtractAmounts } from '../../core/money/money.ts';
import { jsonFile } from '../../core/text/json-output.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { openSqlite } from '../../ledger/drivers/sqlite.ts';
import {
  type BoundPayment,
  insertOpenItem,
  insertReconciliation,
  notePayment,
  pageBoundPayments,
  pageSeenKeys,
  prepareSeen,
} from '../../ledger/reporting/reconciliations.ts';
import type { StoredBalance } from '../summary/stored.ts';
import { findBatchOrFail } from '../summary/summary.ts';
import { csvText } from '../text/csv.ts';
import { type FolderWriter, type Readers, type ReportFile, type WrittenFile, writeFolder } from '../versions/files.ts';
import type { SigningKey } from '../versions/signing-key.ts';
import { boundTo, makeNamer } from './reconcile-binding.ts';
import { type Bucket, bucketOf, bucketOfAbsent, buckets, isOpen } from './reconcile-buckets.ts';
import { type Contradicted, contradictedBy, noteContradictions } from './reconcile-contradictions.ts';
import { nextOf } from './reconcile-next.ts';
import { reconciliationHtml, reconciliationXlsx } from './reconcile-report.ts';
import {
  balanceNow,
  type ListedPage,
  listedPages,
  lookedUp,
  paymentNow,
  type ReconcileDeps,
} from './reconcile-source.ts';
import { explainWallets, hasRest, type ReadingSpan, readingSpan, readingsOf, restNext } from './reconcile-wallets.ts';
import { itemColumns, type ReconcileItem, type Reconciliation, reconciliationManifest } from './reconciliation.ts';

export interface ReconcileRequest {
  account: string;
  /** Epoch milliseconds: payments first sent, or created at the service, in this time. */
  fromMs: number;
  toMs: number;
  /** One batch only: what other batches and programs paid is left out. */
  batchId?: string;
}

/** How far the service's clock and ours may be apart, and how long a request may take until it is created there. */
const marginMs = 10 * 60_000;
/** A time that ends so shortly before it is compared is meant to last until now. */
const nowMarginMs = 60_000;
/**
 * The most payments that are read one by one: a minute of reads at the service's limit (spec section 8.1). It bounds
 * the entries without a reference, and the paid rows where the wallets do not add up: only a read may show that the
 * money of a payment came back.
 */
const secondLookMax = 300;
/** Payments of the ledger held at once. */
const paymentsPerPage = 500;

/**
 * Compares three ways: the ledger, the service's own list, and the wallets. Every payment of either side lands in
 * exactly one bucket. Memory does not grow with their number. The run and its open items are kept in the ledger; the
 * files go into `<outDir>/<reconciliation id>/`: reconciliation.csv, .json, .xlsx and .html, and a manifest that `key`
 * signs.
 */
export async function reconcile(
  db: Database,
  deps: ReconcileDeps & Readers & { random: Random; key: SigningKey },
  request: ReconcileRequest,
  outDir: string,
): Promise<{ dir: string; files: string[]; reconciliation: Reconciliation }> {
  const stamp = isoTime(deps.clock.now())
    .replace(/[-:]|\..*/g, '')
    .replace('T', '-');
  const id = `R-${stamp}-${deps.random.hex(2)}`;
  const scratch = openSqlite('');
  try {
    await prepareSeen(scratch);
    const batch = request.batchId === undefined ? null : await findBatchOrFail(db, request.batchId);
    const readings = await readingsOf(db, request);
    const readsNow = request.toMs >= deps.clock.now() - nowMarginMs;
    const span = readingSpan(readings, readsNow);
    const run: Run = {
      db,
      scratch,
      deps,
      request,
      id,
      runId: batch?.run_id ?? null,
      nameOf: makeNamer(db, deps, request.account, secondLookMax),
      readings,
      readsNow,
      span,
      gathered: gatherer(),
      agreeing: [],
    };
    const dir = join(outDir, id);
    let reconciliation: Reconciliation | null = null;
    const work = async (writer: FolderWriter) => {
      const written: WrittenFile[] = [];
      const write = async (file: ReportFile) => void written.push(await writer.write(file));
      await write({ name: 'reconciliation.csv', content: itemLines(run) });
      reconciliation = await finish(run);
      await write({ name: 'reconciliation.json', content: [jsonFile(reconciliation)] });
      await write({ name: 'reconciliation.xlsx', content: reconciliationXlsx(db, reconciliation) });
      await write({ name: 'reconciliation.html', content: [await reconciliationHtml(db, reconciliation)] });
      const manifest = jsonFile(reconciliationManifest(reconciliation, written, deps.key.publicKey));
      await writer.write({ name: 'manifest.sig', content: [deps.key.sign(Buffer.from(manifest))] });
      await writer.write({ name: 'manifest.json', content: [manifest] });
    };
    const files = await writeFolder(dir, [], work, deps);
    return { dir, files, reconciliation: reconciliation as unknown as Reconciliation };
  } finally {
    await scratch.close();
  }
}

interface Run {
  db: Database;
  scratch: Database;
  deps: ReconcileDeps & { random: Random };
  request: ReconcileRequest;
  id: string;
  /** The run of the one batch that is looked at, or null. */
  runId: string | null;
  /** Completes an entry of the list that has no reference. */
  nameOf: ReturnType<typeof makeNamer>;
  readings: StoredBalance[];
  /** Whether the time that is compared lasts until now: then the balance is read once more at the end. */
  readsNow: boolean;
  span: ReadingSpan | null;
  gathered: ReturnType<typeof gatherer>;
  /** Paid rows that agree with the list, held back until the wallets are known; null where there are too many. */
  agreeing: { bound: BoundPayment; payment: ServicePayment }[] | null;
}

function gatherer() {
  return {
    counts: Object.fromEntries(buckets.map((bucket) => [bucket, 0])) as Record<Bucket, number>,
    charged: new Sums(),
    /** What was charged between the first and the last reading of the wallets. */
    chargedBetween: new Sums(),
    open: 0,
    /** What was found on the last page, and is not noted yet. */
    contradicted: [] as Contradicted[],
  };
}

async function* itemLines(run: Run): AsyncGenerator<string> {
  yield csvText([[...itemColumns]]);
  for await (const items of allItems(run)) {
    for (const { bucket } of items) run.gathered.counts[bucket] += 1;
    const open = items.filter(({ bucket }) => isOpen(bucket));
    if (open.length > 0) {
      await run.db.transact(async (tx) => {
        for (const item of open) {
          run.gathered.open += 1;
          const record = { reconciliation_id: run.id, item_no: run.gathered.open, bucket: item.bucket };
          await insertOpenItem(tx, { ...record, item: JSON.stringify(item) });
        }
      });
    }
    await noteContradictions(run.db, run.deps.clock, run.gathered.contradicted.splice(0));
    if (items.length > 0) yield csvText(items.map((item) => itemColumns.map((column) => item[column])));
  }
}

/** First everything that the service lists, then what the ledger has besides: two streams merged by their keys. */
async function* allItems(run: Run): AsyncGenerator<ReconcileItem[]> {
  const { fromMs, toMs } = run.request;
  for await (const page of listedPages(run.deps, { fromMs: fromMs - marginMs, toMs: toMs + marginMs })) {
    yield await listedItems(run, page);
  }
  let seen = new Set<string>();
  let lastSeen: string | null = '';
  const isSeen = async (key: string): Promise<boolean> => {
    while (lastSeen !== null && lastSeen < key) {
      const keys = await pageSeenKeys(run.scratch, lastSeen, paymentsPerPage);
      seen = new Set(keys);
      lastSeen = keys.at(-1) ?? null;
    }
    return seen.has(key);
  };
  const of = { account: run.request.account, batchId: run.request.batchId ?? null, fromMs, toMs };
  for (let after = ''; ; ) {
    const page = await pageBoundPayments(run.db, of, after, paymentsPerPage);
    const last = page.at(-1);
    if (!last) break;
    after = last.idempotency_key;
    const items: ReconcileItem[] = [];
    for (const bound of page)
      if (!(await isSeen(bound.idempotency_key))) items.push(...(await unlistedItems(run, bound)));
    yield items;
  }
  if (run.readsNow) run.readings.push(await balanceNow(run.deps));
  yield await secondLook(run);
}

/** The rows that agree with the list. Where the wallets do not add up, each is read by itself first. */
async function secondLook(run: Run): Promise<ReconcileItem[]> {
  const isNeeded = hasRest(walletsOf(run));
  const items: ReconcileItem[] = [];
  for (const { bound, payment } of run.agreeing ?? []) {
    const { topupId } = payment;
    const now = isNeeded ? await paymentNow(run.deps, { topupId, reference: bound.reference }) : null;
    if (now === null) {
      items.push(itemOf('matched', bound, payment));
      continue;
    }
    gatherChange(run, payment, now);
    items.push(itemOf(bucketOf(now, bound, 1), bound, now));
  }
  return items;
}

/** Holds a paid row back; hands all of them out where there are too many to look up. */
function holdBack(run: Run, bound: BoundPayment, payment: ServicePayment): ReconcileItem[] {
  if (run.agreeing === null) return [itemOf('matched', bound, payment)];
  run.agreeing.push({ bound, payment });
  if (run.agreeing.length <= secondLookMax) return [];
  const items = run.agreeing.map((one) => itemOf('matched', one.bound, one.payment));
  run.agreeing = null;
  return items;
}

async function listedItems(run: Run, { payments, unreadable }: ListedPage): Promise<ReconcileItem[]> {
  const named: ServicePayment[] = [];
  for (const payment of payments) named.push(await run.nameOf(payment));
  return run.scratch.transact(async (tx) => {
    const items: ReconcileItem[] = [];
    for (const payment of named) {
      const listed = await placeOf(run, tx, payment, payment.state !== 'failed');
      if (listed === 'again') continue;
      gatherForWallets(run, payment);
      if (!listed.isAsked) continue;
      gatherCost(run, payment);
      run.gathered.contradicted.push(...contradictedBy(listed.bound, payment));
      const bucket = bucketOf(payment, listed.bound, listed.live);
      if (bucket === 'matched' && listed.bound?.status === 'completed' && payment.state === 'completed')
        items.push(...holdBack(run, listed.bound, payment));
      else items.push(itemOf(bucket, listed.bound, payment));
    }
    for (const entry of unreadable) {
      const listed = await placeOf(run, tx, entry, !entry.hasFailed);
      if (listed === 'again' || !listed.isAsked) continue;
      items.push(itemOf('unreadable', listed.bound, { ...entry, ...unread }));
    }
    return items;
  });
}

/** What nobody can read of an entry that is not as promised. */
const unread = { serviceStatus: null, amount: null, productId: null, cost: null };

/** Where an entry of the list belongs; `again` where it was listed before. */
async function placeOf(
  { db, request: { account, fromMs, toMs, batchId }, runId }: Run,
  tx: Queryable,
  { topupId, reference, createdAt }: Pick<ServicePayment, 'topupId' | 'reference' | 'createdAt'>,
  isLive: boolean,
): Promise<{ bound: BoundPayment | null; live: number; isAsked: boolean } | 'again'> {
  const bound = await boundTo(db, account, { topupId, reference });
  const live = await notePayment(tx, { topupId, key: bound?.idempotency_key ?? '', live: isLive });
  if (live === 'again') return live;
  // The margin is there to find the other half of a payment, not to bring in payments of another time.
  const at = bound?.first_intent_at ?? createdAt ?? fromMs;
  const namedRun = reference === null ? null : parseReference(reference)?.runId;
  const isOfBatch = batchId === undefined || (bound ? bound.batch_id === batchId : namedRun === runId);
  return { bound, live, isAsked: at >= fromMs && at <= toMs && isOfBatch };
}

/** A payment that no list named is asked for by itself: a list may lag, and V1 has none. */
async function unlistedItems(run: Run, bound: BoundPayment): Promise<ReconcileItem[]> {
  const isExpected = bucketOfAbsent(bound) === 'no_payment' && run.deps.gateway.list !== null;
  const found = isExpected ? [] : await lookedUp(run.deps, bound.reference);
  if (found.length === 0) return [itemOf(bucketOfAbsent(bound), bound, null)];
  const live = found.filter(({ state }) => state !== 'failed').length;
  for (const payment of found) {
    gatherForWallets(run, payment);
    gatherCost(run, payment);
    run.gathered.contradicted.push(...contradictedBy(bound, payment));
  }
  return found.map((payment) => itemOf(bucketOf(payment, bound, live), bound, payment));
}

function gatherCost({ gathered }: Run, { cost }: ServicePayment): void {
  if (cost !== null) gathered.charged.add(cost.currency, cost.value);
}

function gatherForWallets({ gathered, span }: Run, { cost, createdAt }: ServicePayment): void {
  if (!span || !cost || createdAt === null || createdAt < span.fromMs || createdAt > span.toMs) return;
  gathered.chargedBetween.add(cost.currency, cost.value);
}

/** A read shows another cost than the list: what was charged follows the read. */
function gatherChange(run: Run, { cost }: ServicePayment, now: ServicePayment): void {
  if (cost === null || now.cost === null) return;
  const back = { ...now, cost: { ...cost, value: subtractAmounts('0', cost.value) } };
  for (const one of [back, now]) {
    gatherCost(run, one);
    gatherForWallets(run, one);
  }
}

/** What the service has, as far as it can be read. */
type There = Pick<ServicePayment, 'topupId' | 'reference' | 'amount' | 'productId' | 'cost' | 'createdAt'> & {
  serviceStatus: string | null;
};

function itemOf(bucket: Bucket, bound: BoundPayment | null, payment: There | null): ReconcileItem {
  const money = (amount: { value: string; currency: string } | null | undefined) =>
    amount ? `${amount.value} ${amount.currency}` : null;
  const former = bound !== null && bound.generation < bound.row_generation;
  return {
    bucket,
    batch_id: bound?.batch_id ?? null,
    row: bound?.row_no ?? null,
    generation: bound?.generation ?? null,
    reference: bound?.reference ?? payment?.reference ?? null,
    topup_id: payment?.topupId ?? bound?.topup_id ?? null,
    status_here: former ? 'failed' : (bound?.status ?? null),
    status_there: payment?.serviceStatus ?? null,
    amount_here: bound?.amount ? `${bound.amount} ${bound.currency}` : (bound?.product_id ?? null),
    amount_there: money(payment?.amount) ?? payment?.productId ?? null,
    cost_here: bound?.cost && !former ? `${bound.cost} ${bound.cost_currency}` : null,
    cost_there: money(payment?.cost),
    created_at: payment?.createdAt ? isoTime(payment.createdAt) : null,
    next: nextOf(bucket, bound),
  };
}

/** The third way: what left the wallets between two readings is what the service charged in between. */
function walletsOf({ deps, request, readings, gathered }: Run) {
  // Of one batch, or without a list, not every charge is known: the wallets can then not be explained.
  if (request.batchId !== undefined || deps.gateway.list === null) return null;
  return explainWallets(readings, gathered.chargedBetween.toObject());
}

async function finish(run: Run): Promise<Reconciliation> {
  const { db, deps, request, id, gathered } = run;
  const { account, fromMs, toMs, batchId } = request;
  const wallets = walletsOf(run);
  const rest = { areLookedUp: run.agreeing !== null, max: secondLookMax };
  const next = hasRest(wallets) ? restNext({ account, from: isoTime(fromMs) }, rest) : null;
  const finishedAt = deps.clock.now();
  const reconciliation: Reconciliation = {
    format: 'airbatch.reconciliation/1',
    reconciliation_id: id,
    account,
    batch_id: batchId ?? null,
    from: isoTime(fromMs),
    to: isoTime(toMs),
    finished_at: isoTime(finishedAt),
    counts: gathered.counts,
    open: gathered.open,
    charged_by_service: gathered.charged.toObject(),
    wallets: wallets && { ...wallets, next },
  };
  await db.transact((tx) =>
    insertReconciliation(tx, {
      reconciliation_id: id,
      account,
      from_ms: fromMs,
      to_ms: toMs,
      finished_at: finishedAt,
      counts: JSON.stringify(gathered.counts),
      wallets: JSON.stringify(reconciliation.wallets),
    }),
  );
  return reconciliation;
}
