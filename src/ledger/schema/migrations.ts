import { apiTables } from './api-tables.ts';
import { batchFacts } from './batch-facts.ts';
import { firstTables } from './first-tables.ts';
import { pausesTable } from './pauses-table.ts';

/**
 * The ledger's tables, as numbered migrations that are never edited once released. The types are those that any SQL
 * database has: TEXT, INTEGER and BIGINT only; decimals and JSON are TEXT, times are epoch milliseconds. SQLite is the
 * one that it runs on.
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
    // What the batch may do without a person (core/batch-policy.ts), and when a person released a held row.
    `ALTER TABLE batches ADD COLUMN policy TEXT NOT NULL DEFAULT '{}'`,
    'ALTER TABLE rows ADD COLUMN released_at BIGINT',
    'ALTER TABLE batches ADD COLUMN reread_at BIGINT',
    // Who was sent something lately: only rows that were sent are in it, so that intake pays nothing for it.
    'CREATE INDEX rows_sent ON rows (phone_number, first_sent_at) WHERE first_sent_at IS NOT NULL',
  ],
  [
    // The job that made the batch; what was approved, and when the first rows that went alone were judged.
    'ALTER TABLE batches ADD COLUMN job TEXT',
    'ALTER TABLE batches ADD COLUMN approved_plan TEXT',
    'ALTER TABLE batches ADD COLUMN canary_at BIGINT',
    'ALTER TABLE batches ADD COLUMN forgotten_at BIGINT',
    // Each due time of a job, decided once.
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
    // The files that jobs brought, with the batches that they became.
    `CREATE TABLE job_files (
      batch_id TEXT PRIMARY KEY,
      job TEXT NOT NULL,
      due_at BIGINT NOT NULL,
      name TEXT NOT NULL,
      working_path TEXT NOT NULL,
      filed_at BIGINT
    )`,
    // Word to the people concerned: once for each event and recipient.
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
    // What a batch was charged so far, exactly, by the currency of the wallets.
    'CREATE TABLE batch_costs (batch_id TEXT NOT NULL, currency TEXT NOT NULL, cost TEXT NOT NULL, PRIMARY KEY (batch_id, currency))',
  ],
  [
    // The files that are being read: what a crash leaves in the middle is known by it.
    'CREATE TABLE readings (batch_id TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL)',
  ],
  [
    // When they were accepted besides, so that what is followed can be summed up without its rows.
    'DROP INDEX rows_in_flight',
    `CREATE INDEX rows_in_flight ON rows (batch_id, status, next_action_at, accepted_at)
      WHERE status IN ('sending', 'accepted', 'in_doubt')`,
  ],
  [
    // The same index. For each row that is written, SQLite asks whether it belongs into it, and for a list of more
    // than two makes a temporary table each time: a tenth of what storing a file takes.
    'DROP INDEX rows_in_flight',
    `CREATE INDEX rows_in_flight ON rows (batch_id, status, next_action_at, accepted_at)
      WHERE status = 'sending' OR status = 'accepted' OR status = 'in_doubt'`,
  ],
  [
    // What a hold told of other batches' payments counts, and no longer the time at which a person released the row.
    'ALTER TABLE rows RENAME COLUMN released_at TO told_until',
    // Of what other batches sent between a hold and its release nobody was told.
    'UPDATE rows SET told_until = NULL WHERE told_until IS NOT NULL',
  ],
  [
    // Until when a slot is taken to be run unless its process says again that it goes on: one on a machine that is
    // gone says nothing.
    'ALTER TABLE slots ADD COLUMN expires_at BIGINT',
  ],
  [
    // Payments that the service has, and of which a restored ledger has lost the rows: the guard between runs knows
    // them by this alone.
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
    // How a file is to be read that corrects the batch's own.
    'ALTER TABLE batches ADD COLUMN read_with TEXT',
  ],
  [
    // What is asked for every few seconds, or at each look at the metrics, by a program that runs for years: of its
    // batches, slots and webhooks nearly all are done with, and none of them need be read.
    'CREATE INDEX batches_by_status ON batches (status, completed_at)',
    'CREATE INDEX slots_by_state ON slots (state, job, due_at)',
    'CREATE INDEX inbox_by_outcome ON inbox (outcome, account)',
  ],
  [
    // By when a batch is to be done, and since when it goes before others for that.
    'ALTER TABLE batches ADD COLUMN finish_by BIGINT',
    'ALTER TABLE batches ADD COLUMN pressed_at BIGINT',
  ],
  [
    // What came back meanwhile explains the wallets of another batch. Few rows have any; intake pays nothing for it.
    'CREATE INDEX rows_refunded ON rows (refunded_at) WHERE refunded_at IS NOT NULL',
  ],
  [
    // Late words of the service are looked for every few seconds among millions of events; few are any.
    `CREATE INDEX events_late ON events (at)
      WHERE kind = 'row.refund' OR kind = 'row.contradicted' OR kind = 'row.changed_late'`,
  ],
  [
    // What the service says now of a row that it did not pay here, and since when the ledger knows it.
    'ALTER TABLE rows ADD COLUMN contradicted TEXT',
    'ALTER TABLE rows ADD COLUMN contradicted_at BIGINT',
    'CREATE INDEX rows_contradicted ON rows (phone_number) WHERE contradicted IS NOT NULL',
    'CREATE INDEX rows_contradicted_of ON rows (batch_id) WHERE contradicted IS NOT NULL',
    // A row that is tried again forgets when its failed payment was sent. Few rows are, and intake pays nothing for it.
    'CREATE INDEX rows_tried_again ON rows (phone_number) WHERE generation > 1',
  ],
  [
    // A second payment of a row that has not failed: somebody may have been paid twice.
    'ALTER TABLE rows ADD COLUMN second_topup_id TEXT',
    'CREATE INDEX rows_paid_twice ON rows (batch_id) WHERE second_topup_id IS NOT NULL',
  ],
  // Which payment contradicts a row: another one that has not failed either is a second payment.
  ['ALTER TABLE rows ADD COLUMN contradicted_by TEXT'],
  // The time zone of who or what brought the file, and who rejected the batch.
  ['ALTER TABLE batches ADD COLUMN time_zone TEXT', 'ALTER TABLE batches ADD COLUMN rejected_by TEXT'],
  pausesTable,
  apiTables,
  batchFacts,
  // What a person has known of payments to a row's number, and decided about.
  ['ALTER TABLE rows RENAME COLUMN told_until TO known_until'],
];
