import type { Queryable } from './database.ts';

/**
 * A slot is one due time of a job. `due`: to be run; `running`; `done`: what it had to bring is in the ledger; `skipped`: missed
 * while nothing ran, and not caught up with; `failed`: it brought nothing, for a reason that a person should know.
 */
export type SlotState = 'due' | 'running' | 'done' | 'skipped' | 'failed';

export interface SlotRecord {
  job: string;
  /** Epoch milliseconds, as the others. */
  due_at: number;
  state: SlotState;
  /** The process that runs it, as it names itself for leases. */
  holder: string | null;
  started_at: number | null;
  ended_at: number | null;
  /** What came of it, or why not, in a sentence. */
  detail: string | null;
}

/** False where the slot is there already: it is decided once. */
export async function insertSlot(
  tx: Queryable,
  slot: Pick<SlotRecord, 'job' | 'due_at' | 'state' | 'detail'>,
): Promise<boolean> {
  const inserted = await tx.execute(
    'INSERT INTO slots (job, due_at, state, detail) VALUES (?, ?, ?, ?) ON CONFLICT (job, due_at) DO NOTHING',
    [slot.job, slot.due_at, slot.state, slot.detail],
  );
  return inserted === 1;
}

/** The due time of the last slot of a job that is known, or null. */
export async function lastDueAt(db: Queryable, job: string): Promise<number | null> {
  const [last] = await db.query<{ at: number | null }>('SELECT MAX(due_at) AS at FROM slots WHERE job = ?', [job]);
  return last?.at ?? null;
}

/** The slots of a job that are still to be run, or are being run; in their order. */
export function openSlots(db: Queryable, job: string): Promise<SlotRecord[]> {
  return db.query(`SELECT * FROM slots WHERE job = ? AND state IN ('due', 'running') ORDER BY due_at`, [job]);
}

/** The slots of a job, the latest first. */
export function listSlots(db: Queryable, job: string, limit: number): Promise<SlotRecord[]> {
  return db.query('SELECT * FROM slots WHERE job = ? ORDER BY due_at DESC LIMIT ?', [job, limit]);
}

/**
 * Takes a slot to run it: one that is due, or that a process left running which has ended (`deadHolder`). Never while another
 * slot of the job is running. False where somebody else has it.
 */
export async function claimSlot(
  tx: Queryable,
  claim: { job: string; dueAt: number; holder: string; now: number; deadHolder: string | null },
): Promise<boolean> {
  const { job, dueAt, holder, now, deadHolder } = claim;
  const claimed = await tx.execute(
    `UPDATE slots SET state = 'running', holder = ?, started_at = COALESCE(started_at, ?)
     WHERE job = ? AND due_at = ? AND (state = 'due' OR (state = 'running' AND holder = ?))
       AND NOT EXISTS (SELECT 1 FROM slots AS other WHERE other.job = ? AND other.due_at <> ? AND other.state = 'running')`,
    [holder, now, job, dueAt, deadHolder ?? '', job, dueAt],
  );
  return claimed === 1;
}

/** Ends a slot, or gives it back (`due`) to be run again. False where this process no longer has it. */
export async function endSlot(
  tx: Queryable,
  slot: { job: string; dueAt: number; holder: string; now: number; state: SlotState; detail: string | null },
): Promise<boolean> {
  const { job, dueAt, holder, now, state, detail } = slot;
  const ended = await tx.execute(
    `UPDATE slots SET state = ?, detail = ?, ended_at = ? WHERE job = ? AND due_at = ? AND state = 'running' AND holder = ?`,
    [state, detail, state === 'due' ? null : now, job, dueAt, holder],
  );
  return ended === 1;
}

/** How many slots are in each state, for all jobs. */
export function countSlots(db: Queryable): Promise<{ job: string; state: SlotState; count: number }[]> {
  return db.query('SELECT job, state, COUNT(*) AS count FROM slots GROUP BY job, state ORDER BY job, state');
}

/** A slot that has failed, or was skipped, is to be run after all: a person says so. */
export async function reopenSlot(tx: Queryable, job: string, dueAt: number): Promise<void> {
  await tx.execute(
    `UPDATE slots SET state = 'due', ended_at = NULL WHERE job = ? AND due_at = ? AND state IN ('failed', 'skipped')`,
    [job, dueAt],
  );
}
