/** The tables of drafts: files that people correct in the console before they become batches. */
export const draftsTables: readonly string[] = [
  // `version` grows with every change; `checked_version` is the version that the last check of the whole file saw.
  `CREATE TABLE drafts (
    draft_id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    status TEXT NOT NULL,
    file_name TEXT NOT NULL,
    original_sha256 TEXT NOT NULL,
    original_bytes BIGINT NOT NULL,
    columns TEXT NOT NULL,
    columns_sha256 TEXT NOT NULL,
    delimiter TEXT NOT NULL,
    ends_open INTEGER NOT NULL,
    from_workbook INTEGER NOT NULL,
    options TEXT NOT NULL,
    notes TEXT NOT NULL,
    salt TEXT NOT NULL,
    row_count INTEGER NOT NULL,
    version INTEGER NOT NULL,
    checked_version INTEGER,
    findings TEXT,
    rejection TEXT,
    batch_id TEXT,
    batch_version INTEGER,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
  )`,
  'CREATE INDEX drafts_by_account ON drafts (account, created_at)',
  'CREATE INDEX drafts_by_change ON drafts (changed_at)',
  // The rows as they stand now. `cells` is one text (`draft-rows.ts`), in which people search.
  `CREATE TABLE draft_rows (
    draft_id TEXT NOT NULL,
    row_no INTEGER NOT NULL,
    line INTEGER NOT NULL,
    state TEXT NOT NULL,
    cells TEXT NOT NULL,
    PRIMARY KEY (draft_id, row_no)
  )`,
  'CREATE INDEX draft_rows_by_state ON draft_rows (draft_id, state, row_no)',
  // What is wrong with a row. `column_no` is -1 for a problem of the whole row.
  `CREATE TABLE draft_problems (
    draft_id TEXT NOT NULL,
    row_no INTEGER NOT NULL,
    position INTEGER NOT NULL,
    code TEXT NOT NULL,
    column_no INTEGER NOT NULL,
    message TEXT NOT NULL,
    suggestion TEXT NOT NULL,
    PRIMARY KEY (draft_id, row_no, position)
  )`,
  'CREATE INDEX draft_problems_by_code ON draft_problems (draft_id, code, column_no, row_no)',
  // A step is what one person did at once; it is undone and done again as a whole.
  `CREATE TABLE draft_steps (
    draft_id TEXT NOT NULL,
    step INTEGER NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    cells INTEGER NOT NULL,
    done_by TEXT NOT NULL,
    done_at BIGINT NOT NULL,
    undone_by TEXT,
    undone_at BIGINT,
    PRIMARY KEY (draft_id, step)
  )`,
  `CREATE TABLE draft_changes (
    draft_id TEXT NOT NULL,
    step INTEGER NOT NULL,
    row_no INTEGER NOT NULL,
    column_no INTEGER NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    PRIMARY KEY (draft_id, step, row_no, column_no)
  )`,
  'CREATE INDEX draft_changes_by_row ON draft_changes (draft_id, row_no)',
  // How an account's people have mapped the columns of a header.
  `CREATE TABLE column_mappings (
    account TEXT NOT NULL,
    columns_sha256 TEXT NOT NULL,
    field TEXT NOT NULL,
    column_name TEXT NOT NULL,
    PRIMARY KEY (account, columns_sha256, field)
  )`,
];
