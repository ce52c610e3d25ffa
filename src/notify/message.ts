import type { ThrottleWait } from '../core/time/throttle-wait.ts';
import type { LateBatch } from '../ledger/accounts/pace.ts';
import type { RetryGivenUp } from '../ledger/jobs/job-retries.ts';
import type { LeftFile } from '../ledger/jobs/unprocessed-files.ts';
import type { NewsKind } from './recipients.ts';

/**
 * Something that happened, by what the ledger knows it by; that a program stands still is known to the program
 * (standstill.ts).
 */
export interface News {
  kind: Exclude<NewsKind, 'standstill'>;
  event_id: string;
  batch_id: string | null;
  account: string | null;
  job: string | null;
  /** That a batch will be late. */
  late?: LateBatch;
  /** That the service throttles an account. */
  throttleWait?: ThrottleWait;
  /** That files of a job were not taken. */
  left?: readonly LeftFile[];
  /** That failed rows of a job were not tried again. */
  retryGivenUp?: RetryGivenUp;
}

/** What is sent to people: a subject, lines for people, and facts for programs. It names no recipient of airtime. */
export interface Message {
  kind: NewsKind;
  subject: string;
  lines: string[];
  facts: Record<string, string | number | null>;
  /** The batch whose report goes with it. */
  report: string | null;
}
