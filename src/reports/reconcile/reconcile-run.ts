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

export interface ReconcileRequest {
  account: string;
  /** Epoch milliseconds: payments first sent, or created at the service, in this time. */
  fromMs: number;
  toMs: number;
  /** One batch only: what other batches and programs paid is left out. */
  batchId?: string;
}
/**
 * The most payments that are read one by one: a minute of reads at the service's limit (spec section 8.1). It bounds
 * the entries without a reference, and the paid rows where the wallets do not add up: only a read may show that the
 * money of a payment came back.
 */
export const secondLookMax = 300;

export interface Run {
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

export function gatherer() {
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

export function gatherCost({ gathered }: Run, { cost }: ServicePayment): void {
  if (cost !== null) gathered.charged.add(cost.currency, cost.value);
}

export function gatherForWallets({ gathered, span }: Run, { cost, createdAt }: ServicePayment): void {
  if (!span || !cost || createdAt === null || createdAt < span.fromMs || createdAt > span.toMs) return;
  gathered.chargedBetween.add(cost.currency, cost.value);
}

/** A read shows another cost than the list: what was charged follows the read. */
export function gatherChange(run: Run, { cost }: ServicePayment, now: ServicePayment): void {
  if (cost === null || now.cost === null) return;
  const back = { ...now, cost: { ...cost, value: subtractAmounts('0', cost.value) } };
  for (const one of [back, now]) {
    gatherCost(run, one);
    gatherForWallets(run, one);
  }
}

/** The third way: what left the wallets between two readings is what the service charged in between. */
export function walletsOf({ deps, request, readings, gathered }: Run) {
  // Of one batch, or without a list, not every charge is known: the wallets can then not be explained.
  if (request.batchId !== undefined || deps.gateway.list === null) return null;
  return explainWallets(readings, gathered.chargedBetween.toObject());
}
