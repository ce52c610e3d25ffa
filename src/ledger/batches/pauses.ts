import { type PauseReason, pauseReasons } from '../../core/state/batch-state.ts';
import type { Queryable } from '../drivers/database.ts';

/** Why nothing of a batch is sent, or of an account (`batch_id`: null). Times are epoch milliseconds. */
export interface PauseRecord {
  account: string;
  batch_id: string | null;
  reason: PauseReason;
  detail: string | null;
  paused_by: string;
  since: number;
  /** Null while the pause stands. */
  cleared_at: number | null;
  cleared_by: string | null;
}

/** What a transaction knows of who writes in it, and when: a `Unit` does. */
interface Write {
  readonly tx: Queryable;
  readonly at: number;
  readonly actor: string;
}

const open = 'SELECT * FROM pauses WHERE account = ? AND cleared_at IS NULL';

/** The pauses of a batch that stand: the one that must be dealt with first comes first, a person's last. */
export async function openPauses(
  db: Queryable,
  { account, batch_id }: { account: string; batch_id: string },
): Promise<PauseRecord[]> {
  return inOrder(await db.query<PauseRecord>(`${open} AND batch_id = ?`, [account, batch_id]));
}

/** The same of an account: its own and those of all its batches. */
export async function openPausesOfAccount(db: Queryable, account: string): Promise<PauseRecord[]> {
  return inOrder(await db.query<PauseRecord>(open, [account]));
}

function inOrder(pauses: PauseRecord[]): PauseRecord[] {
  return pauses.toSorted((a, b) => pauseReasons.indexOf(a.reason) - pauseReasons.indexOf(b.reason));
}

/** Why a person paused the batch, whatever else it is paused for; null where nobody did. */
export async function manualPause(db: Queryable, batch: { account: string; batch_id: string }): Promise<string | null> {
  const own = (await openPauses(db, batch)).find(({ reason }) => reason === 'by_person');
  return own === undefined ? null : (own.detail ?? '');
}

/** Why nothing is sent from the account before a person has looked; null where nothing speaks against it. */
export async function haltOf(db: Queryable, account: string): Promise<string | null> {
  const [halt] = await db.query<PauseRecord>(`${open} AND batch_id IS NULL`, [account]);
  return halt === undefined ? null : (halt.detail ?? '');
}

/** Halts the account until a person resumes a batch of it that is paused for that, even if no batch is open now. */
export function haltAccount(write: Write, account: string, why: string): Promise<void> {
  return addPause(write, { account, batch_id: null, reason: 'service_mismatch', detail: why });
}

/** A pause for the same reason that stands already has the new detail from now on. */
export async function addPause(
  { tx, at, actor }: Write,
  { account, batch_id, reason, detail }: Pick<PauseRecord, 'account' | 'batch_id' | 'reason' | 'detail'>,
): Promise<void> {
  const known = await tx.execute(
    `UPDATE pauses SET detail = ?
     WHERE account = ? AND COALESCE(batch_id, '') = ? AND reason = ? AND cleared_at IS NULL`,
    [detail, account, batch_id ?? '', reason],
  );
  if (known > 0) return;
  await tx.execute(
    'INSERT INTO pauses (account, batch_id, reason, detail, paused_by, since) VALUES (?, ?, ?, ?, ?, ?)',
    [account, batch_id, reason, detail, actor, at],
  );
}

/** Clears the pauses of a batch, or (`batch_id`: null) those of the account itself; `reason`: that one alone. */
export async function clearPauses(
  { tx, at, actor }: Write,
  { account, batch_id }: { account: string; batch_id: string | null },
  reason: PauseReason | null = null,
): Promise<void> {
  await tx.execute(
    `UPDATE pauses SET cleared_at = ?, cleared_by = ?
     WHERE account = ? AND COALESCE(batch_id, '') = ? AND cleared_at IS NULL AND COALESCE(?, reason) = reason`,
    [at, actor, account, batch_id ?? '', reason],
  );
}
