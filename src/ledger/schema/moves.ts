import { AirbatchError } from '../../core/basics/errors.ts';
import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';
import { migrations } from './migrations.ts';
import { laterVersion } from './schema.ts';

/**
 * A move of the whole ledger to another place, as one of its two ledgers has it. `left`: this ledger was moved, and
 * never works again. `arriving`: this is the copy, and does not work before the other one is known to be `left`.
 * `arrived`: the copy works.
 */
export interface Move {
  move_id: string;
  state: 'left' | 'arriving' | 'arrived';
  /** The place of the other ledger, without a password. */
  other_place: string;
  /** Epoch milliseconds. */
  moved_at: number;
}

/** A move that keeps a ledger from working. */
export type OpenMove = Move & { state: 'left' | 'arriving' };

/** The move that keeps this ledger from working; null if it works. */
export function findOpenMove(db: Queryable): Promise<OpenMove | null> {
  return readOne(db, "SELECT * FROM moves WHERE state <> 'arrived'");
}

/**
 * Fails with `LEDGER_MOVED` if this ledger was moved away, or is a copy that is not complete, and with `LEDGER_VERSION`
 * if a later version has changed it since it was opened. One statement, because every unit without a fence asks.
 */
export async function requireNotMoved(db: Queryable): Promise<void> {
  const sql = `SELECT 'later' AS state, '' AS other_place FROM migrations WHERE version > ?
     UNION ALL SELECT state, other_place FROM moves WHERE state <> 'arrived'`;
  type Reason = Pick<OpenMove, 'other_place'> & { state: OpenMove['state'] | 'later' };
  const reason = await readOne<Reason>(db, sql, [migrations.length]);
  if (reason === null) return;
  const { state, other_place } = reason;
  throw state === 'later' ? laterVersion() : moved({ state, other_place });
}

export function moved({ state, other_place }: Pick<OpenMove, 'state' | 'other_place'>): AirbatchError {
  if (state !== 'arriving') return new AirbatchError('LEDGER_MOVED', `this ledger was moved to ${other_place}`);
  return new AirbatchError('LEDGER_MOVED', `this ledger is a copy of ${other_place} that was not finished`, {
    hint: 'Nothing is sent from it. Run "airbatch ledger copy" again with the same places to finish the move.',
  });
}

export async function addMove(tx: Queryable, move: Move): Promise<void> {
  await insertRecord(tx, 'moves', move);
}

/** Lets the copy work where it is now. Returns false if it is not the copy of this move, or works already. */
export async function finishMove(tx: Queryable, moveId: string): Promise<boolean> {
  const finish = "UPDATE moves SET state = 'arrived' WHERE move_id = ? AND state = 'arriving'";
  if ((await tx.execute(finish, [moveId])) === 0) return false;
  await tx.execute('UPDATE ledger_state SET server_history = ledger_history()');
  return true;
}
