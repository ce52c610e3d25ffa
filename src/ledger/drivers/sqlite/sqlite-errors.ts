import { AirbatchError, type ErrorCode, errorMessage } from '../../../core/basics/errors.ts';

/** SQLite's primary result codes, and what they mean for a ledger. */
const codes: Record<number, ErrorCode> = {
  5: 'LEDGER_BUSY',
  6: 'LEDGER_BUSY',
  8: 'LEDGER_IO',
  10: 'LEDGER_IO',
  11: 'LEDGER_DAMAGED',
  13: 'LEDGER_FULL',
  14: 'LEDGER_IO',
  26: 'LEDGER_DAMAGED',
};

/**
 * Extended codes with their own meaning: `SQLITE_IOERR_SHMSIZE` means no room for the memory that connections share.
 */
const extendedCodes: Record<number, ErrorCode> = { 4874: 'LEDGER_FULL' };

/** Codes of an existing ledger that this person may not open or write. */
const shutCodes: ReadonlySet<number> = new Set([8, 14]);

export function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asLedgerError(path, error);
  }
}

/**
 * Turns an error of SQLite or the file system into an error of the ledger, or of another database in its folder
 * (`what`); other errors stay unchanged.
 */
export function asLedgerError(path: string, error: unknown, what = 'the ledger'): unknown {
  const { errcode: resultCode, syscall, code: syscallCode } = error as { errcode?: number } & NodeJS.ErrnoException;
  const ofSqlite = resultCode === undefined ? undefined : (extendedCodes[resultCode] ?? codes[resultCode & 0xff]);
  const code = ofSqlite ?? (syscall === undefined ? undefined : 'LEDGER_IO');
  if (!code) return error;
  const isShut = ofSqlite === undefined ? syscallCode === 'EACCES' : shutCodes.has((resultCode ?? 0) & 0xff);
  return new AirbatchError(code, `${what} ${path}: ${errorMessage(error)}`, {
    cause: error,
    ...(isShut ? { hint: 'Check that you may read and write the ledger and its folder: ask its owner.' } : {}),
  });
}
