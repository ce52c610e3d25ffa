import { errorMessage } from '../core/errors.ts';
import { writeReports } from '../reports/reports.ts';
import { anchorFinished } from '../runtime/anchors.ts';
import { type Session, sessionKey } from '../runtime/session.ts';

/** Writes the reports of each batch as it completes, one after the other; then tells `written`. */
export function makeReportWriter(
  session: Session,
  written: (batchId: string) => Promise<void> | undefined,
): { write: (batchId: string) => void; written: () => Promise<void> } {
  const { db, log, config } = session;
  let last: Promise<void> = Promise.resolve();
  const write = async (batchId: string) => {
    try {
      await anchorFinished(session);
      const { dir } = await writeReports(db, batchId, config.out, { key: await sessionKey(session) });
      log.info('a batch is completed', { batch: batchId, reports: dir });
      await written(batchId);
    } catch (error) {
      log.warn('the reports of a batch could not be written; "airbatch report" writes them', {
        batch: batchId,
        message: errorMessage(error),
      });
    }
  };
  return {
    write: (batchId) => {
      last = last.then(() => write(batchId));
    },
    written: () => last,
  };
}
