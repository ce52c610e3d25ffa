import { types } from 'pg';
import { assert } from '../../../core/basics/assert.ts';

const bigint = 20;
const numeric = 1700;

/**
 * Integers come as numbers, as from SQLite. A sum of `BIGINT` is `NUMERIC` in PostgreSQL; decimals are texts in the
 * ledger, so nothing else is.
 */
function readInteger(text: string): number {
  const value = Number(text);
  assert(Number.isSafeInteger(value), `an integer of the ledger is out of range: ${text}`);
  return value;
}

export const ledgerTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === bigint || oid === numeric
      ? readInteger
      : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
};
