import { AirbatchError } from '../../core/basics/errors.ts';
import { dayMs } from '../../core/time/clock.ts';
import { lastLateAt } from '../../ledger/audit/events.ts';
import { completedSince } from '../../ledger/batches/batches.ts';
import { noteReportPlace, reportPlace } from '../../ledger/reporting/report-places.ts';
import { brokenChainText } from '../../reports/sentences/verdict.ts';
import type { NewestReports } from '../../reports/store/report-store.ts';
import type { Session } from '../../runtime/session/session.ts';
import { anchorFinished } from '../../runtime/upkeep/anchoring.ts';
import { keepReports, reportStore } from '../../runtime/upkeep/report-store.ts';
import { hasWorker } from '../base/account-now.ts';
import type { OperationContext } from '../base/operation.ts';

/**
 * How long after a batch's end its missing reports are written again. Reports that somebody moves away later stay away.
 */
const missingWithinMs = dayMs;

type ReportsOf = Pick<Session, 'db' | 'clock' | 'config' | 'ledgerPath'>;

/** A batch whose reports must be written, and the folder for them. */
export interface Unreported {
  batchId: string;
  account: string;
  endedAt: number;
  /** Whether the folder has reports from after the end, which lack a late status update. */
  isReported: boolean;
  out: string;
}

/**
 * The completed batches without complete reports, because a program was killed or could not write them: the folder has
 * no reports, or only those from before the end or from before a late status update. Throws `FOLDER_UNWRITABLE` if the
 * store of the reports cannot be reached.
 */
export async function batchesWithoutReports(session: ReportsOf): Promise<Unreported[]> {
  const { db, clock, config } = session;
  const found: Unreported[] = [];
  const ended = await completedSince(db, clock.now() - missingWithinMs);
  for (const { batch_id: batchId, account, completed_at: endedAt } of ended) {
    const out = (await reportPlace(db, batchId)) ?? config.out;
    const isCurrent = async ({ isFinal, events }: NewestReports) =>
      isFinal && (await lastLateAt(db, batchId, events)) === null;
    const newest = await reportStore(session, out).newest(batchId, isCurrent);
    if (newest && (await isCurrent(newest))) continue;
    found.push({ batchId, account, endedAt, isReported: newest?.isFinal === true, out });
  }
  return found;
}

/** The same for work on payments. It does not wait for a store that cannot be reached, and emits a note instead. */
export async function batchesToReport({ session, emit }: Pick<OperationContext, 'session' | 'emit'>) {
  return batchesWithoutReports(session).catch((error: unknown) => {
    if (!(error instanceof AirbatchError) || error.code !== 'FOLDER_UNWRITABLE') throw error;
    emit({ kind: 'note', text: `Whether reports are missing is not known: ${error.message}.` });
    return [];
  });
}

/**
 * Stores the folder for the reports of these batches before anything is sent. If this program is killed, another one
 * writes them there.
 */
export async function rememberPlace(
  { db, config }: Pick<Session, 'db' | 'config'>,
  batchIds: readonly string[],
  out: string,
): Promise<void> {
  for (const batchId of batchIds) {
    const known = (await reportPlace(db, batchId)) ?? config.out;
    if (known !== out) await db.transact((tx) => noteReportPlace(tx, batchId, out === config.out ? null : out));
  }
}

/**
 * Writes the missing reports of batches that ended before this work, and reports each. Leaves those of an account that
 * another program works for to that program. An unwritable folder is reported and does not change the result of the
 * work.
 */
export async function writeEarlierReports(context: OperationContext): Promise<void> {
  const { session, emit } = context;
  for (const { batchId, account, out } of await batchesToReport(context)) {
    if (await hasWorker(session, account)) continue;
    await anchorFinished(session);
    try {
      const { dir, chain_broken } = await keepReports(session, batchId, out);
      emit({ kind: 'reports_written', batch_id: batchId, dir });
      if (chain_broken !== null) emit({ kind: 'note', text: `Batch ${batchId}: ${brokenChainText}` });
    } catch (error) {
      if (!(error instanceof AirbatchError) || error.code !== 'FOLDER_UNWRITABLE') throw error;
      emit({
        kind: 'note',
        text: `The reports of batch ${batchId} are missing and cannot be written: ${error.message}.`,
      });
    }
  }
}
