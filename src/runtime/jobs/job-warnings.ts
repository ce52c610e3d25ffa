import type { WarnMessage } from '../../core/text/log-events.ts';
import type { Job } from './define-job.ts';
import { sharedRunIdHint, sharedRunIdText } from './shared-run-id.ts';
import { skippedMonthHint, skippedMonthText } from './skipped-months.ts';

/** A setting that is valid but probably not intended. */
export interface JobWarning {
  message: WarnMessage;
  why: string;
  hint: string;
}

/** Settings of a job that a person should check before it runs with nobody watching, from a moment on (epoch ms). */
export function jobWarnings(job: Job, afterMs: number): JobWarning[] {
  const shared = sharedRunIdText(job, afterMs);
  const skipped = skippedMonthText(job, afterMs);
  const warnings: JobWarning[] = [];
  if (shared !== null)
    warnings.push({ message: 'several slots of a job have the same run id', why: shared, hint: sharedRunIdHint });
  if (skipped !== null)
    warnings.push({ message: 'a job is not due in every month', why: skipped, hint: skippedMonthHint });
  return warnings;
}
