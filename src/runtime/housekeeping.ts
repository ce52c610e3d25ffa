import { errorMessage } from '../core/errors.ts';
import { forgetEnded } from '../engine/forget.ts';
import { pruneInbox } from '../ledger/inbox.ts';
import type { Session } from './session.ts';

const dayMs = 24 * 3_600_000;
/** How long it is known which webhooks were received: far longer than the service repeats one. */
const inboxKeptMs = 60 * dayMs;

/** How long a job's batches keep who was paid. */
export interface JobRetention {
  job: string;
  personalDataDays: number;
}

/**
 * Once a day, as long as the program runs: forgets whom batches paid when their time is over, and drops webhooks that were handled
 * long ago. Returns what ends it.
 */
export function keepHouse(session: Session, jobs: readonly JobRetention[]): { stop(): Promise<void> } {
  const { db, clock, config, log } = session;
  const stopping = new AbortController();
  const actor = { db, clock, name: 'retention' };
  const pass = async () => {
    const limits = jobs.map(({ job, personalDataDays }) => ({ job: job as string | null, days: personalDataDays }));
    const days = config.retention.personalDataDays;
    if (days !== undefined) limits.push({ job: null, days });
    let forgotten = 0;
    for (const limit of limits) {
      const done = await forgetEnded(actor, clock.now() - limit.days * dayMs, 'retention', limit.job);
      forgotten += done.batches.length;
    }
    const pruned = await pruneInbox(db, clock.now() - inboxKeptMs);
    if (forgotten > 0) await db.emptyLog();
    if (forgotten > 0 || pruned > 0)
      log.info('what is no longer needed was dropped', { batches: forgotten, webhooks: pruned });
  };
  const keep = async () => {
    while (!stopping.signal.aborted) {
      await pass().catch((error: unknown) =>
        log.warn('what is no longer needed could not be dropped; it is tomorrow', { error: errorMessage(error) }),
      );
      await clock.sleep(dayMs, stopping.signal);
    }
  };
  const kept = keep();
  return {
    async stop() {
      stopping.abort();
      await kept;
    },
  };
}
