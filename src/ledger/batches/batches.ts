import type { BatchState } from '../../core/state/batch-state.ts';
import type { Queryable, SqlValue } from '../drivers/database.ts';
import { readColumn, readOne } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';

export const priorities = ['urgent', 'normal', 'bulk'] as const;
export type Priority = (typeof priorities)[number];

/** The `service` of a batch that was sent to the sandbox inside the program, where no money moves. */
export const embeddedSandboxService = 'embedded sandbox';

/** Options of the command line by name. An option that was given several times has a list. */
export type ReadWith = Readonly<Record<string, string | readonly string[]>>;

/** What is known of a batch when its file is taken, and never changes. Times are epoch milliseconds. */
interface BatchOrigin {
  batch_id: string;
  account: string;
  run_id: string;
  file_name: string;
  file_sha256: string | null;
  /** JSON `BatchPolicy` (core/state/batch-policy.ts): what may happen without a person. */
  policy: string;
  /** The job that created it; null if a person did. */
  job: string | null;
  /**
   * JSON `ReadWith`: the options of `airbatch run` with which a corrected file is read in the same way; null if
   * unknown.
   */
  read_with: string | null;
  program: string;
  created_by: string;
  /** The IANA time zone of the program or job that brought the file; null if unknown. */
  time_zone: string | null;
  created_at: number;
}

/** The facts of a batch that a change of state may set. Times are epoch milliseconds. */
interface BatchFacts {
  /**
   * The service that pays: its name (core/identity/service-name.ts), or `embeddedSandboxService`. Nobody works on the
   * batch at another service.
   */
  service: string;
  priority: Priority;
  /** The time by which all rows must have ended; null if there is no deadline. */
  finish_by: number | null;
  /** Since when it goes before others to meet its deadline (engine/forecast/sending-order.ts); null if it does not. */
  boosted_at: number | null;
  /** SHA-256 of the validated rows, whatever the file format was. An approval is bound to it. */
  content_sha256: string | null;
  /** JSON array of the file's column names, in file order. */
  columns: string;
  /** Why a person rejected or withdrew it (`cancelled`), or why its file could not be read (`rejected`). */
  rejection: string | null;
  /** Why its file could not be read, as JSON of `ErrorReason`; null: it was read, or by an earlier version. */
  rejection_reason: string | null;
  /** Who rejected it; null if nobody did, or if an earlier version of the program did not record it. */
  rejected_by: string | null;
  /** Who withdrew it: its submitter; null if nobody did. */
  withdrawn_by: string | null;
  /** JSON `Balance` (gateway/contract/gateway.ts), as read before the first row and after the last. */
  balance_before: string | null;
  balance_after: string | null;
  approved_by: string | null;
  approved_at: number | null;
  /** JSON `ApprovedPlan` (engine/plan/approval.ts); null before the approval. */
  approved_plan: string | null;
  /** How many different people must approve it; 0 if nobody was asked (ledger/batches/approvals.ts). */
  approvals_needed: number;
  /**
   * When the first rows, which are sent alone, were judged; null if they were not judged yet, or if the policy sends no
   * rows alone.
   */
  canary_at: number | null;
  started_at: number | null;
  completed_at: number | null;
  /** Its rows that ended up to this time were read again. */
  reread_at: number | null;
  /** When personal data was erased from its rows. */
  forgotten_at: number | null;
}
export type BatchFields = Partial<BatchFacts>;

/** One intake of one file for one account. */
export interface BatchRecord extends BatchOrigin, BatchFacts {
  status: BatchState;
  audit_seq: number;
  audit_head: string;
}

/** A batch at its creation: nobody has decided about it, or was asked to approve it. */
export type NewBatch = Omit<
  BatchRecord,
  'rejected_by' | 'withdrawn_by' | 'rejection_reason' | 'approvals_needed' | 'time_zone'
> & { time_zone?: string | null };

export async function insertBatch(tx: Queryable, batch: NewBatch): Promise<void> {
  await insertRecord(tx, 'batches', { ...batch, time_zone: batch.time_zone ?? null });
}

/** The batch; null if the ledger has none with this id. */
export function findBatch(db: Queryable, batchId: string): Promise<BatchRecord | null> {
  return readOne(db, 'SELECT * FROM batches WHERE batch_id = ?', [batchId]);
}

/** All batches, the newest first. */
export function listBatches(db: Queryable, limit: number): Promise<BatchRecord[]> {
  return db.query('SELECT * FROM batches ORDER BY created_at DESC, batch_id DESC LIMIT ?', [limit]);
}

/** A page of all batches in the order of their ids, after `afterBatchId` ('' for the first). */
export function pageBatches(db: Queryable, afterBatchId: string, limit: number): Promise<BatchRecord[]> {
  return db.query('SELECT * FROM batches WHERE batch_id > ? ORDER BY batch_id LIMIT ?', [afterBatchId, limit]);
}

/** The account's batches that have work left, or may have. */
export function openBatches(db: Queryable, account: string): Promise<BatchRecord[]> {
  return db.query(
    `SELECT * FROM batches WHERE account = ? AND status IN ('approved', 'running', 'paused') ORDER BY created_at, batch_id`,
    [account],
  );
}

/** The batches of a run, summed up: an inbox with thousands of files has as many batches under one run id. */
export interface RunSoFar {
  batches: number;
  /** When the first of them was created (epoch ms); null if there is none. */
  firstAt: number | null;
  /** Whether any of them has started: its rows may already be paid. */
  hasBegun: boolean;
}

export async function runSoFar(db: Queryable, account: string, runId: string): Promise<RunSoFar> {
  const [run] = await db.query<{ batches: number; first_at: number | null; begun_at: number | null }>(
    `SELECT COUNT(*) AS batches, MIN(created_at) AS first_at, MIN(started_at) AS begun_at FROM batches
     WHERE account = ? AND run_id = ?`,
    [account, runId],
  );
  return { batches: run?.batches ?? 0, firstAt: run?.first_at ?? null, hasBegun: (run?.begun_at ?? null) !== null };
}

/** Batches of all accounts under one run id, the newest first. */
export function batchesOfRun(db: Queryable, runId: string, limit: number): Promise<BatchRecord[]> {
  return db.query('SELECT * FROM batches WHERE run_id = ? ORDER BY created_at DESC, batch_id DESC LIMIT ?', [
    runId,
    limit,
  ]);
}

/** Batches of all accounts and run ids with the same validated rows; the newest first. */
export function batchesWithContent(db: Queryable, contentSha256: string): Promise<BatchRecord[]> {
  return db.query('SELECT * FROM batches WHERE content_sha256 = ? ORDER BY created_at DESC, batch_id DESC', [
    contentSha256,
  ]);
}

/**
 * Writes a batch's state and the given fields. Returns true if the batch was still in the state that the caller read;
 * otherwise nothing changes. Only the given fields are named, because other writers may have changed the rest since.
 */
export async function updateBatch(
  tx: Queryable,
  { batch_id, status: from }: Pick<BatchRecord, 'batch_id' | 'status'>,
  status: BatchState,
  fields: BatchFields,
): Promise<boolean> {
  const assignments = ['status = ?'];
  const params: SqlValue[] = [status];
  for (const [column, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    assignments.push(`${column} = ?`);
    params.push(value);
  }
  const sql = `UPDATE batches SET ${assignments.join(', ')} WHERE batch_id = ? AND status = ?`;
  return (await tx.execute(sql, [...params, batch_id, from])) === 1;
}

/**
 * The distinct policies of batches that were created since a time (epoch ms) or have not ended, for one account or all
 * (null).
 */
export function policiesSince(db: Queryable, account: string | null, since: number): Promise<string[]> {
  const sql = `SELECT DISTINCT policy FROM batches WHERE (account = ? OR ? = '')
       AND (created_at >= ? OR status NOT IN ('completed', 'cancelled', 'rejected'))`;
  return readColumn(db, sql, [account ?? '', account ?? '', since]);
}

/** The batches of all accounts that have work left, or may have; the oldest first. */
export function unfinishedBatches(db: Queryable): Promise<BatchRecord[]> {
  return db.query(
    `SELECT * FROM batches WHERE status IN ('approved', 'running', 'paused') ORDER BY created_at, batch_id`,
  );
}

/** The latest batch of any service other than this one; null if there is none. */
export function latestBatchAtOtherService(db: Queryable, service: string): Promise<BatchRecord | null> {
  const sql = 'SELECT * FROM batches WHERE service <> ? ORDER BY created_at DESC, batch_id DESC LIMIT 1';
  return readOne(db, sql, [service]);
}

/** The ids of the batches of all accounts that have ended since a time (epoch ms); the oldest first. */
export function completedSince(
  db: Queryable,
  since: number,
): Promise<(Pick<BatchRecord, 'batch_id' | 'account' | 'audit_seq'> & { completed_at: number })[]> {
  return db.query(
    `SELECT batch_id, account, audit_seq, completed_at FROM batches WHERE status = 'completed' AND completed_at >= ?
     ORDER BY completed_at, batch_id`,
    [since],
  );
}

/**
 * Batches of the account with rows to read again, those that have waited longest first: rows that ended before
 * `endedBefore` (epoch ms) and since the last reading. A reading is about `spanMs`, or up to the end of the batch.
 */
export function batchesToReread(
  db: Queryable,
  account: string,
  { endedBefore, spanMs }: { endedBefore: number; spanMs: number },
): Promise<BatchRecord[]> {
  const spanEnd = 'COALESCE(reread_at, started_at) + ?';
  return db.query(
    `SELECT * FROM batches WHERE account = ? AND status IN ('running', 'paused', 'completed') AND started_at IS NOT NULL
       AND (completed_at IS NULL OR reread_at IS NULL OR reread_at < completed_at)
       AND CASE WHEN completed_at <= ${spanEnd} THEN completed_at ELSE ${spanEnd} END <= ?
     ORDER BY COALESCE(reread_at, started_at) LIMIT 10`,
    [account, spanMs, spanMs, endedBefore],
  );
}
