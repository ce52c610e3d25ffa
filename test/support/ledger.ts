import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { idempotencyKey, type PaymentIdentity, paymentReference, sha256 } from '../../src/core/identity/ids.ts';
import type { PauseReason } from '../../src/core/state/batch-state.ts';
import type { Clock } from '../../src/core/time/clock.ts';
import type { ApprovalNeeded } from '../../src/engine/plan/approval.ts';
import type { StoredPace } from '../../src/ledger/accounts/pace.ts';
import type { InboxEntry } from '../../src/ledger/accounts/webhook-inbox.ts';
import type { BatchRecord } from '../../src/ledger/batches/batches.ts';
import type { Database, SqlValue } from '../../src/ledger/drivers/database.ts';
import type { MakePool } from '../../src/ledger/drivers/postgres/connections.ts';
import { openSqlite } from '../../src/ledger/drivers/sqlite/sqlite.ts';
import type { PaymentRecord } from '../../src/ledger/rows/payments.ts';
import type { NewRow } from '../../src/ledger/rows/rows.ts';
import { migrations } from '../../src/ledger/schema/migrations.ts';
import { migrate } from '../../src/ledger/schema/schema.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { counted } from './ledger-work.ts';
import { idleUsage } from './open-limiter.ts';

/** Why a batch waits for so many other people. */
export function approvalBy(approvers: number, why = 'every batch needs a second person'): ApprovalNeeded {
  return { approvers, why, reason: { code: 'APPROVAL_ALWAYS', values: { approvers: String(approvers) } } };
}

/** A ledger in memory, with the schema before this migration. */
export async function earlierLedger(before: readonly string[]): Promise<Database> {
  const db = openSqlite(':memory:');
  await db.execute('CREATE TABLE migrations (version INTEGER PRIMARY KEY)');
  for (const [index, statements] of migrations.slice(0, migrations.indexOf(before)).entries()) {
    for (const statement of statements) await db.execute(statement);
    await db.execute('INSERT INTO migrations (version) VALUES (?)', [index + 1]);
  }
  return db;
}

/** Whether the tests run on PostgreSQL. Nothing else decides it. */
export const isOnPostgres = process.env.AIRBATCH_TEST_LEDGER === 'postgres';

/** A ledger for one test, with the newest schema: in memory, or on PostgreSQL. */
export async function memoryLedger(): Promise<Database> {
  return isOnPostgres ? postgresLedger() : sqliteLedger();
}

/** How long a connection may be idle: the tests of a file that do not close their ledgers share the server's places. */
const idleTimeoutMillis = 500;

/**
 * A ledger as `memoryLedger` makes one, and where it is, for what opens it by its place itself: its file in this folder,
 * or its URL.
 */
export async function placedLedger(folder: string): Promise<{ db: Database; place: string }> {
  if (isOnPostgres) {
    const { migratedPostgres } = await import('./postgres.ts');
    const place = await migratedPostgres();
    return { place, db: await openForTests(place) };
  }
  const place = join(folder, 'ledger.db');
  await makeLedgerFile(place);
  return { place, db: openSqlite(place) };
}

/** A file with the newest schema, as the first one of this process was made. */
let newestFile: Buffer | null = null;

/** Makes an empty ledger in a file. A copy takes a hundredth of the time of all migrations. */
export async function makeLedgerFile(path: string): Promise<void> {
  if (newestFile !== null) return writeFileSync(path, newestFile, { mode: 0o600, flag: 'wx' });
  const db = openSqlite(path);
  await migrate(db);
  await db.close();
  newestFile = readFileSync(path);
}

/** A ledger on PostgreSQL. Its clock is the test's. */
export async function postgresLedger(): Promise<Database> {
  const { migratedPostgres } = await import('./postgres.ts');
  return openForTests(await migratedPostgres());
}

/** Opens a ledger on PostgreSQL. */
export async function openForTests(url: string): Promise<Database> {
  const { openPostgres } = await import('../../src/ledger/drivers/postgres/postgres.ts');
  const makePool: MakePool = (config) => new Pool({ ...config, idleTimeoutMillis });
  return counted(openPostgres(url, { makePool }));
}

/** A ledger in memory, for tests of what SQLite alone does: how it plans a statement. */
export async function sqliteLedger(): Promise<Database> {
  const db = openSqlite(':memory:');
  if (newest === null) {
    await migrate(db);
    newest = await contentsOf(db);
  } else await fill(db, newest);
  return db;
}

type Statements = readonly (readonly [sql: string, params: SqlValue[]])[];

/** What makes a ledger of the newest schema. It takes a fifth of the time of all migrations. */
let newest: Statements | null = null;

async function contentsOf(db: Database): Promise<Statements> {
  const made = await db.query<{ type: string; name: string; sql: string }>(
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
  );
  const statements: [string, SqlValue[]][] = made.map(({ sql }) => [sql, []]);
  for (const { name } of made.filter(({ type }) => type === 'table'))
    for (const values of await db.values(`SELECT * FROM ${name}`))
      statements.push([`INSERT INTO ${name} VALUES (${values.map(() => '?').join(', ')})`, values as SqlValue[]]);
  return statements;
}

function fill(db: Database, statements: Statements): Promise<void> {
  return db.transact(async (tx) => {
    for (const [sql, params] of statements) await tx.execute(sql, params);
  });
}

/** What the inbox keeps of a webhook, or null. */
export async function findInboxEntry(
  db: Database,
  { account, scheme, message_id }: Pick<InboxEntry, 'account' | 'scheme' | 'message_id'>,
): Promise<InboxEntry | null> {
  const [entry] = await db.query<InboxEntry>(
    'SELECT * FROM inbox WHERE account = ? AND scheme = ? AND message_id = ?',
    [account, scheme, message_id],
  );
  return entry ?? null;
}

/** What a runner notes that has asked for nothing yet. */
export const idlePace: StoredPace = {
  fence: 0,
  used: 0,
  isFromService: false,
  limit: 60,
  outlook: idleUsage.outlook,
  spaced: {},
  shared: false,
  gate: { throttle: null, unreachableSince: null },
  late: {},
};
/** A webhook that was received at the beginning of time, and not looked at yet. */
export function anInboxEntry(fields: Partial<InboxEntry> = {}): InboxEntry {
  return {
    account: 'main',
    scheme: 'registered',
    message_id: 'evt-1',
    body: '{}',
    body_digest: sha256(fields.body ?? '{}'),
    received_at: 0,
    due_at: fields.received_at ?? 0,
    looks: 0,
    handled_at: null,
    outcome: null,
    batch_id: null,
    row_no: null,
    ...fields,
  };
}

/** Where the batches of tests are paid. */
export const testService = 'a test';

/** A batch as intake leaves it, with what a test does not care about filled in. */
export function aBatch(fields: Partial<BatchRecord> = {}): Omit<BatchRecord, 'audit_seq' | 'audit_head'> {
  return {
    batch_id: 'batch-1',
    account: 'main',
    service: testService,
    run_id: 'run-1',
    status: 'validated',
    priority: 'normal',
    finish_by: null,
    boosted_at: null,
    file_name: 'payroll.csv',
    file_sha256: null,
    content_sha256: null,
    columns: '["phone_number","network_id","amount","currency"]',
    read_with: null,
    rejection: null,
    rejected_by: null,
    withdrawn_by: null,
    rejection_reason: null,
    time_zone: null,
    balance_before: null,
    balance_after: null,
    program: 'airbatch test',
    created_by: 'tester',
    policy: '{}',
    reread_at: null,
    approved_plan: null,
    approvals_needed: 0,
    canary_at: null,
    forgotten_at: null,
    job: null,
    approved_by: null,
    created_at: 1_000,
    approved_at: null,
    started_at: null,
    completed_at: null,
    ...fields,
  };
}

/** Pauses a batch for this reason alone, whatever it was paused for. */
export async function setPause(
  db: Database,
  reason: PauseReason,
  { batchId = 'batch-1', detail = null }: { batchId?: string; detail?: string | null } = {},
): Promise<void> {
  await db.execute(`UPDATE batches SET status = 'paused' WHERE batch_id = ?`, [batchId]);
  await db.execute('DELETE FROM pauses WHERE batch_id = ?', [batchId]);
  await db.execute(
    `INSERT INTO pauses (account, batch_id, reason, detail, paused_by, since)
     SELECT account, batch_id, ?, ?, 'tester', 0 FROM batches WHERE batch_id = ?`,
    [reason, detail, batchId],
  );
}

/** Row number `rowNo` as intake leaves a good row: 100 KES plus its number, to a number of its own. */
export function aRow(rowNo: number, fields: Partial<NewRow> = {}): NewRow {
  return {
    batch_id: 'batch-1',
    row_no: rowNo,
    line: rowNo + 1,
    row_ref: `ref-${rowNo}`,
    status: 'ready',
    phone_number: `+2547120${String(rowNo).padStart(5, '0')}`,
    country: 'KE',
    network_id: 1,
    amount: String(100 + rowNo),
    currency: 'KES',
    product_id: null,
    sms_message: null,
    problems: null,
    input: '[]',
    ...fields,
  };
}

/** The payment of this identity, bound by row 1 of `aBatch`, every attempt of which got its answer. */
export function aPayment(identity: PaymentIdentity, fields: Partial<PaymentRecord> = {}): PaymentRecord {
  return {
    idempotency_key: idempotencyKey(identity),
    account: identity.account,
    batch_id: 'batch-1',
    row_no: 1,
    generation: identity.generation,
    reference: paymentReference(identity),
    body: '{}',
    body_digest: sha256('{}'),
    attempts: 1,
    open_attempts: 0,
    first_intent_at: 0,
    last_intent_at: 0,
    lookups: 0,
    aged_lookups: 0,
    resends: 0,
    same_errors: 0,
    last_evidence: null,
    ...fields,
  };
}

/** Writes a batch and its rows. */
export function addBatch(
  db: Database,
  clock: Clock,
  batch: Omit<BatchRecord, 'audit_seq' | 'audit_head'>,
  rows: readonly NewRow[],
): Promise<void> {
  return inUnit(db, { clock, actor: 'intake' }, async (unit) => {
    await unit.addBatch(batch, {});
    await unit.addRows(batch.batch_id, rows);
  });
}

/** An approval of whatever the batch would do. */
export const unplanned = { balance: null, plan: null };

/** The ledger, where somebody else does something right before the next transaction. */
export function beforeTransaction(db: Database, act: () => Promise<unknown>): Database {
  let isDone = false;
  return {
    ...db,
    async transact(work) {
      if (!isDone) {
        isDone = true;
        await act();
      }
      return db.transact(work);
    },
  };
}
