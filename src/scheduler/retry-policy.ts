import { errorMessage } from '../core/basics/errors.ts';
import { type RetryWhat, rowsToRetry } from '../engine/decisions/retry-failed.ts';
import { unansweredMsMax } from '../engine/pacing/read-trouble.ts';
import { type BatchRecord, findBatch } from '../ledger/batches/batches.ts';
import type { JobFile } from '../ledger/jobs/job-files.ts';
import { jobRetry, noteJobRetry, noteRetryGivenUp } from '../ledger/jobs/job-retries.ts';
import { reopenFailed } from '../operations/batches/reopen-failed.ts';
import { callsOf } from '../operations/slots/slot-batch.ts';
import type { SlotRunnerDeps } from '../operations/slots/slot-files.ts';
import type { Job } from '../runtime/jobs/define-job.ts';

export interface RetryDeps extends Pick<SlotRunnerDeps, 'session' | 'withAccount'> {
  jobs: readonly Job[];
  /** Once it is aborted, no further row is looked up. The next start continues. */
  stopping: AbortSignal;
}

/**
 * `again`: the batch continues. `due`: a lookup that failed is tried later. `none`: nothing of the batch is retried.
 */
export type PolicyRetry = 'again' | 'due' | 'none';

/**
 * An outage is one problem, however many rows have failed. After this many rows without an answer, the others are left
 * for the next attempt.
 */
const unansweredMax = 5;

/**
 * Opens the next generation of those failed rows of a batch that its job retries, each as often as the job says. If the
 * service does not answer, the retry stays due for a day after the end of the batch, the same time as for lookups of
 * doubts (engine/pacing/read-trouble.ts). After that a person must decide, and people are notified.
 */
export async function retriedByPolicy(deps: RetryDeps, file: Pick<JobFile, 'batch_id' | 'job'>): Promise<PolicyRetry> {
  const { session, jobs, stopping } = deps;
  const { db, clock } = session;
  const batch = await findBatch(db, file.batch_id);
  if (batch?.status !== 'completed' || batch.completed_at === null) return 'none';
  const job = jobs.find(({ name }) => name === file.job);
  const known = await jobRetry(db, batch.batch_id);
  const endedAt = batch.completed_at;
  const decide = () => db.transact((tx) => noteJobRetry(tx, batch.batch_id, endedAt));
  if (!job?.retry || batch.forgotten_at !== null) {
    if (known === 'due') await decide();
    return 'none';
  }
  if (known === endedAt) return 'none';
  const what = { codes: job.retry.codes, timesMax: job.retry.times };
  if (clock.now() - endedAt >= unansweredMsMax) {
    await giveUp(deps, job, { batchId: batch.batch_id, endedAt }, what);
    return 'none';
  }
  if (stopping.aborted) return 'due';
  const { retried, trouble } = await retry(deps, job, batch, what);
  if (retried > 0) return 'again';
  if (trouble === null && !stopping.aborted) {
    await decide();
    return 'none';
  }
  if (known !== 'due' && trouble !== null) {
    await db.transact((tx) => noteJobRetry(tx, batch.batch_id, 'due'));
    const facts = { job: job.name, batch_id: batch.batch_id, error: trouble };
    session.log.warn('failed rows of a job could not be looked up yet; airbatch retries them after the lookup', facts);
  }
  // The interrupted retry may have reopened some of them first.
  return (await findBatch(db, batch.batch_id))?.status === 'completed' ? 'due' : 'again';
}

/** `trouble`: why some of the rows could not be looked up, in words, or null. */
async function retry(
  { session, withAccount, stopping }: RetryDeps,
  job: Job,
  batch: BatchRecord,
  what: RetryWhat,
): Promise<{ retried: number; trouble: string | null }> {
  const { codes, timesMax: times_max } = what;
  try {
    const call = callsOf(session, job, withAccount, stopping);
    const patience = { times_max, unanswered_max: unansweredMax };
    const { retried, unanswered } = await call(reopenFailed, {
      batch_id: batch.batch_id,
      codes: [...codes],
      ...patience,
    });
    return { retried, trouble: unanswered === 0 ? null : 'the service does not answer' };
  } catch (error) {
    return { retried: 0, trouble: errorMessage(error) };
  }
}

async function giveUp(
  { session: { db, clock, log } }: RetryDeps,
  { name: job }: Job,
  { batchId, endedAt }: { batchId: string; endedAt: number },
  what: RetryWhat,
): Promise<void> {
  let rows = 0;
  for await (const _ of rowsToRetry(db, batchId, what)) rows += 1;
  await db.transact(async (tx) => {
    await noteJobRetry(tx, batchId, endedAt);
    if (rows > 0) await noteRetryGivenUp(tx, job, { batch_id: batchId, at: clock.now(), rows, codes: what.codes });
  });
  const facts = { job, batch_id: batchId, rows };
  if (rows > 0) log.warn('failed rows of a job were not retried, and will not be', facts);
}
