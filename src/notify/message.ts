import type { ThrottleWait } from '../core/time/throttle-wait.ts';
import type { LateBatch } from '../ledger/accounts/pace.ts';
import type { RetryGivenUp } from '../ledger/jobs/job-retries.ts';
import type { UnprocessedFile } from '../ledger/jobs/unprocessed-files.ts';
import type { NewsKind } from './recipients.ts';

/**
 * Something that happened, with the keys under which the ledger has it. Standstills are not in the ledger: see
 * standstill.ts.
 */
export interface News {
  kind: Exclude<NewsKind, 'standstill'>;
  event_id: string;
  batch_id: string | null;
  account: string | null;
  job: string | null;
  /** Set if a batch will be late. */
  late?: LateBatch;
  /** Set if the service throttles an account. */
  throttleWait?: ThrottleWait;
  /** Set if a job left files unprocessed. */
  left?: readonly UnprocessedFile[];
  /** Set if a webhook endpoint was disabled: its address, as people may see it. */
  webhookUrl?: string;
  /** Set if failed rows of a job were not retried. */
  retryGivenUp?: RetryGivenUp;
}

/**
 * What is sent to people: a subject, lines for people, and facts for programs. It contains no names and numbers of the
 * people who are paid.
 */
export interface Message {
  kind: NewsKind;
  subject: string;
  lines: string[];
  facts: Record<string, string | number | null>;
  /** The batch whose report is attached. */
  report: string | null;
  /** The address of the console's page to open. The configuration names its host, so it stays a link. */
  open?: string;
}
