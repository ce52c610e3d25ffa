import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { openSqlite } from '../../src/ledger/drivers/sqlite/sqlite.ts';
import { isOnPostgres, makeLedgerFile, openForTests } from './ledger.ts';

/** Where the commands look for the ledger of a working directory, if nothing names another place. */
function fileIn(folder: string): string {
  return join(folder, '.airbatch/ledger.db');
}

/** The databases on PostgreSQL, by working directory. */
const urls = new Map<string, string>();

async function urlOf(folder: string): Promise<string> {
  const known = urls.get(folder);
  if (known !== undefined) return known;
  const { migratedPostgres } = await import('./postgres.ts');
  const url = await migratedPostgres('server');
  urls.set(folder, url);
  return url;
}

/** Makes an empty ledger for the commands that run in a working directory. */
export async function makeLedgerIn(folder: string): Promise<void> {
  if (isOnPostgres) return void (await urlOf(folder));
  mkdirSync(dirname(fileIn(folder)), { recursive: true, mode: 0o700 });
  if (!existsSync(fileIn(folder))) await makeLedgerFile(fileIn(folder));
}

interface Command {
  cwd: string;
  env?: Record<string, string> | undefined;
}

/** Whether a command uses the ledger of its working directory on PostgreSQL. A sandbox has none. */
function usesDatabase(args: readonly string[], { env = {} }: Command): boolean {
  if (!isOnPostgres || args[0] === 'sandbox') return false;
  return !args.includes('--ledger') && env.AIRBATCH_LEDGER_URL === undefined;
}

/**
 * The environment that names the ledger to a command: nothing for a file, which the command finds or makes in its
 * working directory; on PostgreSQL, a database of the directory's own.
 */
export async function ledgerEnv(args: readonly string[], command: Command): Promise<Record<string, string>> {
  return usesDatabase(args, command) ? { AIRBATCH_LEDGER_URL: await urlOf(command.cwd) } : {};
}

/** The same, for those who cannot wait: the ledger must have been made. */
export function madeLedgerEnv(args: readonly string[], command: Command): Record<string, string> {
  if (!usesDatabase(args, command)) return {};
  const url = urls.get(command.cwd);
  if (url === undefined) throw new Error('call makeLedgerIn first: else this command would use a file');
  return { AIRBATCH_LEDGER_URL: url };
}

/** The environment of a working directory in which no ledger was made: on PostgreSQL, it names an empty database. */
export async function noLedgerEnv(): Promise<Record<string, string>> {
  if (!isOnPostgres) return {};
  const { emptyPostgres } = await import('./postgres.ts');
  return { AIRBATCH_LEDGER_URL: await emptyPostgres() };
}

/** Opens the ledger of a working directory. */
export async function openLedgerIn(folder: string): Promise<Database> {
  return isOnPostgres ? openForTests(await urlOf(folder)) : openSqlite(fileIn(folder));
}

/** Runs statements on the ledger of a working directory, as nobody but a test does. */
export async function changeLedgerIn(folder: string, ...statements: readonly string[]): Promise<void> {
  const db = await openLedgerIn(folder);
  for (const statement of statements) await db.execute(statement);
  await db.close();
}

/**
 * Every byte in which the ledger of a working directory keeps its tables, as text: its files, or on PostgreSQL the files
 * of its tables and indexes and of what the server has counted in them. The log of PostgreSQL's server is not part of it.
 */
export async function ledgerBytesIn(folder: string): Promise<string> {
  if (!isOnPostgres) {
    const files = ['', '-wal', '-shm'].map((end) => fileIn(folder) + end).filter((file) => existsSync(file));
    return files.map((file) => readFileSync(file, 'latin1')).join('');
  }
  const { Client } = await import('pg');
  const client = new Client({ connectionString: await urlOf(folder) });
  await client.connect();
  await client.query('CHECKPOINT');
  const { rows } = await client.query<{ content: Buffer }>(
    `SELECT pg_read_binary_file(pg_relation_filepath(oid)) AS content FROM pg_class
     WHERE relkind IN ('r', 'i', 't') AND relisshared = false
       AND (relnamespace IN ('public'::regnamespace, 'pg_toast'::regnamespace) OR relname LIKE 'pg_statistic%')`,
  );
  await client.end();
  return rows.map(({ content }) => content.toString('latin1')).join('');
}
