import { z } from 'zod';
import { amountsByCurrency } from '../summary/summary-shape.ts';
import { counted } from '../text/counted-text.ts';
import type { WrittenFile } from '../versions/files.ts';
import { buckets, paymentsIn } from './reconcile-buckets.ts';
import { nextShape } from './reconcile-next.ts';
import { walletProof } from './reconcile-wallets.ts';

const text = z.string().nullable();

/** The result of a comparison, bucket by bucket. The page and the workbook show the same object. */
export const reconciliationShape = z.strictObject({
  format: z.literal('airbatch.reconciliation/1'),
  reconciliation_id: z.string(),
  account: z.string(),
  batch_id: text,
  from: z.string(),
  to: z.string(),
  finished_at: z.string(),
  counts: z.record(z.enum(buckets), z.int()),
  /** Items in every bucket but `matched` and `no_payment`; 0 if nothing is open. */
  open: z.int(),
  /** What was charged for all payments in this time, by currency: as the ledger has it, and as the service has it. */
  charged_by_ledger: amountsByCurrency,
  charged_by_service: amountsByCurrency,
  /** `next`: what to do about the unexplained rest; null if there is none. */
  wallets: walletProof.extend({ next: text }).nullable(),
});
export type Reconciliation = z.output<typeof reconciliationShape>;

/** The manifest.json of a reconciliation. manifest.sig signs it as it does that of a batch. */
export function reconciliationManifest(
  { reconciliation_id, account, batch_id, from, to, finished_at }: Reconciliation,
  files: readonly WrittenFile[],
  publicKey: string,
) {
  return {
    format: 'airbatch.reconciliation-manifest/1',
    ...{ reconciliation_id, account, batch_id, from, to, finished_at },
    files: [...files],
    public_key: publicKey,
  };
}

/** Whether nothing is left to do. */
export function isSettled({ open, wallets }: Pick<Reconciliation, 'open' | 'wallets'>): boolean {
  return open === 0 && (wallets?.currencies ?? []).every(({ unexplained }) => Number(unexplained) === 0);
}

/** The result in a clause: how many payments were compared, and whether they agree. */
export function outcomeOf(run: Reconciliation): string {
  const compared = `${counted(paymentsIn(run.counts), 'payment')} compared`;
  if (isSettled(run))
    return `${compared}: ${run.wallets ? 'everything agrees' : 'ledger and service agree; the wallets were not compared'}`;
  return `${compared}: ${run.open > 0 ? `${run.open} ${run.open === 1 ? 'needs a person to look at it' : 'need a person to look at them'}` : 'the wallets do not add up'}`;
}

/** Why the wallets were not compared, after "not compared: ". */
export function whyWithoutWallets({ batch_id }: Reconciliation): string {
  if (batch_id !== null) return 'a batch shares its wallets with others; give a time instead (--from)';
  return 'there are no two readings of the balance in this time, or the service does not list its payments (Version 1)';
}

/** One line of reconciliation.csv: a payment as the ledger and the service have it, or a request that created none. */
export const reconcileItem = z.strictObject({
  bucket: z.enum(buckets),
  batch_id: text,
  row: z.int().nullable(),
  generation: z.int().nullable(),
  reference: text,
  topup_id: text,
  status_here: text,
  status_there: text,
  amount_here: text,
  amount_there: text,
  cost_here: text,
  cost_there: text,
  created_at: text,
  ...nextShape,
});
export type ReconcileItem = z.output<typeof reconcileItem>;

const { next_reason: _, ...shown } = reconcileItem.shape;
/** The columns of reconciliation.csv. */
export const itemColumns = Object.keys(shown) as (keyof typeof shown)[];
