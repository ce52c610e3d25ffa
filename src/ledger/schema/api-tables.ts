/** The tables of the HTTP API: its keys, and its requests. */
export const apiTables: readonly string[] = [
  // Programs that call the HTTP API: what each may do, and for which accounts (without a row: for all).
  `CREATE TABLE api_keys (
    key_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    secret_sha256 TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_by TEXT,
    revoked_at BIGINT
  )`,
  'CREATE TABLE api_key_roles (key_id TEXT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (key_id, role))',
  'CREATE TABLE api_key_accounts (key_id TEXT NOT NULL, account TEXT NOT NULL, PRIMARY KEY (key_id, account))',
  // Requests to the HTTP API that change something. One without a status is not answered yet.
  `CREATE TABLE api_requests (
    caller TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_sha256 TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    status INTEGER,
    body TEXT,
    PRIMARY KEY (caller, idempotency_key)
  )`,
  'CREATE INDEX api_requests_by_time ON api_requests (received_at)',
];

/** The draft or the batch that the answer to a request is about: it is erased with its people. */
export const requestSubjects: readonly string[] = [
  'ALTER TABLE api_requests ADD COLUMN about TEXT',
  'CREATE INDEX api_requests_by_about ON api_requests (about) WHERE about IS NOT NULL',
];
