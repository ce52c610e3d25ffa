import { stat } from 'node:fs/promises';
import type { Clock } from '../../core/time/clock.ts';
import { notificationsUnsent } from '../../ledger/accounts/gauges.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { lastSlotIn, openSlots } from '../../ledger/jobs/slots.ts';
import { countUnsent } from '../../ledger/outbox/webhook-deliveries.ts';
import { newestBackup } from '../../runtime/backup/folders.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import { nextDueTimes } from '../../runtime/jobs/due-times.ts';
import { version } from '../../runtime/settings/version.ts';
import { secondsSince } from './batch-metrics.ts';
import type { SetMetric } from './metrics.ts';

/** A job, as far as its metrics need it. */
export type JobInShort = Pick<Job, 'name' | 'schedule'>;

/** The reports and anchors of this process. */
export interface UpkeepHere {
  /** How many ended batches have no reports yet. */
  reportsMissing: number;
  /** The places for the heads of audit chains; true while one cannot be used. */
  anchors: ReadonlyMap<string, boolean>;
}

/** Sets the slots of the jobs. */
export async function setJobMetrics(
  set: SetMetric,
  db: Queryable,
  jobs: readonly JobInShort[],
  now: number,
): Promise<void> {
  for (const { name: job, schedule } of jobs) {
    const last = [
      ['job_last_success_timestamp_seconds', 'done'],
      ['job_last_failure_timestamp_seconds', 'failed'],
      ['job_last_skip_timestamp_seconds', 'skipped'],
    ] as const;
    for (const [metric, state] of last) {
      const at = await lastSlotIn(db, job, state);
      if (at !== null) set(metric, at / 1_000, { job });
    }
    const [next] = nextDueTimes(schedule, now, 1);
    if (next !== undefined) set('job_next_run_timestamp_seconds', next / 1_000, { job });
    const [open] = await openSlots(db, job, now);
    set('job_late_seconds', open === undefined ? 0 : secondsSince(open.due_at, now), { job });
  }
}

/** Sets what waits to be sent or written, and the size of the ledger. */
export async function setUpkeepMetrics(
  set: SetMetric,
  { db, clock, ledgerPath }: { db: Queryable; clock: Pick<Clock, 'now'>; ledgerPath: string },
  { reportsMissing, anchors }: UpkeepHere,
): Promise<void> {
  const { count, oldest } = await notificationsUnsent(db);
  const now = clock.now();
  set('notifications_unsent', count);
  set('notifications_oldest_unsent_seconds', oldest === null ? 0 : secondsSince(oldest, now));
  const { unsent, disabled } = await countUnsent(db);
  set('webhook_deliveries_unsent', unsent);
  set('webhook_endpoints_disabled', disabled);
  set('reports_missing', reportsMissing);
  for (const [place, isFailing] of anchors) set('anchor_failing', isFailing ? 1 : 0, { place });
  const size = await sizeOf(ledgerPath);
  // Only a ledger in a file has a size here.
  if (size !== null) {
    set('ledger_size_bytes', size);
    set('ledger_wal_bytes', (await sizeOf(`${ledgerPath}-wal`)) ?? 0);
  }
  set('build_info', 1, { version, node: process.version });
}

/** Sets the age of the newest backup of this ledger, and whether it has all its files. */
export async function setBackupMetrics(
  set: SetMetric,
  { place, ledgerPath, now }: { place: string; ledgerPath: string; now: number },
): Promise<void> {
  const newest = await newestBackup(place, ledgerPath);
  set('backup_complete', newest?.isComplete ? 1 : 0, { place });
  if (newest !== null) set('backup_age_seconds', secondsSince(Date.parse(newest.manifest.created_at), now), { place });
}

/** Null if there is no such file. */
async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}
