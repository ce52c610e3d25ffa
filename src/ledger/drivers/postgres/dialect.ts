import { noticesChannel } from './notices.ts';
import { identitySql } from './same-ledger.ts';

/** Texts already translated. SQL is constant text, so there are a few hundred. */
const translated = new Map<string, string>();

const serverNow = `CASE WHEN current_setting('airbatch.clock', true) = 'given' THEN CAST(? AS BIGINT)
  ELSE CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) END`;

/**
 * The ledger's SQL as PostgreSQL reads it. The texts are common to both databases but for this:
 *
 * - Parameters are `$1`, `$2`, … instead of `?`. No text of the ledger has a question mark in a string.
 * - SQLite needs a sign before a parameter to plan without its value (`= +?`), and `CROSS JOIN … ON` to keep the order
 *   of a join. PostgreSQL knows neither.
 * - `ledger_now(?)` is the clock of everybody who shares the ledger: the server's, in epoch ms. Tests with a clock of
 *   their own set `airbatch.clock` to `given`.
 * - `ledger_announce(notice)` sends a notice to the connections that listen, once the transaction is committed.
 * - `ledger_history()` is the identity of the ledger: see `identitySql`.
 * - Texts compare by their bytes, as in SQLite, whatever the database's own collation is.
 */
export function toPostgres(sql: string): string {
  const known = translated.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const common = sql
    .replaceAll('+?', '?')
    .replaceAll(/\bCROSS JOIN\b/g, 'JOIN')
    .replaceAll('ledger_now(?)', serverNow)
    .replaceAll('ledger_history()', identitySql)
    .replaceAll('ledger_announce(', `pg_notify('${noticesChannel}', `);
  const numbered = common.replaceAll('?', () => `$${++count}`);
  const text = /^\s*(CREATE TABLE|ALTER TABLE)\b/.test(numbered)
    ? numbered.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    : numbered;
  translated.set(sql, text);
  return text;
}
