import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dayMs } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { completedSince } from '../ledger/batches.ts';
import { writeReports } from '../reports/reports.ts';
import { differenceText } from '../reports/version-words.ts';
import { makeAnchoring } from '../runtime/anchors.ts';
import { type Session, sessionSigning } from '../runtime/session.ts';
import { makeRestating } from './restating.ts';

/** How long after a batch has ended it is seen that its reports are missing: those that somebody has moved away do not come again later. */
const missingWithinMs = dayMs;
/** How often it is looked whether the service has said something late. */
const lookMs = 60_000;

/**
 * Writes the reports of each batch as it completes, one after the other; then tells `written`. `writeMissing` writes those that a program
 * was killed before, or had no room for. From `keep` on, reports are restated where the service has said something late. `stop` resolves
 * when all of it is done.
 */
export function makeReportWriter(
  session: Session,
  written: () => Promise<void> | undefined,
): {
  write: (batchId: string) => void;
  writeMissing: () => Promise<void>;
  keep: () => void;
  stop: () => Promise<void>;
} {
  const { db, log, clock, config } = session;
  const anchoring = makeAnchoring(session);
  const stopping = new AbortController();
  let last: Promise<void> = Promise.resolve();
  let keeping: Promise<void> = Promise.resolve();
  const write = async (batchId: string, out: string) => {
    await anchoring.put();
    return writeReports(db, batchId, out, {
      signing: await sessionSigning(session),
      readableByGroup: config.readableByGroup,
    });
  };
  /** Whatever else is written then is done; trouble is told, and keeps nothing else from being written. */
  const next = (batchId: string, work: () => Promise<void>) => {
    last = last.then(work).catch((error: unknown) =>
      log.warn('the reports of a batch could not be written; "airbatch report" writes them', {
        batch_id: batchId,
        error: errorMessage(error),
      }),
    );
    return last;
  };
  const writeFirst = (batchId: string) =>
    void next(batchId, async () => {
      const { dir } = await write(batchId, config.out);
      log.info('a batch is completed', { batch_id: batchId, reports: dir });
      await written();
    });
  const restate = (batchId: string, out: string) =>
    next(batchId, async () => {
      const reports = await write(batchId, out);
      const { dir, version } = reports;
      log.info('the reports of a batch were restated', {
        batch_id: batchId,
        reports: dir,
        version,
        difference: differenceText(reports),
      });
    });
  return {
    write: writeFirst,
    async writeMissing() {
      for (const { batch_id } of await completedSince(db, clock.now() - missingWithinMs))
        if (!existsSync(join(config.out, batch_id, 'manifest.json'))) writeFirst(batch_id);
    },
    keep() {
      const look = makeRestating(session, restate);
      const keep = async () => {
        while (!stopping.signal.aborted) {
          await look().catch((error: unknown) =>
            log.warn('it could not be looked for what the service has said late', { error: errorMessage(error) }),
          );
          await clock.sleep(lookMs, stopping.signal);
        }
      };
      keeping = keep();
    },
    async stop() {
      stopping.abort();
      await keeping;
      await last;
      await anchoring.stop();
    },
  };
}
