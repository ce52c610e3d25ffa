/** The tables of outgoing webhooks: airbatch sends events to the endpoints of other programs. */
export const webhookTables: readonly string[] = [
  // `earlier_secret` also signs until `earlier_until`. `failed_at`: when it was disabled since nothing arrived.
  `CREATE TABLE webhook_endpoints (
    endpoint_id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    earlier_secret TEXT,
    earlier_until BIGINT,
    enabled INTEGER NOT NULL,
    failed_at BIGINT,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    deleted_at BIGINT
  )`,
  // Without a row: all kinds of events, and all accounts.
  'CREATE TABLE webhook_events (endpoint_id TEXT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (endpoint_id, event))',
  'CREATE TABLE webhook_filters (endpoint_id TEXT NOT NULL, account TEXT NOT NULL, PRIMARY KEY (endpoint_id, account))',
  // Up to which event of a batch's chain the webhooks are made, and which accounts could not send.
  'CREATE TABLE webhook_cursors (batch_id TEXT PRIMARY KEY, seq BIGINT NOT NULL)',
  'CREATE TABLE webhook_gates (account TEXT PRIMARY KEY, is_open INTEGER NOT NULL)',
  // `due_at` is null once a delivery has arrived (`delivered_at`) or is given up (`failed_at`).
  `CREATE TABLE webhook_deliveries (
    delivery_no BIGINT PRIMARY KEY,
    endpoint_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    event TEXT NOT NULL,
    account TEXT NOT NULL,
    batch_id TEXT,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT,
    give_up_at BIGINT NOT NULL,
    attempts INTEGER NOT NULL,
    delivered_at BIGINT,
    failed_at BIGINT
  )`,
  'CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (endpoint_id, message_id)',
  'CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, delivery_no) WHERE due_at IS NOT NULL',
  'CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (created_at)',
  // One row: which program sends webhooks.
  'CREATE TABLE webhook_claim (holder TEXT NOT NULL, expires_at BIGINT NOT NULL)',
  "INSERT INTO webhook_claim (holder, expires_at) VALUES ('', 0)",
  `CREATE TABLE webhook_attempts (
    delivery_no BIGINT NOT NULL,
    attempt INTEGER NOT NULL,
    at BIGINT NOT NULL,
    status INTEGER,
    duration_ms INTEGER NOT NULL,
    error TEXT,
    PRIMARY KEY (delivery_no, attempt)
  )`,
];
