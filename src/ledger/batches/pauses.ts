import type { ErrorReason } from '../../core/basics/errors.ts';
import { type PauseReason, pauseReasons } from '../../core/state/batch-state.ts';
import type { Why } from '../../core/state/pause-texts.ts';
import type { Queryable } from '../drivers/database.ts';
import { insertRecord } from '../drivers/write.ts';

/** Why a batch, or an account (`batch_id`: null), sends nothing. Times are epoch ms. */
export interface PauseRecord {
  account: string;
  batch_id: string | null;
  reason: PauseReason;
  detail: string | null;
  /** The same as JSON, for texts in other languages; null: a person or an earlier version has written the detail. */
  detail_reason: string | null;
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
export function haltAccount(write: Write, account: string, why: Why): Promise<void> {
  return addPause(write, { account, batch_id: null, reason: 'service_mismatch', why });
}

/** Adds a pause. If one for the same reason is in force, it gets the new detail instead. */
export async function addPause(
  { tx, at, actor }: Write,
  { account, batch_id, reason, why }: Pick<PauseRecord, 'account' | 'batch_id' | 'reason'> & { why: Why },
): Promise<void> {
  const texts = { detail: why.text, detail_reason: storedReason(why) };
  const known = await tx.execute(
    `UPDATE pauses SET detail = ?, detail_reason = ?
     WHERE account = ? AND COALESCE(batch_id, '') = ? AND reason = ? AND cleared_at IS NULL`,
    [texts.detail, texts.detail_reason, account, batch_id ?? '', reason],
  );
  if (known > 0) return;
  await insertRecord(tx, 'pauses', { account, batch_id, reason, ...texts, paused_by: actor, since: at });
}

/** As the ledger and the audit log have it. */
export function storedReason({ reason }: Why): string | null {
  return reason === null ? null : JSON.stringify(reason);
}

export function whyOf({ detail, detail_reason }: Pick<PauseRecord, 'detail' | 'detail_reason'>): Why {
  return { text: detail ?? '', reason: detail_reason === null ? null : (JSON.parse(detail_reason) as ErrorReason) };
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
