import { AirbatchError } from '../../core/basics/errors.ts';
import { processName } from '../../core/basics/processes.ts';
import type { Database, Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';
import { presentHolders } from './lease-table.ts';
import { migrations } from './migrations.ts';

/**
 * Brings the database to the newest schema, with one transaction for each migration; a new ledger, with one for all,
 * which takes half of the time. Fails with `LEDGER_VERSION` if a later version wrote the ledger. Fails with
 * `LEDGER_BUSY` if a program of an earlier version is using it, because that program would continue with its own rules.
 * `others`: how to tell whether the process that something in the ledger names is running; null: none is.
 */
export async function migrate(database: Database, others: Others | null = null): Promise<void> {
  const isNew = await database.isEmpty();
  if (isNew) await database.execute('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY)');
  const known = await database.query<{ version: number }>('SELECT version FROM migrations');
  const done = new Set(known.map(({ version }) => version));
  const missing = migrations.map((_, index) => index + 1).filter((version) => !done.has(version));
  for (const versions of isNew ? [missing] : missing.map((version) => [version]))
    await database.transact(async (tx) => {
      for (const version of versions) await migrateTo(tx, version, others);
    });
  await requireOwnVersion(database);
}

async function migrateTo(tx: Queryable, version: number, others: Others | null): Promise<void> {
  // Another program may be about to do the same.
  const meanwhile = await tx.query('SELECT version FROM migrations WHERE version = ?', [version]);
  if (meanwhile.length > 0) return;
  if (version > 1) await requireNobody(tx, version - 1, others);
  for (const statement of migrations[version - 1] ?? []) await tx.execute(statement);
  await tx.execute('INSERT INTO migrations (version) VALUES (?)', [version]);
}

/** The present time (epoch ms), and whether a process that works on the ledger has certainly ended. */
interface Others {
  now: number;
  isDead: (holder: string) => boolean;
}

async function requireNobody(tx: Queryable, schema: number, others: Others | null): Promise<void> {
  if (others === null) return;
  const holder = (await presentHolders(tx, others.now, schema)).find((one) => !others.isDead(one));
  if (holder === undefined) return;
  const program = `an earlier version of airbatch (${processName(holder)})`;
  throw new AirbatchError('LEDGER_BUSY', `${program} works on the ledger, which this one would change`, {
    hint: 'Stop it, then try again. If it was killed on another machine, wait until its time has expired: 10 minutes if it ran a job, an hour if it read a file.',
  });
}

/** The version of the ledger's schema, and the newest one that this program knows. */
export async function schemaVersions(db: Queryable): Promise<{ schema: number; newest: number }> {
  const [found] = await db.query<{ schema: number }>('SELECT COALESCE(MAX(version), 0) AS schema FROM migrations');
  return { schema: found?.schema ?? 0, newest: migrations.length };
}

/** Fails with `LEDGER_VERSION` if a later version has changed the ledger, perhaps since it was opened. */
async function requireOwnVersion(db: Queryable): Promise<void> {
  const newer = await db.query('SELECT version FROM migrations WHERE version > ?', [migrations.length]);
  if (newer.length > 0) throw laterVersion();
}

export function laterVersion(): AirbatchError {
  return new AirbatchError('LEDGER_VERSION', 'this ledger was written by a later version of airbatch');
}

/**
 * Fails with `CONFIG_INVALID` if a database on PostgreSQL cannot store every text, or counts its bytes: a ledger must
 * not begin there.
 */
export async function requireUtf8(db: Queryable, place: string): Promise<void> {
  const encoding = await readValue<string>(db, "SELECT current_setting('server_encoding')");
  if (encoding === 'UTF8') return;
  throw new AirbatchError(
    'CONFIG_INVALID',
    `the database ${place} has the encoding ${encoding}, and a ledger needs UTF8`,
    {
      hint: "Make another database, such as with CREATE DATABASE airbatch TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C', and name that one in the URL.",
    },
  );
}
