import { statSync } from 'node:fs';
import { systemClock } from '../../core/time/clock.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { shownLedgerUrl } from '../../ledger/drivers/postgres/ledger-url.ts';
import { openSqlite } from '../../ledger/drivers/sqlite/sqlite.ts';
import { migrate, requireUtf8 } from '../../ledger/schema/schema.ts';
import type { LedgerPlace } from '../settings/ledger-place.ts';
import { isDeadProcess } from './process-holder.ts';

/** Opens the ledger in this file; creates it, or upgrades its schema, if needed. */
export function openLedger(path: string): Promise<Database> {
  return prepared(openSqlite(path));
}

/**
 * Opens the ledger; creates it, or upgrades its schema, if needed. Null if there is none and none may be created.
 * `holdsTurn`: its transactions may take as long as they need, so that every other writer waits.
 */
export async function openPlace(
  { ledger, ledgerUrl }: LedgerPlace,
  { onlyIfThere, holdsTurn = false }: { onlyIfThere: boolean; holdsTurn?: boolean },
): Promise<Database | null> {
  const db = await openAsItIs({ ledger, ledgerUrl }, { onlyIfThere, holdsTurn });
  return db && prepared(db, ledgerUrl);
}

/** The same, but the schema stays as it is. Only for work that fits every schema. */
export async function openAsItIs(
  { ledger, ledgerUrl }: LedgerPlace,
  { onlyIfThere, holdsTurn = false }: { onlyIfThere: boolean; holdsTurn?: boolean },
): Promise<Database | null> {
  if (ledgerUrl === null) return onlyIfThere && !isThere(ledger) ? null : openSqlite(ledger);
  const { openPostgres } = await import('../../ledger/drivers/postgres/postgres.ts');
  const db = openPostgres(ledgerUrl, holdsTurn ? { idleInTransactionMsMax: 0, transactionMsMax: 0 } : {});
  if (!onlyIfThere || !(await db.isEmpty().catch((error) => closeAfter(db, error)))) return db;
  await db.close();
  return null;
}

async function prepared(db: Database, ledgerUrl: string | null = null): Promise<Database> {
  try {
    if (ledgerUrl !== null && (await db.isEmpty())) await requireUtf8(db, shownLedgerUrl(ledgerUrl));
    await migrate(db, { now: systemClock.now(), isDead: isDeadProcess });
    return db;
  } catch (error) {
    return closeAfter(db, error);
  }
}

async function closeAfter(db: Database, error: unknown): Promise<never> {
  await db.close();
  throw error;
}

/** Whether there is a ledger, or may be one: if the folder cannot be entered, nobody can say that it has none. */
function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
