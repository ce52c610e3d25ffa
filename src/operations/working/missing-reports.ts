import { join } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { dayMs } from '../../core/time/clock.ts';
import { lastLateAt } from '../../ledger/audit/events.ts';
import { completedSince } from '../../ledger/batches/batches.ts';
import { noteReportPlace, reportPlace } from '../../ledger/reporting/report-places.ts';
import { writeReports } from '../../reports/reports.ts';
import { brokenChainText } from '../../reports/sentences/verdict.ts';
import { readVersion } from '../../reports/versions/versions.ts';
import { type Session, sessionSigning } from '../../runtime/session/session.ts';
import { anchorFinished } from '../../runtime/upkeep/anchoring.ts';
import { hasWorker } from '../base/account-now.ts';
import type { OperationContext } from '../base/operation.ts';

/**
 * How long after a batch's end its missing reports are written again. Reports that somebody moves away later stay away.
 */
const missingWithinMs = dayMs;

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
 * no reports, or only those from before the end or from before a late status update.
 */
export async function batchesWithoutReports({
  db,
  clock,
  config,
}: Pick<Session, 'db' | 'clock' | 'config'>): Promise<Unreported[]> {
  const found: Unreported[] = [];
  const ended = await completedSince(db, clock.now() - missingWithinMs);
  for (const { batch_id: batchId, account, completed_at: endedAt } of ended) {
    const out = (await reportPlace(db, batchId)) ?? config.out;
    const version = await readVersion(join(out, batchId));
    const isReported = version?.isFinal === true;
    const isCurrent = isReported && (await lastLateAt(db, batchId, version.audit.events)) === null;
    if (!isCurrent) found.push({ batchId, account, endedAt, isReported, out });
  }
  return found;
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
export async function writeEarlierReports({ session, emit }: OperationContext): Promise<void> {
  for (const { batchId, account, out } of await batchesWithoutReports(session)) {
    if (await hasWorker(session, account)) continue;
    await anchorFinished(session);
    try {
      const signing = await sessionSigning(session);
      const { readableByGroup } = session.config;
      const { dir, chain_broken } = await writeReports(session.db, batchId, out, { signing, readableByGroup });
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
