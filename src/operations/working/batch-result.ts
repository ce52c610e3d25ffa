import { z } from 'zod';
import type { Situation } from '../../core/state/situation.ts';
import { findBatch, type ReadWith } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { paidSince } from '../../ledger/reporting/shared-rows.ts';
import { batchSummary } from '../../reports/summary/summary.ts';
import { type BatchSummary, summaryShape } from '../../reports/summary/summary-shape.ts';
import { situationOfSummary } from '../../reports/summary/summary-situation.ts';
import { type WrittenReports, writtenReports } from '../../reports/versions/version-shape.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import type { Session } from '../../runtime/session/session.ts';
import { hasWorker } from '../base/account-now.ts';
import { batchId, isWorkedOn } from '../base/fields.ts';

/** The state of a batch when the work on it ended. */
export const batchResult = z.strictObject({
  /** 0, 4, 5 or 130: see the exit codes of `run`. 5 if the audit chain of the batch is broken. */
  exit_code: z.int(),
  summary: summaryShape,
  reports: writtenReports,
  /** The options with which a person reads a file that corrects the batch's file; null if they are not known. */
  read_with: z.record(z.string(), z.union([z.string(), z.array(z.string())])).nullable(),
  is_worked_on: isWorkedOn,
  /** Later batches of its run that have paid failed or invalid rows of this one. */
  paid_since: z.array(z.strictObject({ batch_id: batchId, rows: z.int() })),
  /** Where the credentials of its account come from. */
  credentials_from: z.string(),
});
export type BatchResult = z.output<typeof batchResult>;

/** The result of a batch from the ledger. */
export async function resultOf(
  session: Session,
  { name, credentialsFrom }: Pick<OpenAccount, 'name' | 'credentialsFrom'>,
  batchId: string,
  reports: WrittenReports,
): Promise<BatchResult> {
  const { db } = session;
  const summary = await batchSummary(db, batchId);
  return {
    exit_code: summary.audit.broken === undefined ? exitCodeOf(situationOfSummary(summary), summary) : 5,
    summary,
    reports,
    read_with: await storedReadWith(session, batchId),
    is_worked_on: await hasWorker(session, name),
    paid_since: await paidSince(db, await requireBatch(db, batchId)),
    credentials_from: credentialsFrom,
  };
}

/** The ledger stores the options under their command-line names, such as `header-line`. */
async function storedReadWith({ db }: Session, batchId: string): Promise<BatchResult['read_with']> {
  const batch = await findBatch(db, batchId);
  const stored: ReadWith | null = JSON.parse(batch?.read_with ?? 'null');
  if (stored === null) return null;
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [
      name.replaceAll('-', '_'),
      typeof value === 'string' ? value : [...value],
    ]),
  );
}

/**
 * 0 if every row is paid, including rows that failed first and that the service reports as paid now. 4 if the batch has
 * finished with failed or invalid rows. 5 if something waits for a person, a row may have been paid twice, one that was
 * skipped has been paid all the same, or the service has withdrawn that one was paid.
 */
function exitCodeOf({ doing, rows }: Situation, { contradicted }: BatchSummary): number {
  const { not_sent = 0, taken_back = 0 } = contradicted;
  if (doing !== 'finished' || rows.paid_twice + not_sent + taken_back > 0) return 5;
  return rows.unpaid > 0 ? 4 : 0;
}
