import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dayMs } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { completedSince } from '../ledger/batches.ts';
import { writeReports } from '../reports/reports.ts';
import { makeAnchoring } from '../runtime/anchors.ts';
import { type Session, sessionKey } from '../runtime/session.ts';

/** How long after a batch has ended it is seen that its reports are missing: those that somebody has moved away do not come again later. */
const missingWithinMs = dayMs;

/**
 * Writes the reports of each batch as it completes, one after the other; then tells `written`. `writeMissing` writes those that a program
 * was killed before, or had no room for. `stop` resolves when all of them are.
 */
export function makeReportWriter(
  session: Session,
  written: (batchId: string) => Promise<void> | undefined,
): { write: (batchId: string) => void; writeMissing: () => Promise<void>; stop: () => Promise<void> } {
  const { db, log, config } = session;
  const anchoring = makeAnchoring(session);
  let last: Promise<void> = Promise.resolve();
  const write = async (batchId: string) => {
    try {
      await anchoring.put();
      const { dir } = await writeReports(db, batchId, config.out, { key: await sessionKey(session) });
      log.info('a batch is completed', { batch_id: batchId, reports: dir });
      await written(batchId);
    } catch (error) {
      log.warn('the reports of a batch could not be written; "airbatch report" writes them', {
        batch_id: batchId,
        error: errorMessage(error),
      });
    }
  };
  const writeNext = (batchId: string) => {
    last = last.then(() => write(batchId));
  };
  return {
    write: writeNext,
    async writeMissing() {
      for (const batchId of await completedSince(db, session.clock.now() - missingWithinMs))
        if (!existsSync(join(config.out, batchId, 'manifest.json'))) writeNext(batchId);
    },
    async stop() {
      await last;
      await anchoring.stop();
    },
  };
}
