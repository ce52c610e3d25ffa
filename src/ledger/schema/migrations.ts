import { accessHeadTable } from './access-head.ts';
import { apiTables, requestSubjects } from './api-tables.ts';
import { approvalsTable } from './approvals-table.ts';
import { batchFacts, reconciliationFacts, withdrawal } from './batch-facts.ts';
import { doubtsTable } from './doubts-table.ts';
import { draftsTables } from './drafts-tables.ts';
import { firstTables } from './first-tables.ts';
import { pausesTable } from './pauses-table.ts';
import { numberViews, peopleTables, sessionDevice } from './people-tables.ts';
import { stateTables } from './state-tables.ts';
import { webhookTables } from './webhook-tables.ts';

/**
 * The ledger's tables, as numbered migrations that are never edited once released. They use only types that any SQL
 * database has: TEXT, INTEGER and BIGINT. Decimals and JSON are TEXT, times are epoch ms.
 */
export const migrations: readonly (readonly string[])[] = [
  firstTables,
  [
    `CREATE TABLE reconciliations (
      reconciliation_id TEXT PRIMARY KEY,
      account TEXT NOT NULL,
      from_ms BIGINT NOT NULL,
      to_ms BIGINT NOT NULL,
      finished_at BIGINT NOT NULL,
      counts TEXT NOT NULL,
      wallets TEXT NOT NULL
    )`,
    `CREATE TABLE reconciliation_items (
      reconciliation_id TEXT NOT NULL,
      item_no BIGINT NOT NULL,
      bucket TEXT NOT NULL,
      item TEXT NOT NULL,
      PRIMARY KEY (reconciliation_id, item_no)
    )`,
  ],
  [
    // What may happen to the batch without a person (core/state/batch-policy.ts), and when a person released a held
    // row.
    `ALTER TABLE batches ADD COLUMN policy TEXT NOT NULL DEFAULT '{}'`,
    'ALTER TABLE rows ADD COLUMN released_at BIGINT',
    'ALTER TABLE batches ADD COLUMN reread_at BIGINT',
    // To whom rows were sent recently. It contains only rows that were sent, so it does not slow down intake.
    'CREATE INDEX rows_sent ON rows (phone_number, first_sent_at) WHERE first_sent_at IS NOT NULL',
  ],
  [
    // The job that created the batch; what was approved; and when the first rows, which are sent alone, were judged.
    'ALTER TABLE batches ADD COLUMN job TEXT',
    'ALTER TABLE batches ADD COLUMN approved_plan TEXT',
    'ALTER TABLE batches ADD COLUMN canary_at BIGINT',
    'ALTER TABLE batches ADD COLUMN forgotten_at BIGINT',
    // The due times of jobs, each decided once.
    `CREATE TABLE slots (
      job TEXT NOT NULL,
      due_at BIGINT NOT NULL,
      state TEXT NOT NULL,
      holder TEXT,
      started_at BIGINT,
      ended_at BIGINT,
      detail TEXT,
      PRIMARY KEY (job, due_at)
    )`,
    // The files that jobs brought, with their batches.
    `CREATE TABLE job_files (
      batch_id TEXT PRIMARY KEY,
      job TEXT NOT NULL,
      due_at BIGINT NOT NULL,
      name TEXT NOT NULL,
      working_path TEXT NOT NULL,
      filed_at BIGINT
    )`,
    // Notifications to people: one for each event and recipient.
    `CREATE TABLE outbox (
      event_id TEXT NOT NULL,
      recipient TEXT NOT NULL,
      body TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      due_at BIGINT,
      attempts INTEGER NOT NULL,
      sent_at BIGINT,
      last_error TEXT,
      PRIMARY KEY (event_id, recipient)
    )`,
    'CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL',
    `CREATE TABLE anchors (
      batch_id TEXT NOT NULL,
      place TEXT NOT NULL,
      events BIGINT NOT NULL,
      head TEXT NOT NULL,
      anchored_at BIGINT NOT NULL,
      receipt TEXT,
      PRIMARY KEY (batch_id, place, head)
    )`,
    // What each batch was charged so far, exactly, by the currency of the wallets.
    'CREATE TABLE batch_costs (batch_id TEXT NOT NULL, currency TEXT NOT NULL, cost TEXT NOT NULL, PRIMARY KEY (batch_id, currency))',
  ],
  [
    // The files that are being read. A file that a crash interrupted is found by its entry.
    'CREATE TABLE readings (batch_id TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL)',
  ],
  [
    // The time of acceptance is added, so that the followed rows can be summed up from the index alone.
    'DROP INDEX rows_in_flight',
    `CREATE INDEX rows_in_flight ON rows (batch_id, status, next_action_at, accepted_at)
      WHERE status IN ('sending', 'accepted', 'in_doubt')`,
  ],
  [
    // The same index with another condition. For each written row, SQLite checks whether the index includes it, and for
    // a list of more than two values it creates a temporary table each time: a tenth of the time of storing a file.
    'DROP INDEX rows_in_flight',
    `CREATE INDEX rows_in_flight ON rows (batch_id, status, next_action_at, accepted_at)
      WHERE status = 'sending' OR status = 'accepted' OR status = 'in_doubt'`,
  ],
  [
    // From now on, the time up to which a hold covers other batches' payments counts, no longer the time of a person's
    // release.
    'ALTER TABLE rows RENAME COLUMN released_at TO told_until',
    // People were not shown the payments of other batches between a hold and its release.
    'UPDATE rows SET told_until = NULL WHERE told_until IS NOT NULL',
  ],
  [
    // When a slot's run expires unless its process renews it: a process on a machine that has failed renews nothing.
    'ALTER TABLE slots ADD COLUMN expires_at BIGINT',
  ],
  [
    // Payments of the service whose rows a restored ledger has lost. Only this table lets the comparison between runs
    // see them.
    `CREATE TABLE lost_payments (
      account TEXT NOT NULL,
      topup_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      row_ref TEXT NOT NULL,
      generation INTEGER NOT NULL,
      phone_number TEXT NOT NULL,
      amount TEXT,
      currency TEXT,
      first_sent_at BIGINT NOT NULL,
      PRIMARY KEY (account, topup_id)
    )`,
    'CREATE INDEX lost_by_number ON lost_payments (phone_number, first_sent_at)',
    'CREATE INDEX lost_by_row ON lost_payments (account, run_id, row_ref)',
  ],
  [
    // The options with which a corrected file of the batch is read.
    'ALTER TABLE batches ADD COLUMN read_with TEXT',
  ],
  [
    // These are queried every few seconds, or for every metrics request, by a program that runs for years. Nearly all
    // batches, slots and webhooks are finished, and the indexes avoid reading them.
    'CREATE INDEX batches_by_status ON batches (status, completed_at)',
    'CREATE INDEX slots_by_state ON slots (state, job, due_at)',
    'CREATE INDEX inbox_by_outcome ON inbox (outcome, account)',
  ],
  [
    // The batch's deadline, and since when the batch goes before others to meet it.
    'ALTER TABLE batches ADD COLUMN finish_by BIGINT',
    'ALTER TABLE batches ADD COLUMN pressed_at BIGINT',
  ],
  [
    // Refunds in this time explain the wallets of another batch. Few rows have a refund, so the index does not slow
    // down intake.
    'CREATE INDEX rows_refunded ON rows (refunded_at) WHERE refunded_at IS NOT NULL',
  ],
  [
    // Late reports of the service are looked for every few seconds among millions of events, and there are few of them.
    `CREATE INDEX events_late ON events (at)
      WHERE kind = 'row.refund' OR kind = 'row.contradicted' OR kind = 'row.changed_late'`,
  ],
  [
    // What the service now reports about a row that was not paid according to the ledger, and since when the ledger
    // knows it.
    'ALTER TABLE rows ADD COLUMN contradicted TEXT',
    'ALTER TABLE rows ADD COLUMN contradicted_at BIGINT',
    'CREATE INDEX rows_contradicted ON rows (phone_number) WHERE contradicted IS NOT NULL',
    'CREATE INDEX rows_contradicted_of ON rows (batch_id) WHERE contradicted IS NOT NULL',
    // A retried row no longer has the time at which its failed payment was sent. Few rows are retried, so the index
    // does not slow down intake.
    'CREATE INDEX rows_tried_again ON rows (phone_number) WHERE generation > 1',
  ],
  [
    // A second payment of a row that has not failed: the recipient may have been paid twice.
    'ALTER TABLE rows ADD COLUMN second_topup_id TEXT',
    'CREATE INDEX rows_paid_twice ON rows (batch_id) WHERE second_topup_id IS NOT NULL',
  ],
  // The payment that contradicts a row. Another payment that has not failed either is a second payment.
  ['ALTER TABLE rows ADD COLUMN contradicted_by TEXT'],
  // The time zone of the person or job that brought the file, and who rejected the batch.
  ['ALTER TABLE batches ADD COLUMN time_zone TEXT', 'ALTER TABLE batches ADD COLUMN rejected_by TEXT'],
  pausesTable,
  apiTables,
  batchFacts,
  // The payments to a row's number that a person knew of when deciding.
  ['ALTER TABLE rows RENAME COLUMN told_until TO known_until'],
  peopleTables,
  [
    // Charges that no row's cost has: of failed payments that the service completed later, and of second payments.
    `CREATE TABLE late_charges (
      batch_id TEXT NOT NULL,
      row_no INTEGER NOT NULL,
      topup_id TEXT NOT NULL,
      cost TEXT NOT NULL,
      cost_currency TEXT NOT NULL,
      charged_at BIGINT NOT NULL,
      refunded_at BIGINT,
      refund_amount TEXT,
      PRIMARY KEY (batch_id, row_no, topup_id)
    )`,
  ],
  stateTables,
  [
    'ALTER TABLE batches RENAME COLUMN pressed_at TO boosted_at',
    // The ids of notifications that an account is throttled.
    "UPDATE outbox SET event_id = 'throttled' || SUBSTR(event_id, 13) WHERE event_id LIKE 'told_to_wait:%'",
  ],
  draftsTables,
  approvalsTable,
  webhookTables,
  doubtsTable,
  [
    // For a workbook: the columns that its sheet hides, and the sheets that a person can choose from.
    "ALTER TABLE drafts ADD COLUMN hidden_columns TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE drafts ADD COLUMN sheets TEXT NOT NULL DEFAULT '[]'",
  ],
  accessHeadTable,
  // The earliest time of a late charge; only if the service does not say when it charged it.
  ['ALTER TABLE late_charges ADD COLUMN charged_from BIGINT'],
  // JSON: what the text of the problem names.
  ["ALTER TABLE draft_problems ADD COLUMN named TEXT NOT NULL DEFAULT '{}'"],
  numberViews,
  [
    // What people noted about open items of reconciliations.
    `CREATE TABLE reconciliation_notes (
      account TEXT NOT NULL,
      item_key TEXT NOT NULL,
      note_no INTEGER NOT NULL,
      noted_at BIGINT NOT NULL,
      person TEXT NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (account, item_key, note_no)
    )`,
  ],
  // Every batch that was planned of a draft: its list shows the one that was submitted.
  ['CREATE TABLE draft_batches (batch_id TEXT PRIMARY KEY, draft_id TEXT NOT NULL)'],
  [
    // The last balance of an account is read for every metrics request.
    `CREATE INDEX batches_by_balance ON batches (account, created_at, batch_id)
      WHERE COALESCE(balance_after, balance_before) IS NOT NULL`,
  ],
  // Since when the account has its holder.
  ['ALTER TABLE leases ADD COLUMN taken_at BIGINT'],
  // On PostgreSQL: the identity of the ledger on its server, as runners last found it.
  ['ALTER TABLE ledger_state ADD COLUMN server_history TEXT'],
  [
    // Moves of the whole ledger to another place, or from one: see moves.ts.
    `CREATE TABLE moves (
      move_id TEXT PRIMARY KEY,
      state TEXT NOT NULL,
      other_place TEXT NOT NULL,
      moved_at BIGINT NOT NULL
    )`,
  ],
  [
    // How many changes of an account's batches others than its runner have announced: see accounts/announce.ts.
    `CREATE TABLE announcements (
      account TEXT PRIMARY KEY,
      changes BIGINT NOT NULL
    )`,
  ],
  [
    // The requests to create that each account has just sent: see accounts/recent-sends.ts.
    `CREATE TABLE recent_sends (
      account TEXT NOT NULL,
      slot INTEGER NOT NULL,
      until BIGINT NOT NULL,
      requests INTEGER NOT NULL,
      PRIMARY KEY (account, slot)
    )`,
  ],
  // The result of a slot by codes, for texts in other languages.
  ['ALTER TABLE slots ADD COLUMN reasons TEXT'],
  // Why a row in doubt was left to a person, by code, for the same.
  ['ALTER TABLE doubts ADD COLUMN reason TEXT'],
  // Why the file of a batch could not be read, for the same.
  ['ALTER TABLE batches ADD COLUMN rejection_reason TEXT'],
  // Why airbatch has paused a batch or an account, for the same.
  ['ALTER TABLE pauses ADD COLUMN detail_reason TEXT'],
  requestSubjects,
  sessionDevice,
  reconciliationFacts,
  withdrawal,
  // Webhooks that were handled long ago are deleted: the earliest of them are found among millions.
  ['CREATE INDEX inbox_handled ON inbox (handled_at) WHERE handled_at IS NOT NULL'],
];
