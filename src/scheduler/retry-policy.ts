import { retryFailed } from '../engine/decisions.ts';
import { findBatch } from '../ledger/batches.ts';
import { readFact, writeFact } from '../ledger/facts.ts';
import { findJobFile } from '../ledger/job-files.ts';
import { askingFor } from '../runtime/told-to-wait.ts';
import type { Job } from './define-job.ts';
import { personOf, type SlotRunnerDeps } from './run-slot.ts';

export interface RetryDeps extends Pick<SlotRunnerDeps, 'session' | 'withAccount'> {
  jobs: readonly Job[];
}

/** Opens the next generation of what failed, as often as the job says. Returns whether anything is tried again. */
export async function retriedByPolicy({ session, jobs, withAccount }: RetryDeps, batchId: string): Promise<boolean> {
  const { db } = session;
  const file = await findJobFile(db, batchId);
  const batch = await findBatch(db, batchId);
  const job = jobs.find(({ name }) => name === file?.job);
  if (!job?.retry || batch?.status !== 'completed') return false;
  const { codes, times } = job.retry;
  const name = `job_retries:${batchId}`;
  const done = Number((await readFact(db, name)) ?? 0);
  if (done >= times) return false;
  await db.transact((tx) => writeFact(tx, name, String(done + 1)));
  const actor = { ...session, name: personOf(job) };
  const { retried } = await withAccount(job.account, async (account) =>
    retryFailed(actor, await askingFor(account, session), batchId, { codes }),
  );
  return retried > 0;
}
