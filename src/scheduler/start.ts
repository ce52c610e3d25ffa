import { AirbatchError, errorMessage } from '../core/basics/errors.ts';
import { isoTime } from '../core/time/clock.ts';
import { filesToArchive, type JobFile } from '../ledger/jobs/job-files.ts';
import { performIn, type WithAccount } from '../operations/base/operation.ts';
import { runJob } from '../operations/jobs/run-job.ts';
import { sessionOfJob } from '../operations/slots/slot-batch.ts';
import { archiveFile } from '../runtime/inbox/archive-file.ts';
import type { Job } from '../runtime/jobs/define-job.ts';
import { makeLastingTrouble } from '../runtime/logging/log.ts';
import type { Session } from '../runtime/session/session.ts';
import { startHeartbeat } from './heartbeat.ts';
import { retriedByPolicy } from './retry-policy.ts';
import { makeScheduler, type SchedulerDeps } from './scheduler.ts';

export interface StartDeps {
  session: Session;
  jobs: readonly Job[];
  withAccount: WithAccount;
  /** Called when batches may be ready to be sent. */
  onBatches: () => void;
}

export interface StartedScheduler {
  /** Call it when batches have ended: failed rows are retried if their jobs say so, and the files are archived. */
  ended(): Promise<void>;
  /** No slot starts, and the commands of running slots are ended. Resolves when current imports are in the ledger. */
  stop(): Promise<void>;
}

/**
 * How long after a retry without an answer the next one is made. An outage is usually over within minutes, and few rows
 * are looked up.
 */
const retryRestMs = 60_000;

/** Runs the slots of jobs as they fall due, until it is stopped. */
export function startScheduler(deps: StartDeps): StartedScheduler {
  const { session, jobs, withAccount, onBatches } = deps;
  const { db, clock, log } = session;
  const stopping = new AbortController();
  const runDue: SchedulerDeps['runDue'] = async (job, dueAt, passingTrouble) => {
    const door = { nameOf: (field: string) => field, withAccount, leavesWork: true, signal: stopping.signal };
    const due = { name: job.name, slot: isoTime(dueAt) };
    try {
      const scheduled = { jobs, passingTrouble };
      return (await performIn(sessionOfJob(session, job), runJob, { ...door, scheduled }, due)).outcome;
    } catch (error) {
      if (error instanceof AirbatchError && error.code === 'ACCOUNT_BUSY') return null;
      throw error;
    } finally {
      onBatches();
    }
  };
  const scheduler = makeScheduler({ db, clock, log, jobs, runDue });
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
        trouble.report('due jobs could not be checked; airbatch tries again', { error: error.message }),
      );
  };
  // The ledger decides which slot is due and whether it was run.
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
  /** Retries failed rows if their job says so, and archives the files of batches that need nothing more. */
  settleEnded(): Promise<void>;
  /** When the first due retry is tried next (monotonic ms). */
  retryAt(): number;
  /** Resolves when everything that was started has ended. */
  idle(): Promise<void>;
}

function makeSettling(deps: StartDeps, stopping: AbortSignal): Settling {
  const { session, onBatches } = deps;
  const { db, clock, log } = session;
  // A file is archived only after its batch's retry is decided. So the files show the ended batches without a decision,
  // even after a crash.
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
  // One after the other: two runs would archive the same file.
  let settling: Promise<void> = Promise.resolve();
  const settleEnded = () => {
    settling = settling.then(settle).catch((error: unknown) =>
      log.warn('files that should be archived could not be listed; airbatch tries again', {
        error: errorMessage(error),
      }),
    );
    return settling;
  };
  return { settleEnded, retryAt: () => Math.min(...restUntil.values()), idle: () => settling };
}
