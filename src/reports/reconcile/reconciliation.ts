import { counted } from '../text/counted-text.ts';
import type { WrittenFile } from '../versions/files.ts';
import { type Bucket, paymentsIn } from './reconcile-buckets.ts';
import type { Next } from './reconcile-next.ts';
import type { WalletProof } from './reconcile-wallets.ts';

/** The result of a comparison, bucket by bucket. The page and the workbook show the same object. */
export interface Reconciliation {
  format: 'airbatch.reconciliation/1';
  reconciliation_id: string;
  account: string;
  batch_id: string | null;
  from: string;
  to: string;
  finished_at: string;
  counts: Record<Bucket, number>;
  /** Items in every bucket but `matched` and `no_payment`; 0 if nothing is open. */
  open: number;
  /** What the service charged for all payments in this time, by currency. */
  charged_by_service: Record<string, string>;
  wallets: WalletProof | null;
}

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
export function isSettled({ open, wallets }: Reconciliation): boolean {
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
export interface ReconcileItem extends Next {
  bucket: Bucket;
  batch_id: string | null;
  row: number | null;
  generation: number | null;
  reference: string | null;
  topup_id: string | null;
  status_here: string | null;
  status_there: string | null;
  amount_here: string | null;
  amount_there: string | null;
  cost_here: string | null;
  cost_there: string | null;
  created_at: string | null;
}

/** The columns of reconciliation.csv. */
export const itemColumns = [
  'bucket',
  'batch_id',
  'row',
  'generation',
  'reference',
  'topup_id',
  'status_here',
  'status_there',
  'amount_here',
  'amount_there',
  'cost_here',
  'cost_there',
  'created_at',
  'next',
] as const satisfies readonly (keyof ReconcileItem)[];
