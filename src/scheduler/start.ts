import type { AirbatchError } from '../core/errors.ts';
import { errorMessage } from '../core/errors.ts';
import type { Job } from './define-job.ts';
import { startHeartbeat } from './heartbeat.ts';
import { putAway } from './put-away.ts';
import { retriedByPolicy } from './retry-policy.ts';
import { runSlot, type SlotRunnerDeps } from './run-slot.ts';
import { makeScheduler } from './scheduler.ts';

export interface StartDeps extends Omit<SlotRunnerDeps, 'requireSlot'> {
  jobs: readonly Job[];
  holder: string;
  isDead: (holder: string) => boolean;
  /** Called when batches may be ready to be sent. */
  onBatches: () => void;
}

export interface StartedScheduler {
  /** A batch has ended: what failed is tried again where its job says so, and its file is put away. */
  ended(batchId: string): Promise<void>;
  /** No slot begins, and the programs of those that run end; resolves when what is being brought is in the ledger. */
  stop(): Promise<void>;
}

/** Runs the slots of jobs as they fall due, until it is stopped. */
export function startScheduler(deps: StartDeps): StartedScheduler {
  const { session, jobs, holder, isDead, onBatches } = deps;
  const { db, clock, log } = session;
  const stopping = new AbortController();
  const scheduler = makeScheduler({
    db,
    clock,
    log,
    jobs,
    holder,
    isDead,
    runSlot: async (job, dueAt, requireSlot) => {
      const outcome = await runSlot({ ...deps, requireSlot, stopping: stopping.signal }, job, dueAt).catch(
        (error: unknown) => {
          if (!stopping.signal.aborted) throw error;
          // What was stopped in its middle has not failed: the next start brings it.
          return { outcome: 'wait' as const, detail: `stopped: ${errorMessage(error)}` };
        },
      );
      onBatches();
      return outcome;
    },
  });
  // One after the other: two of them would put the same file away.
  let filing: Promise<void> = Promise.resolve();
  const fileAway = () => {
    filing = filing
      .then(() => putAway(session))
      .catch((error: unknown) =>
        log.warn('it could not be looked which files are to be put away', { error: errorMessage(error) }),
      );
    return filing;
  };
  const look = () =>
    scheduler
      .look()
      .catch((error: AirbatchError) => log.warn('it could not be looked what is due', { error: error.message }));
  // Which slot is due, and whether it was run, is the ledger's to say.
  const heartbeat = startHeartbeat(clock, look);
  void fileAway();
  return {
    async ended(batchId) {
      if (!(await retriedByPolicy(deps, batchId))) await fileAway();
      else onBatches();
    },
    async stop() {
      stopping.abort();
      await heartbeat.stop();
      await scheduler.stop();
      await filing;
    },
  };
}
