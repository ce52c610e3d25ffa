import type { Queryable } from '../drivers/database.ts';
import { readFact, writeFact } from '../schema/facts.ts';

/** What is known of the retry of a batch by the policy of its job. */
export type JobRetry =
  /** It could not be made yet. */
  | 'due'
  /** Whether it was made is decided, for the end of the batch at this time (epoch ms). */
  | number;

/** Null where nothing is known: the batch has just ended, or its job retries nothing. */
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

/** A retry by the policy of a job that was never made. */
export interface RetryGivenUp {
  batch_id: string;
  /** When it was given up (epoch ms). */
  at: number;
  /** Failed rows that it would have looked at, and the codes by which. */
  rows: number;
  codes: readonly string[];
}

/** Those of a job that are remembered: each was told of long before there are so many. */
const givenUpMax = 100;

/** The last of a job, the latest last. */
export async function retriesGivenUp(db: Queryable, job: string): Promise<RetryGivenUp[]> {
  return JSON.parse((await readFact(db, givenUpName(job))) ?? '[]') as RetryGivenUp[];
}

export async function noteRetryGivenUp(tx: Queryable, job: string, retry: RetryGivenUp): Promise<void> {
  const last = [...(await retriesGivenUp(tx, job)), retry].slice(-givenUpMax);
  await writeFact(tx, givenUpName(job), JSON.stringify(last));
}

const givenUpName = (job: string) => `job_retries_given_up:${job}`;
