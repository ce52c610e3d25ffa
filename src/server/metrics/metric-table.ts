/**
 * One metric: its name follows `airbatch_`. Gauges, and counters whose count the ledger has (`kept`), are read anew for
 * each scrape; the others count what happens in this process.
 */
export interface MetricDefinition {
  type: 'gauge' | 'counter' | 'kept' | 'histogram';
  help: string;
  labels: readonly string[];
  /** The upper bounds of a histogram, in seconds. */
  buckets?: readonly number[];
}

const gauge = (help: string, ...labels: string[]): MetricDefinition => ({ type: 'gauge', help, labels });
const counter = (help: string, ...labels: string[]): MetricDefinition => ({ type: 'counter', help, labels });

/**
 * All metrics of ours; docs/monitoring.md describes each. A label has few values: an account, a job, a wallet, a place
 * of the configuration, or an entry of a fixed list. No label has a batch, a row, a person or a text of the service.
 */
export const metricTable = {
  batches: gauge('Batches that have not ended.', 'account', 'status', 'situation'),
  batches_late: gauge('Open batches that are late, or forecast to be.', 'account', 'state'),
  rows: gauge('Rows of batches that have not ended.', 'account', 'state'),
  accepted_oldest_seconds: gauge('Age of the oldest row that the service accepted and has not ended.', 'account'),
  doubt_oldest_seconds: gauge('Age of the oldest row in doubt.', 'account'),
  doubt_amount: gauge('Sum of the rows in doubt, without products.', 'account', 'currency'),
  queue_seconds: gauge('Forecast: how long until the last ready row is sent.', 'account'),
  account_working: gauge('1 where this process works for the account.', 'account'),
  account_closed_seconds: gauge('For how long an account may not send, for each reason.', 'account', 'reason'),
  clock_ahead_seconds: gauge('How far the clock of this machine is ahead of the service.', 'account'),
  lease_changes_total: { type: 'kept', help: 'How often the account changed its holder.', labels: ['account'] },
  rate_used: gauge('Requests of ours in the last window.', 'account', 'class'),
  rate_allowed: gauge('Requests that the service allows in a window.', 'account', 'class'),
  request_duration_seconds: {
    ...{ type: 'histogram', help: 'Requests to the service, until the whole answer.', labels: ['class', 'result'] },
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  requests_throttled_total: counter('Answers 429 of the service.', 'account'),
  balance: gauge('Balance of a wallet when it was last read.', 'account', 'wallet', 'currency'),
  balance_age_seconds: gauge('Time since the balance was last read.', 'account'),
  balance_lasts_seconds: gauge('Forecast: how long until the money is used up.', 'account', 'currency'),
  webhooks_received_total: counter('Genuine webhooks of the service.', 'account', 'result'),
  webhooks_refused_total: counter('Webhooks that were not genuine.', 'account', 'cause'),
  webhooks_waiting: gauge('Webhooks that were stored and are not handled yet.', 'account'),
  ledger_size_bytes: gauge('Size of the ledger file.'),
  ledger_wal_bytes: gauge('Size of the write-ahead log of the ledger.'),
  ledger_commit_duration_seconds: {
    ...{ type: 'histogram', help: 'Transactions of the ledger, until they are durable.', labels: [] },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  },
  backup_complete: gauge(
    '1 while the newest backup of this ledger is complete; 0 if not, or if there is none.',
    'place',
  ),
  backup_age_seconds: gauge('Age of the newest backup of this ledger.', 'place'),
  job_last_success_timestamp_seconds: gauge('Due time of the last slot that was done.', 'job'),
  job_last_failure_timestamp_seconds: gauge('Due time of the last slot that failed.', 'job'),
  job_last_skip_timestamp_seconds: gauge('Due time of the last slot that was missed.', 'job'),
  job_next_run_timestamp_seconds: gauge('When the job is due next.', 'job'),
  job_late_seconds: gauge('Time since the oldest open slot was due; 0 if none is open.', 'job'),
  notifications_unsent: gauge('Notifications to people that are still to be sent.'),
  notifications_oldest_unsent_seconds: gauge('Age of the oldest notification that is still to be sent.'),
  webhook_deliveries_unsent: gauge('Webhooks to other programs that are still to be sent.'),
  webhook_endpoints_disabled: gauge('Endpoints of other programs that are disabled because nothing arrived.'),
  reports_missing: gauge('Ended batches whose reports are not written yet.'),
  anchor_failing: gauge('1 while heads of audit chains cannot be stored in the place.', 'place'),
  build_info: gauge('1; the labels name the running version.', 'version', 'node'),
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof metricTable;
