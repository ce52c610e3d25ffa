import type { Queryable } from '../drivers/database.ts';
import { jobState } from '../schema/state-columns.ts';

/** The state of the retry of a batch by its job's policy. */
export type JobRetry =
  /** The retry is still to be made. */
  | 'due'
  /** It was decided for the batch's end at this time (epoch ms): made, or not. */
  | number;

/** The state of the retry; null if there is none: the batch has just ended, or its job does not retry. */
export async function jobRetry(db: Queryable, batchId: string): Promise<JobRetry | null> {
  const [batch] = await db.query<{ retry_is_due: number | null; retry_decided_for: number | null }>(
    'SELECT retry_is_due, retry_decided_for FROM batches WHERE batch_id = ?',
    [batchId],
  );
  return batch?.retry_is_due === 1 ? 'due' : (batch?.retry_decided_for ?? null);
}

export async function noteJobRetry(tx: Queryable, batchId: string, retry: JobRetry): Promise<void> {
  await tx.execute('UPDATE batches SET retry_is_due = ?, retry_decided_for = ? WHERE batch_id = ?', [
    retry === 'due' ? 1 : 0,
    retry === 'due' ? null : retry,
    batchId,
  ]);
}

/** A retry by a job's policy that was never made. */
export interface RetryGivenUp {
  batch_id: string;
  /** When it was given up (epoch ms). */
  at: number;
  /** How many failed rows it would have looked at, and their codes. */
  rows: number;
  codes: readonly string[];
}

/** The most that are kept for a job. People have been notified of each long before. */
const givenUpMax = 100;

/** The retries that a job gave up, the latest last. */
export async function retriesGivenUp(db: Queryable, job: string): Promise<RetryGivenUp[]> {
  return JSON.parse((await jobState.retriesGivenUp.read(db, job)) ?? '[]') as RetryGivenUp[];
}

export async function noteRetryGivenUp(tx: Queryable, job: string, retry: RetryGivenUp): Promise<void> {
  const last = [...(await retriesGivenUp(tx, job)), retry].slice(-givenUpMax);
  await jobState.retriesGivenUp.write(tx, job, JSON.stringify(last));
}
