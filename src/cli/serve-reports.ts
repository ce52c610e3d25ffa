import { errorMessage } from '../core/errors.ts';
import { writeReports } from '../reports/reports.ts';
import { makeAnchoring } from '../runtime/anchors.ts';
import { type Session, sessionKey } from '../runtime/session.ts';

/** Writes the reports of each batch as it completes, one after the other; then tells `written`. `stop` resolves when all of them are. */
export function makeReportWriter(
  session: Session,
  written: (batchId: string) => Promise<void> | undefined,
): { write: (batchId: string) => void; stop: () => Promise<void> } {
  const { db, log, config } = session;
  const anchoring = makeAnchoring(session);
  let last: Promise<void> = Promise.resolve();
  const write = async (batchId: string) => {
    try {
      await anchoring.put();
      const { dir } = await writeReports(db, batchId, config.out, { key: await sessionKey(session) });
      log.info('a batch is completed', { batch: batchId, reports: dir });
      await written(batchId);
    } catch (error) {
      log.warn('the reports of a batch could not be written; "airbatch report" writes them', {
        batch: batchId,
        error: errorMessage(error),
      });
    }
  };
  return {
    write: (batchId) => {
      last = last.then(() => write(batchId));
    },
    async stop() {
      await last;
      await anchoring.stop();
    },
  };
}
