import type { ErrorReason } from '../../core/basics/errors.ts';
import { type SlotPart, slotPart } from '../../core/basics/slot-result.ts';
import type { Queryable } from '../drivers/database.ts';
import { readColumn, readOne, readValue } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';
import { jobState } from '../schema/state-columns.ts';

/**
 * A slot is one due time of a job. `due`: to be run; `running`; `done`: its files are in the ledger; `skipped`: missed
 * while no program ran, and not made up for; `failed`: it brought nothing, for a reason that a person should know.
 */
export const slotStates = ['due', 'running', 'done', 'skipped', 'failed'] as const;
export type SlotState = (typeof slotStates)[number];

export interface SlotRecord {
  job: string;
  /** Epoch ms, like the other times. */
  due_at: number;
  state: SlotState;
  /** The process that runs it, by its name for leases. */
  holder: string | null;
  /** When the run expires unless the process renews it. */
  expires_at: number | null;
  started_at: number | null;
  ended_at: number | null;
  /** The result, or why there is none, in a sentence. */
  detail: string | null;
  /** The same by codes, as JSON of `ErrorReason[]`; null: of an earlier version, or there is no result. */
  reasons: string | null;
  /** For how long (ms) an open slot has been tried with only temporary trouble; null for never. */
  troubled_ms: number | null;
  /** The faults of a slot that has not ended, as JSON. */
  faults: string | null;
}

type Reasons = readonly ErrorReason[] | undefined;

function reasonsJson(reasons: Reasons): string | null {
  return reasons === undefined ? null : JSON.stringify(reasons);
}

/** Adds a slot. Returns false if the slot exists: each is decided once. A `skipped` slot has ended. */
export async function insertSlot(
  tx: Queryable,
  slot: Pick<SlotRecord, 'job' | 'due_at' | 'state' | 'detail'> & { ended_at?: number; reasons?: Reasons },
): Promise<boolean> {
  const record = { ...slot, ended_at: slot.ended_at ?? null, reasons: reasonsJson(slot.reasons) };
  return (await insertRecord(tx, 'slots', record, 'ON CONFLICT (job, due_at) DO NOTHING')) === 1;
}

/** The due times of a job's known slots, after one time and up to another (epoch ms). */
export async function knownDueTimes(
  db: Queryable,
  job: string,
  afterMs: number,
  untilMs: number,
): Promise<Set<number>> {
  const sql = 'SELECT due_at FROM slots WHERE job = ? AND due_at > ? AND due_at <= ?';
  return new Set(await readColumn<number>(db, sql, [job, afterMs, untilMs]));
}

/**
 * The slots of a job that are due or running, in order. A slot in the future is left out: it was created when the clock
 * was ahead. For the time see `holdTime`.
 */
export function openSlots(db: Queryable, job: string, now: number): Promise<SlotRecord[]> {
  return db.query(
    `SELECT * FROM slots WHERE state = 'running' AND job = ?
     UNION ALL SELECT * FROM slots WHERE state = 'due' AND job = ? AND due_at <= ledger_now(?) ORDER BY due_at`,
    [job, job, now],
  );
}

/** Deletes skipped slots in the future: they were missed when the clock was ahead, and their time is still to come. */
export function forgetFutureSkips(tx: Queryable, job: string, now: number): Promise<number> {
  return tx.execute(`DELETE FROM slots WHERE job = ? AND due_at > ? AND state = 'skipped'`, [job, now]);
}

export function findSlot(db: Queryable, job: string, dueAt: number): Promise<SlotRecord | null> {
  return readOne(db, 'SELECT * FROM slots WHERE job = ? AND due_at = ?', [job, dueAt]);
}

/** The slots of a job, the latest first. */
export function listSlots(db: Queryable, job: string, limit: number): Promise<SlotRecord[]> {
  return db.query('SELECT * FROM slots WHERE job = ? ORDER BY due_at DESC LIMIT ?', [job, limit]);
}

/**
 * Claims a slot until `expiresAt`: one that is due, or one whose process (`deadHolder`) has ended. Returns false if
 * another process has it, or if another slot of the job is running.
 */
export async function claimSlot(
  tx: Queryable,
  claim: { job: string; dueAt: number; holder: string; now: number; expiresAt: number; deadHolder: string | null },
): Promise<boolean> {
  const { job, dueAt, holder, now, expiresAt, deadHolder } = claim;
  const claimed = await tx.execute(
    `UPDATE slots SET state = 'running', holder = ?, expires_at = ?, started_at = COALESCE(started_at, ?)
     WHERE job = ? AND due_at = ? AND (state = 'due' OR (state = 'running' AND holder = ?))
       AND NOT EXISTS (SELECT 1 FROM slots AS other WHERE other.job = ? AND other.due_at <> ? AND other.state = 'running')`,
    [holder, expiresAt, now, job, dueAt, deadHolder ?? '', job, dueAt],
  );
  return claimed === 1;
}

/** Renews a running slot. Returns false if this process no longer has it. */
export async function renewSlot(
  tx: Queryable,
  { job, dueAt, holder, expiresAt }: { job: string; dueAt: number; holder: string; expiresAt: number },
): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE slots SET expires_at = ? WHERE job = ? AND due_at = ? AND state = 'running' AND holder = ?`,
    [expiresAt, job, dueAt, holder],
  );
  return changed === 1;
}

/**
 * Ends a slot, or returns it (`due`) to be run again. `troubledMs`: see `SlotRecord`. Returns false if this process
 * no longer has it.
 */
export async function endSlot(
  tx: Queryable,
  slot: {
    job: string;
    dueAt: number;
    holder: string;
    now: number;
    state: SlotState;
    detail: string | null;
    reasons?: Reasons;
    troubledMs?: number | undefined;
  },
): Promise<boolean> {
  const { job, dueAt, holder, now, state, detail, reasons, troubledMs } = slot;
  const ended = await tx.execute(
    `UPDATE slots SET state = ?, detail = ?, reasons = ?, ended_at = ?, troubled_ms = ?,
       faults = CASE WHEN ? = 'due' THEN faults ELSE NULL END
     WHERE job = ? AND due_at = ? AND state = 'running' AND holder = ?`,
    [state, detail, reasonsJson(reasons), state === 'due' ? null : now, troubledMs ?? null, state, job, dueAt, holder],
  );
  return ended === 1;
}

/** The faults of a slot that has not ended. The slot fails with them in the end. */
export async function slotFaults(db: Queryable, job: string, dueAt: number): Promise<SlotPart[]> {
  // Earlier versions stored the sentences only.
  const stored = JSON.parse((await findSlot(db, job, dueAt))?.faults ?? '[]') as (SlotPart | string)[];
  return stored.map((one) => (typeof one === 'string' ? slotPart('SLOT_TROUBLE', { code: '', error: one }, one) : one));
}

export async function noteSlotFault(
  tx: Queryable,
  { job, dueAt, fault }: { job: string; dueAt: number; fault: SlotPart },
): Promise<void> {
  const before = await slotFaults(tx, job, dueAt);
  const faults = before.some(({ text }) => text === fault.text) ? before : [...before, fault];
  await tx.execute('UPDATE slots SET faults = ? WHERE job = ? AND due_at = ?', [JSON.stringify(faults), job, dueAt]);
}

/** The latest due time of a job's slots in a state (epoch ms); null if there is none. */
export function lastSlotIn(db: Queryable, job: string, state: SlotState): Promise<number | null> {
  return readValue(db, 'SELECT MAX(due_at) FROM slots WHERE state = ? AND job = ?', [state, job]);
}

/** Makes a failed or skipped slot due again, for a person. */
export async function reopenSlot(tx: Queryable, job: string, dueAt: number): Promise<void> {
  await tx.execute(
    `UPDATE slots SET state = 'due', ended_at = NULL WHERE job = ? AND due_at = ? AND state IN ('failed', 'skipped')`,
    [job, dueAt],
  );
}

/** Marks a slot that was done as failed: it brought less than it had to. */
export async function failSlot(
  tx: Queryable,
  slot: { job: string; dueAt: number; detail: string; reasons?: Reasons; now: number },
): Promise<void> {
  const { job, dueAt, detail, reasons, now } = slot;
  await tx.execute(
    `UPDATE slots SET state = 'failed', detail = ?, reasons = ?, ended_at = ?
     WHERE job = ? AND due_at = ? AND state = 'done'`,
    [detail, reasonsJson(reasons), now, job, dueAt],
  );
}

/**
 * The jobs that have slots. Each is found from the one before it, because a job that runs every minute has many slots,
 * and this query reads none of them.
 */
export async function jobsWithSlots(db: Queryable): Promise<string[]> {
  const jobs: string[] = [];
  for (;;) {
    const next = await readValue<string>(db, 'SELECT MIN(job) FROM slots WHERE job > ?', [jobs.at(-1) ?? '']);
    if (next === null) return jobs;
    jobs.push(next);
  }
}

/**
 * The due time of the latest slot that can be deleted: it was run and ended before a time (epoch ms), it is not the
 * last one (which is shown), and no file before it waits for archiving (its slot may still fail). A slot that a person
 * ran before its due time does not count, because slots before it are still to come. Null if there is none.
 */
export function lastSlotOver(db: Queryable, job: string, before: number): Promise<number | null> {
  const sql = `SELECT due_at FROM slots WHERE job = ? AND state IN ('done', 'failed') AND due_at < ? AND ended_at < ? AND due_at <= ended_at
       AND due_at < (SELECT MAX(due_at) FROM slots WHERE job = ?)
       AND due_at < COALESCE((SELECT MIN(due_at) FROM job_files WHERE job = ? AND filed_at IS NULL), ?)
     ORDER BY due_at DESC LIMIT 1`;
  return readValue(db, sql, [job, before, before, job, job, before]);
}

/**
 * Deletes some slots of a job up to `until`: those that ended before the time, and skipped ones. They stay decided
 * (`droppedUntil`). Returns how many.
 */
export async function dropSlots(
  tx: Queryable,
  { job, until, before }: { job: string; until: number; before: number },
  limit: number,
): Promise<number> {
  await jobState.slotsDroppedUntil.write(tx, job, Math.max(until, await droppedUntil(tx, job)));
  return tx.execute(
    `DELETE FROM slots WHERE job = ? AND due_at IN (
       SELECT due_at FROM slots WHERE job = ? AND due_at <= ?
         AND (state = 'skipped' OR (state IN ('done', 'failed') AND ended_at < ?)) ORDER BY due_at LIMIT ?)`,
    [job, job, until, before, limit],
  );
}

/**
 * The due time (epoch ms) up to which a job's slots may have been deleted. Slots up to then are decided even if they
 * are missing.
 */
export async function droppedUntil(db: Queryable, job: string): Promise<number> {
  return (await jobState.slotsDroppedUntil.read(db, job)) ?? Number.NEGATIVE_INFINITY;
}

/**
 * When due slots of a job were last looked for (epoch ms), or the time up to which its slots were deleted since then;
 * null for a new job.
 */
export async function lookedAt(db: Queryable, job: string): Promise<number | null> {
  const looked = await jobState.lookedAt.read(db, job);
  return looked === null ? null : Math.max(looked, await droppedUntil(db, job));
}
