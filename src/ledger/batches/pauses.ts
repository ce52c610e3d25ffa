import { type PauseReason, pauseReasons } from '../../core/state/batch-state.ts';
import type { Queryable } from '../drivers/database.ts';

/** Why a batch, or an account (`batch_id`: null), sends nothing. Times are epoch ms. */
export interface PauseRecord {
  account: string;
  batch_id: string | null;
  reason: PauseReason;
  detail: string | null;
  paused_by: string;
  since: number;
  /** Null while the pause is in force. */
  cleared_at: number | null;
  cleared_by: string | null;
}

/** The transaction, its time and who acts in it: a `Unit` has these. */
interface Write {
  readonly tx: Queryable;
  readonly at: number;
  readonly actor: string;
}

const open = 'SELECT * FROM pauses WHERE account = ? AND cleared_at IS NULL';

/** The pauses of a batch that are in force: first the one that must be handled first, a person's last. */
export async function openPauses(
  db: Queryable,
  { account, batch_id }: { account: string; batch_id: string },
): Promise<PauseRecord[]> {
  return inOrder(await db.query<PauseRecord>(`${open} AND batch_id = ?`, [account, batch_id]));
}

/** The pauses of an account that are in force: its own and those of all its batches. */
export async function openPausesOfAccount(db: Queryable, account: string): Promise<PauseRecord[]> {
  return inOrder(await db.query<PauseRecord>(open, [account]));
}

function inOrder(pauses: PauseRecord[]): PauseRecord[] {
  return pauses.toSorted((a, b) => pauseReasons.indexOf(a.reason) - pauseReasons.indexOf(b.reason));
}

/** Why a person paused the batch, also if it has other pauses; null if nobody did. */
export async function manualPause(db: Queryable, batch: { account: string; batch_id: string }): Promise<string | null> {
  const own = (await openPauses(db, batch)).find(({ reason }) => reason === 'by_person');
  return own === undefined ? null : (own.detail ?? '');
}

/**
 * Halts the account until a person resumes a batch of it that is paused for this reason, even if no batch is open now.
 */
export function haltAccount(write: Write, account: string, why: string): Promise<void> {
  return addPause(write, { account, batch_id: null, reason: 'service_mismatch', detail: why });
}

/** Adds a pause. If one for the same reason is in force, it gets the new detail instead. */
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

/** Clears the pauses of a batch, or (`batch_id`: null) of the account itself. `reason`: only that one. */
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
