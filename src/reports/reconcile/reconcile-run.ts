import type { Random } from '../../core/basics/random.ts';
import { Sums, subtractAmounts } from '../../core/money/money.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import type { BoundPayment } from '../../ledger/reporting/reconciliations.ts';
import type { StoredBalance } from '../summary/stored.ts';
import type { makeNamer } from './reconcile-binding.ts';
import { type Bucket, buckets } from './reconcile-buckets.ts';
import type { Contradicted } from './reconcile-contradictions.ts';
import type { ReconcileDeps } from './reconcile-source.ts';
import { explainWallets, type ReadingSpan } from './reconcile-wallets.ts';
import type { ReconcileItem } from './reconciliation.ts';

export interface ReconcileRequest {
  account: string;
  /** Epoch milliseconds. Compares payments that were first sent, or created at the service, between these times. */
  fromMs: number;
  toMs: number;
  /** Compares one batch only, without the payments of other batches and programs. */
  batchId?: string;
}
/**
 * The most payments that are read one by one: a minute of reads at the service's limit (spec section 8.1). This limits
 * the entries without a reference, and the paid rows that are read if the wallets do not add up: a refund may show only
 * in a read.
 */
export const secondLookMax = 300;

export interface Run {
  db: Database;
  scratch: Database;
  deps: ReconcileDeps & { random: Random };
  request: ReconcileRequest;
  id: string;
  /** The run of the one batch that is compared, or null. */
  runId: string | null;
  /** Finds the reference of a list entry without one. */
  nameOf: ReturnType<typeof makeNamer>;
  readings: StoredBalance[];
  /** Whether the compared time lasts until now: then the balance is read once more at the end. */
  readsNow: boolean;
  span: ReadingSpan | null;
  gathered: ReturnType<typeof gatherer>;
  /** Paid rows that agree with the list, kept until the wallets are known; null if there are too many. */
  agreeing: { bound: BoundPayment; payment: ServicePayment }[] | null;
}

export function gatherer() {
  return {
    counts: Object.fromEntries(buckets.map((bucket) => [bucket, 0])) as Record<Bucket, number>,
    /** What the service has charged, and what the ledger has as charged. */
    charged: new Sums(),
    chargedHere: new Sums(),
    /** What was charged between the first and the last reading of the balance. */
    chargedBetween: new Sums(),
    open: 0,
    /** Contradictions of the last page that are not recorded yet. */
    contradicted: [] as Contradicted[],
  };
}

export function gatherCost({ gathered }: Run, { cost }: ServicePayment): void {
  if (cost !== null) gathered.charged.add(cost.currency, cost.value);
}

/** Adds what the ledger has as charged for an item. */
export function gatherHere({ gathered }: Run, { cost_here }: Pick<ReconcileItem, 'cost_here'>): void {
  const [value, currency] = cost_here?.split(' ') ?? [];
  if (value !== undefined && currency !== undefined) gathered.chargedHere.add(currency, value);
}

export function gatherForWallets({ gathered, span }: Run, { cost, createdAt }: ServicePayment): void {
  if (!span || !cost || createdAt === null || createdAt < span.fromMs || createdAt > span.toMs) return;
  gathered.chargedBetween.add(cost.currency, cost.value);
}

/** A read shows another cost than the list: the read counts. */
export function gatherChange(run: Run, { cost }: ServicePayment, now: ServicePayment): void {
  if (cost === null || now.cost === null) return;
  const back = { ...now, cost: { ...cost, value: subtractAmounts('0', cost.value) } };
  for (const one of [back, now]) {
    gatherCost(run, one);
    gatherForWallets(run, one);
  }
}

/** The third comparison: what left the wallets between two readings must be what the service charged in between. */
export function walletsOf({ deps, request, readings, gathered }: Run) {
  // For one batch, or without a list, not every charge is known, so the wallets cannot be explained.
  if (request.batchId !== undefined || deps.gateway.list === null) return null;
  return explainWallets(readings, gathered.chargedBetween.toObject());
}
