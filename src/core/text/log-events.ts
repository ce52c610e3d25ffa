/**
 * How urgent a line of the log is. `info`: it happened as it should. `warn`: it passes by itself, or can wait for the
 * next working day. `error`: money or the program needs a person now.
 */
export type LogLevel = 'info' | 'warn' | 'error';

/**
 * Every line of the log: its code, which never changes, its level, and its sentence, which may be worded anew.
 * docs/log.md lists them for people; a code that is no longer used is not used again.
 */
const table = {
  // The program
  config_doubtful: { warn: 'a setting of the configuration is probably not intended' },
  ledger_moved: { warn: 'this ledger was moved, or is an unfinished copy: another one is in use' },
  account_served: { info: 'an account is served' },
  secrets_replaced: { info: 'secrets were replaced; the new ones are used from now on' },
  secrets_unread: { warn: 'secrets cannot be read again; the earlier ones stay in use' },
  api_served: { info: 'the API is served' },
  metrics_served: { info: 'metrics are served' },
  callback_url_wrong: {
    warn: 'the callbackUrl of the account does not have the path at which airbatch receives its webhooks',
  },
  account_not_configured: { warn: 'unfinished batches wait, because their account is not configured' },
  placing_failed: {
    warn: 'airbatch cannot decide now which machine works for which account; accounts that run here continue, and it tries again',
  },
  service_cut_off: { warn: 'this machine cannot reach a service; other workers take over its accounts' },
  service_reached: { info: 'this machine can reach the service again' },
  program_stopping: {
    info: 'airbatch stops: it sends no new request, and waits for the answers to those already sent',
  },
  requests_abandoned: { warn: 'airbatch stops before some requests are answered; the next start looks up their rows' },
  program_stopped: { info: 'stopped' },
  program_failed: { error: 'the program cannot continue' },
  old_records_deleted: { info: 'old records were deleted' },
  old_records_kept: { warn: 'old records could not be deleted; airbatch tries again tomorrow' },

  // An account
  account_unusable: { warn: 'airbatch cannot work for the account now; it tries again' },
  account_paused: { error: 'the account is paused' },
  account_funded: { info: 'the balance is sufficient again; the account continues' },
  account_taken_over: {
    warn: 'the program that sent for the account has ended without releasing it; this program takes over',
  },
  api_key_changed: { warn: 'the API key has changed: rows in doubt are looked up, and not sent again' },
  clock_behind: { warn: 'the clock of this machine is behind the service’s: earlier rows in doubt are not sent again' },
  catalog_refused: { warn: 'the service does not let the account read its networks and products' },
  rate_differs: { warn: 'the service allows another rate than the configured one; airbatch follows the service' },
  throttled: { warn: 'the service throttles the account; airbatch asks again after the wait' },
  throttled_long: {
    error:
      'the service makes the account wait for a long time, and airbatch sends nothing until then: ask the service why',
  },
  service_unreachable: { warn: 'the service cannot be reached, or does not answer; airbatch tries again' },
  service_replaced: { warn: 'another program seems to answer at the address of the service; airbatch tries again' },
  service_answers: { info: 'the service answers again' },
  read_unanswered: { warn: 'a read got no answer; airbatch asks again' },
  account_message: { warn: 'the service sent a message about the account' },

  // Batches
  batch_completed: { info: 'a batch is completed' },
  batch_boosted: { info: 'a batch is sent before others, so that it finishes in time' },
  batch_paused_by_guard: { error: 'a guard has paused the batch' },
  batch_left_alone: { warn: 'airbatch sends nothing of a batch: its account now points to another service' },
  details_unread: { warn: 'the details of payments could not be read' },

  // Rows
  rows_interrupted: { warn: 'rows were being sent when the program ended; airbatch looks them up' },
  request_not_written: { warn: 'a request was not written' },
  doubt_for_person: { error: 'a person must find out whether a row was paid: the service cannot say' },
  lookup_for_person: {
    error: 'a person must decide about a row: the service does not say whether it was already paid',
  },
  status_unknown: {
    warn: 'the service gave a status that its specification does not list; airbatch keeps following the row',
  },
  payment_not_found: { warn: 'the service does not find a payment that it had accepted; airbatch asks again' },
  payment_overdue: { warn: 'a payment still has no result, later than the service promises' },
  payment_contradicted: { error: 'the service contradicts the ledger' },
  payment_changed_late: { warn: 'a payment has changed since its row ended' },
  payment_refunded: { warn: 'the service gave the money of a payment back' },
  payment_unexpected: { error: 'the service reports a payment that it seemed not to have' },
  payment_unknown: { error: 'the service has a payment of this run that is not in this ledger' },

  // A ledger from a backup
  restored_waits: {
    warn: 'the ledger was restored: airbatch sends nothing yet, because requests of the earlier program may still arrive',
  },
  restored_unlisted: {
    warn: 'the ledger was restored: airbatch sends nothing before the service has listed the payments made since the backup',
  },
  restored_listed: { info: 'the service has listed payments that the ledger no longer has' },
  restored_without_list: {
    warn: 'a person continues without the service’s list; rows that may repeat a payment are held',
  },
  restored_unreadable: {
    error: 'entries of the service’s list cannot be read; rows that may repeat them are held for a person',
  },

  // Webhooks
  webhook_rejected: { warn: 'a webhook was rejected' },
  webhook_not_stored: { error: 'a webhook could not be stored' },
  webhook_unreadable: { warn: 'a webhook could not be read' },
  webhooks_unsent: { warn: 'webhooks could not be sent; airbatch tries again' },
  webhook_endpoint_disabled: { warn: 'airbatch has disabled a webhook endpoint that accepts no messages' },

  // Jobs
  job_scheduled: { info: 'a job is scheduled' },
  job_run_id_shared: { warn: 'several slots of a job have the same run id' },
  job_months_skipped: { warn: 'a job is not due in every month' },
  job_done: { info: 'a job has run' },
  job_failed: { error: 'a job has failed' },
  job_waits: { info: 'a job waits before it runs' },
  job_not_run: { warn: 'a job could not run; airbatch tries again' },
  jobs_unchecked: { warn: 'due jobs could not be checked; airbatch tries again' },
  job_missed: { error: 'a job missed slots; they will not run' },
  job_missed_unrecorded: { warn: 'a job missed more slots than airbatch records; the earliest are left out' },
  job_file_taken: { info: 'airbatch has made a batch from a file of a job' },
  job_file_changed: { warn: 'a file of a job has changed since it was read' },
  job_files_unprocessed: { warn: 'files of a job are unprocessed, and are not paid' },
  job_entry_ignored: { warn: 'the inbox of a job has an entry that is not a file; it is not paid' },
  job_files_unarchived: { warn: 'files of a job could not be archived; airbatch tries again when the next batch ends' },
  job_files_unlisted: { warn: 'files that should be archived could not be listed; airbatch tries again' },
  job_retry_waits: { warn: 'failed rows of a job could not be looked up yet; airbatch retries them after the lookup' },
  job_retry_given_up: { warn: 'failed rows of a job were not retried, and will not be' },

  // Reports, proof and people
  reports_restated: { info: 'airbatch has written a new version of the reports of a batch' },
  reports_unwritten: { error: 'the reports of a batch could not be written; "airbatch report" writes them' },
  reports_wait: { warn: 'the reports of a batch could not be written; airbatch tries again' },
  reports_unusable: { warn: 'the place of the reports cannot be used now; payments continue' },
  late_changes_unchecked: { warn: 'late status changes could not be checked; airbatch tries again' },
  late_changes_checked: { info: 'late status changes are checked again' },
  chain_broken: { error: 'the audit chain of a batch is broken; its reports say so' },
  anchor_failed: { warn: 'the heads of audit chains could not be anchored; airbatch tries again' },
  trace_unsent: { warn: 'the trace of a batch could not be sent' },
  notification_unsent: { warn: 'a notification could not be sent; airbatch tries again' },
  notification_given_up: { error: 'a notification could not be sent; airbatch gives it up' },
  notification_at_start_unsent: { error: 'a notification could not be sent' },
  notifications_unchecked: { warn: 'pending notifications could not be checked; airbatch tries again' },

  // The API and the console
  api_error: { error: 'the program failed while it answered a request to the API' },
  request_error: { error: 'the program failed while it answered a request' },
  sign_in_failed: { warn: 'somebody could not sign in to the console' },
  sign_in_refused: { warn: 'a person whom the identity provider sent back was refused' },
  identity_provider_failed: { warn: 'the identity provider cannot be used' },
} as const satisfies Record<string, { readonly [Level in LogLevel]?: string }>;

export type LogEvent = keyof typeof table;
type SentenceOf<Level extends LogLevel> = Extract<(typeof table)[LogEvent], { readonly [Is in Level]: string }>[Level];
/** The sentence of a line. */
export type InfoMessage = SentenceOf<'info'>;
export type WarnMessage = SentenceOf<'warn'> | SentenceOf<'error'>;

export const logEvents = Object.entries(table).flatMap(([event, line]) =>
  Object.entries(line).map(([level, message]) => ({ event: event as LogEvent, level: level as LogLevel, message })),
);

const byMessage = new Map<string, { event: LogEvent; level: LogLevel }>(logEvents.map((one) => [one.message, one]));

/** The code and the level of a sentence. Only a caller that the compiler has not checked can name an unknown one. */
export function logEventOf(message: string): { event: LogEvent; level: LogLevel } | undefined {
  return byMessage.get(message);
}
