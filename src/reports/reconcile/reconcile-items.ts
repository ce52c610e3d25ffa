import { pagesOf } from '../../core/basics/pages.ts';
import { parseReference } from '../../core/identity/ids.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import {
  type BoundPayment,
  notePayment,
  pageBoundPayments,
  pageSeenKeys,
} from '../../ledger/reporting/reconciliations.ts';
import { boundTo } from './reconcile-binding.ts';
import { type Bucket, bucketOf, bucketOfAbsent } from './reconcile-buckets.ts';
import { contradictedBy } from './reconcile-contradictions.ts';
import { nextOf } from './reconcile-next.ts';
import { gatherChange, gatherCost, gatherForWallets, type Run, secondLookMax, walletsOf } from './reconcile-run.ts';
import { balanceNow, type ListedPage, listedPages, lookedUp, paymentNow } from './reconcile-source.ts';
import { hasRest } from './reconcile-wallets.ts';
import type { ReconcileItem } from './reconciliation.ts';

/** How far the service's clock and ours may differ, plus how long it may take from a request to its payment. */
const marginMs = 10 * 60_000;
/** Payments of the ledger in memory at once. */
const paymentsPerPage = 500;

/** Yields everything that the service lists, then the ledger's other payments: two streams merged by key. */
export async function* allItems(run: Run): AsyncGenerator<ReconcileItem[]> {
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
  const read = (last: BoundPayment | undefined, limit: number) =>
    pageBoundPayments(run.db, of, last?.idempotency_key ?? '', limit);
  for await (const page of pagesOf(paymentsPerPage, read)) {
    const items: ReconcileItem[] = [];
    for (const bound of page)
      if (!(await isSeen(bound.idempotency_key))) items.push(...(await unlistedItems(run, bound)));
    yield items;
  }
  if (run.readsNow) run.readings.push(await balanceNow(run.deps));
  yield await secondLook(run);
}

/** The rows that agree with the list. If the wallets do not add up, each is read by itself first. */
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
    const bucket = bucketOf(now, bound, 1);
    run.gathered.contradicted.push(...contradictedBy(bound, bucket, now));
    items.push(itemOf(bucket, bound, now));
  }
  return items;
}

/** Keeps a paid row for a second look. If there are too many to look up, returns all of them. */
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
      const bucket = bucketOf(payment, listed.bound, listed.live);
      run.gathered.contradicted.push(...contradictedBy(listed.bound, bucket, payment));
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

/** The fields that a malformed list entry does not show. */
const unread = { serviceStatus: null, amount: null, productId: null, cost: null };

/** The item of a list entry; `again` if it was listed before. */
async function placeOf(
  { db, request: { account, fromMs, toMs, batchId }, runId }: Run,
  tx: Queryable,
  { topupId, reference, createdAt }: Pick<ServicePayment, 'topupId' | 'reference' | 'createdAt'>,
  isLive: boolean,
): Promise<{ bound: BoundPayment | null; live: number; isAsked: boolean } | 'again'> {
  const bound = await boundTo(db, account, { topupId, reference });
  const live = await notePayment(tx, { topupId, key: bound?.idempotency_key ?? '', live: isLive });
  if (live === 'again') return live;
  // The margin serves to find the other half of a payment, not to include payments of another time.
  const at = bound?.first_intent_at ?? createdAt ?? fromMs;
  const namedRun = reference === null ? null : parseReference(reference)?.runId;
  const isOfBatch = batchId === undefined || (bound ? bound.batch_id === batchId : namedRun === runId);
  return { bound, live, isAsked: at >= fromMs && at <= toMs && isOfBatch };
}

/** Looks up a payment that the list did not name: a list may lag, and V1 has none. */
async function unlistedItems(run: Run, bound: BoundPayment): Promise<ReconcileItem[]> {
  const isExpected = bucketOfAbsent(bound) === 'no_payment' && run.deps.gateway.list !== null;
  const found = isExpected ? [] : await lookedUp(run.deps, bound.reference);
  if (found.length === 0) return [itemOf(bucketOfAbsent(bound), bound, null)];
  const live = found.filter(({ state }) => state !== 'failed').length;
  return found.map((payment) => {
    const bucket = bucketOf(payment, bound, live);
    gatherForWallets(run, payment);
    gatherCost(run, payment);
    run.gathered.contradicted.push(...contradictedBy(bound, bucket, payment));
    return itemOf(bucket, bound, payment);
  });
}

/** The readable fields of the service's payment. */
type There = Pick<ServicePayment, 'topupId' | 'reference' | 'amount' | 'productId' | 'cost' | 'createdAt'> & {
  serviceStatus: string | null;
};

function itemOf(bucket: Bucket, bound: BoundPayment | null, payment: There | null): ReconcileItem {
  const money = (amount: { value: string; currency: string } | null | undefined) =>
    amount ? `${amount.value} ${amount.currency}` : null;
  const former = bound !== null && bound.generation < bound.row_generation;
  // Of two payments of one row, only one has the charge that the ledger knows: the column adds up to what it has.
  const isOwn = payment === null || payment.topupId === bound?.topup_id;
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
    cost_here: bound?.cost && !former && isOwn ? `${bound.cost} ${bound.cost_currency}` : null,
    cost_there: money(payment?.cost),
    created_at: payment?.createdAt ? isoTime(payment.createdAt) : null,
    ...nextOf(bucket, bound),
  };
}
