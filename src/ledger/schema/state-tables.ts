function fromFact(prefix: string, key: string): string {
  return `(SELECT value FROM facts WHERE name = '${prefix}:' || ${key})`;
}

function numberFromFact(prefix: string, key: string): string {
  return `(SELECT CAST(value AS BIGINT) FROM facts WHERE name = '${prefix}:' || ${key})`;
}

/** The number that follows the batch's id at the end of a fact's name. */
function endOfName(prefix: string): string {
  return `CAST(SUBSTR(name, LENGTH('${prefix}:' || batch_id || ':') + 1) AS BIGINT)`;
}

function factsOfBatches(prefix: string): string {
  return `facts JOIN batches ON name LIKE '${prefix}:' || batch_id || ':%'`;
}

/** One of the two numbers in a value, which a space separates; the first may also be a text. */
function beforeSpace(value: string): string {
  return `RTRIM(RTRIM(${value}, '0123456789'), ' ')`;
}
function afterSpace(value: string): string {
  return `CAST(SUBSTR(${value}, LENGTH(RTRIM(${value}, '0123456789')) + 1) AS BIGINT)`;
}

/** Pages of a list that were read (`pages 3`), or the last row that was looked up (`17`). */
const rereadPages = `CASE WHEN value LIKE 'pages %' THEN CAST(SUBSTR(value, 7) AS BIGINT) END`;
const rereadRow = `CASE WHEN value NOT LIKE 'pages %' THEN CAST(value AS BIGINT) END`;

/** Versions before account gates stored these members of a pace with other names, and side by side. */
const renamedPace = `REPLACE(REPLACE(REPLACE(pace, '"isTold":', '"isFromService":'),
  '"toldToWait":', '"gate":{"throttle":'), '"throttleWait":', '"gate":{"throttle":')`;

/**
 * The migration that gives every kind of fact columns of its own. Before, one table had a name and a text for each
 * fact, with the account, the job, or the row in the name.
 */
export const stateTables: readonly string[] = [
  // One row: what the program knows of the whole ledger.
  `CREATE TABLE ledger_state (
    highest_clock_ms BIGINT NOT NULL,
    proved_writable_at BIGINT,
    restored_at BIGINT,
    news_since BIGINT
  )`,
  `INSERT INTO ledger_state (highest_clock_ms, restored_at, news_since) SELECT
    COALESCE((SELECT CAST(value AS BIGINT) FROM facts WHERE name = 'highest_clock_ms'), 0),
    (SELECT CAST(value AS BIGINT) FROM facts WHERE name = 'ledger_restored_at'),
    (SELECT CAST(value AS BIGINT) FROM facts WHERE name = 'word_since')`,
  `CREATE TABLE account_state (
    account TEXT PRIMARY KEY,
    restored_at BIGINT,
    lost_from BIGINT,
    key_scope TEXT,
    key_scope_since BIGINT,
    lowest_balances TEXT,
    pace TEXT
  )`,
  ...['restored_at', 'lost_from', 'key_scope', 'short_of_funds', 'rate'].map(
    (name) => `INSERT INTO account_state (account)
      SELECT SUBSTR(name, ${name.length + 2}) FROM facts WHERE name LIKE '${name}:%'
      ON CONFLICT (account) DO NOTHING`,
  ),
  `UPDATE account_state SET
    restored_at = ${numberFromFact('restored_at', 'account')},
    lost_from = ${numberFromFact('lost_from', 'account')},
    key_scope = ${beforeSpace(fromFact('key_scope', 'account'))},
    key_scope_since = ${afterSpace(fromFact('key_scope', 'account'))},
    lowest_balances = ${fromFact('short_of_funds', 'account')},
    pace = ${fromFact('rate', 'account')}`,
  `UPDATE account_state SET pace = REPLACE(${renamedPace}, ',"late":{', '},"late":{')
    WHERE pace LIKE '%,"toldToWait":%,"unreachableSince":%,"late":{%'
      OR pace LIKE '%,"throttleWait":%,"unreachableSince":%,"late":{%'`,
  // A pace of a still older shape is written anew within seconds.
  `UPDATE account_state SET pace = NULL WHERE pace NOT LIKE '%,"gate":{"throttle":%,"unreachableSince":%},"late":{%'`,
  `CREATE TABLE job_state (
    job TEXT PRIMARY KEY,
    known_since BIGINT,
    looked_at BIGINT,
    slots_dropped_until BIGINT,
    used_folder TEXT,
    ignored_entries TEXT,
    unprocessed_files TEXT,
    retries_given_up TEXT
  )`,
  ...[
    'job_known_since',
    'job_since',
    'slots_dropped',
    'job_folder',
    'job_ignored',
    'job_left',
    'job_retries_given_up',
  ].map(
    (name) => `INSERT INTO job_state (job)
      SELECT SUBSTR(name, ${name.length + 2}) FROM facts WHERE name LIKE '${name}:%'
      ON CONFLICT (job) DO NOTHING`,
  ),
  `UPDATE job_state SET
    known_since = ${numberFromFact('job_known_since', 'job')},
    looked_at = ${numberFromFact('job_since', 'job')},
    slots_dropped_until = ${numberFromFact('slots_dropped', 'job')},
    used_folder = ${fromFact('job_folder', 'job')},
    ignored_entries = ${fromFact('job_ignored', 'job')},
    unprocessed_files = ${fromFact('job_left', 'job')},
    retries_given_up = ${fromFact('job_retries_given_up', 'job')}`,
  'ALTER TABLE slots ADD COLUMN troubled_ms BIGINT',
  'ALTER TABLE slots ADD COLUMN faults TEXT',
  `UPDATE slots SET
    troubled_ms = ${numberFromFact('slot_troubled_ms', "job || ':' || due_at")},
    faults = ${fromFact('slot_faults', "job || ':' || due_at")}`,
  // How far an ended batch was read again. A batch that ends again is read anew.
  `CREATE TABLE rereads (
    batch_id TEXT PRIMARY KEY,
    completed_at BIGINT NOT NULL,
    pages BIGINT,
    row_no BIGINT
  )`,
  `INSERT INTO rereads (batch_id, completed_at, pages, row_no)
    SELECT batch_id, completed_at, ${rereadPages}, ${rereadRow}
    FROM facts JOIN batches ON name = 'reread:' || batch_id || ':' || completed_at`,
  // Rows whose lookups are not answered: since when, and when one was last tried.
  `CREATE TABLE unanswered_lookups (
    batch_id TEXT NOT NULL,
    row_no INTEGER NOT NULL,
    since BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (batch_id, row_no)
  )`,
  `INSERT INTO unanswered_lookups (batch_id, row_no, since, last_at)
    SELECT batch_id, ${endOfName('unread_since')}, CAST(${beforeSpace('value')} AS BIGINT), ${afterSpace('value')}
    FROM ${factsOfBatches('unread_since')} WHERE value LIKE '% %'`,
  // What people have decided about rows, besides the row's own columns.
  `CREATE TABLE row_decisions (
    batch_id TEXT NOT NULL,
    row_no INTEGER NOT NULL,
    named_ends TEXT,
    maximum_known_until BIGINT,
    PRIMARY KEY (batch_id, row_no)
  )`,
  `INSERT INTO row_decisions (batch_id, row_no, named_ends)
    SELECT batch_id, ${endOfName('named_ends')}, value FROM ${factsOfBatches('named_ends')} WHERE TRUE
    ON CONFLICT (batch_id, row_no) DO UPDATE SET named_ends = excluded.named_ends`,
  `INSERT INTO row_decisions (batch_id, row_no, maximum_known_until)
    SELECT batch_id, ${endOfName('let_go_until')}, CAST(value AS BIGINT) FROM ${factsOfBatches('let_go_until')} WHERE TRUE
    ON CONFLICT (batch_id, row_no) DO UPDATE SET maximum_known_until = excluded.maximum_known_until`,
  'DROP TABLE facts',
];
