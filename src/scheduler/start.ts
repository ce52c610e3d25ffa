import { type AirbatchError, errorMessage } from '../core/basics/errors.ts';
import { filesToArchive, type JobFile } from '../ledger/jobs/job-files.ts';
import { archiveFile } from '../runtime/inbox/archive-file.ts';
import type { Job } from '../runtime/jobs/define-job.ts';
import { makeLastingTrouble } from '../runtime/logging/log.ts';
import { makeScheduler } from './scheduler.ts';
import { startHeartbeat } from './slots/heartbeat.ts';
import { retriedByPolicy } from './slots/retry-policy.ts';
import { runSlot } from './slots/run-slot.ts';
import type { SlotRunnerDeps } from './slots/slot-files.ts';

export interface StartDeps extends Omit<SlotRunnerDeps, 'requireSlot' | 'stopping'> {
  jobs: readonly Job[];
  holder: string;
  isDead: (holder: string) => boolean;
  /** Called when batches may be ready to be sent. */
  onBatches: () => void;
}

export interface StartedScheduler {
  /** Batches have ended: what failed is tried again where their jobs say so, and their files are put away. */
  ended(): Promise<void>;
  /** No slot begins, and the programs of those that run end; resolves when what is being brought is in the ledger. */
  stop(): Promise<void>;
}

/**
 * How long after a retry that met no answer it is tried again: an outage is mostly over within minutes, and few rows
 * are asked for.
 */
const retryRestMs = 60_000;

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
          // What was stopped in its middle has not failed: the next start brings it, and counts on the trouble that it
          // has had.
          return { outcome: 'wait' as const, detail: `stopped: ${errorMessage(error)}`, mayPass: true };
        },
      );
      onBatches();
      return outcome;
    },
  });
  const { settleEnded, retryAt, idle } = makeSettling(deps, stopping.signal);
  let isRetrying = false;
  const trouble = makeLastingTrouble(log, clock);
  const look = async () => {
    if (!isRetrying && retryAt() <= clock.monotonic()) {
      isRetrying = true;
      void settleEnded().finally(() => {
        isRetrying = false;
      });
    }
    await scheduler
      .look()
      .then(trouble.over, (error: AirbatchError) =>
        trouble.report('it could not be checked which jobs are due; it is tried again', { error: error.message }),
      );
  };
  // Which slot is due, and whether it was run, is the ledger's to say.
  const heartbeat = startHeartbeat(clock, look);
  void settleEnded();
  return {
    ended: settleEnded,
    async stop() {
      stopping.abort();
      await heartbeat.stop();
      await scheduler.stop();
      await idle();
    },
  };
}

interface Settling {
  /** Tries again what failed where its job says so, and archives the files of batches that need no more. */
  settleEnded(): Promise<void>;
  /** When the first retry that is due is tried next (monotonic ms). */
  retryAt(): number;
  /** Resolves when what was begun has ended. */
  idle(): Promise<void>;
}

function makeSettling(deps: StartDeps, stopping: AbortSignal): Settling {
  const { session, onBatches } = deps;
  const { db, clock, log } = session;
  // By its file, which is put away only then, an end is known that no retry was decided for: also after a crash.
  let restUntil = new Map<string, number>();
  const settle = async () => {
    const settled: JobFile[] = [];
    const rests = new Map<string, number>();
    for (const file of await filesToArchive(db)) {
      const rest = restUntil.get(file.batch_id) ?? 0;
      const isResting = rest > clock.monotonic();
      const retry = isResting ? 'due' : await retriedByPolicy({ ...deps, stopping }, file);
      if (retry === 'due') rests.set(file.batch_id, isResting ? rest : clock.monotonic() + retryRestMs);
      if (retry === 'none') settled.push(file);
      if (retry === 'again') onBatches();
    }
    restUntil = rests;
    await archiveFile(session, settled);
  };
  // One after the other: two of them would put the same file away.
  let settling: Promise<void> = Promise.resolve();
  const settleEnded = () => {
    settling = settling
      .then(settle)
      .catch((error: unknown) =>
        log.warn('it could not be looked which files are to be put away', { error: errorMessage(error) }),
      );
    return settling;
  };
  return { settleEnded, retryAt: () => Math.min(...restUntil.values()), idle: () => settling };
}
