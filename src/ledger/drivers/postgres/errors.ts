import { AirbatchError, type ErrorCode, errorMessage } from '../../../core/basics/errors.ts';

/** What an SQLSTATE, or a class of them (its first two characters), means for a ledger. */
const codes: Readonly<Record<string, ErrorCode>> = {
  // A migration changed a table whose columns a prepared statement returns: another connection prepares it again.
  '0A000': 'LEDGER_IO',
  '08': 'LEDGER_IO',
  // The state of the transaction: a statement of it has failed before; the machine was silent for too long, so that the
  // server has ended it; or it is at a standby, or at a primary that has become one.
  '25': 'LEDGER_IO',
  '26000': 'LEDGER_IO',
  '28': 'LEDGER_IO',
  '3D000': 'LEDGER_IO',
  '42P05': 'LEDGER_IO',
  '53': 'LEDGER_IO',
  '53100': 'LEDGER_FULL',
  '55P03': 'LEDGER_BUSY',
  '40001': 'LEDGER_BUSY',
  '40P01': 'LEDGER_BUSY',
  '57': 'LEDGER_IO',
  '57014': 'LEDGER_BUSY',
  '58': 'LEDGER_IO',
  XX001: 'LEDGER_DAMAGED',
  XX002: 'LEDGER_DAMAGED',
};

const hint =
  'Check that the database runs, and that its address, user and password are right. Nothing is sent without it.';

/** The server has no connection left. */
const tooMany = '53300';
const tooManyHint =
  'The database serves as many connections as it may. Raise its max_connections, or close what else uses it: a program of airbatch needs up to 11, and a worker 2 more to place accounts. Nothing is sent meanwhile.';

/** A prepared statement is not there, or is there already: the connection is not the one that it was prepared on. */
const pooled = ['26000', '42P05'];
const poolerHint =
  'The database is behind a pooler that does not keep prepared statements in transaction mode. PgBouncer does from 1.21 on, with max_prepared_statements above zero. Update it, or connect without it. Nothing is sent meanwhile.';

function hintFor(state = ''): string {
  if (state === tooMany) return tooManyHint;
  return pooled.includes(state) ? poolerHint : hint;
}

/**
 * Turns an error of PostgreSQL or of its connection into an error of the ledger; other errors stay unchanged, unless
 * the connection could not even be made (`isConnecting`): a certificate may have expired.
 */
export function asLedgerError(name: string, error: unknown, isConnecting = false): unknown {
  if (error instanceof AirbatchError) return error;
  const { code: state } = error as { code?: string };
  const code = codes[state ?? ''] ?? codes[(state ?? '').slice(0, 2)];
  if (code === undefined && !isConnecting && !isConnectionLost(error)) return error;
  return new AirbatchError(code ?? 'LEDGER_IO', `the ledger ${name}: ${errorMessage(error)}`, {
    cause: error,
    ...(code === undefined || code === 'LEDGER_IO' ? { hint: hintFor(state) } : {}),
  });
}

/** The codes of Node's sockets, which not every error with one has a system call. No SQLSTATE is like them. */
const socketCode = /^(E[A-Z]+|ERR_(STREAM|SOCKET|SSL|TLS)_[A-Z_]+)$/;

/** Whether the connection ended, so that what became of the last statement is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const { code: state = '', syscall, message = '' } = error as { code?: string } & NodeJS.ErrnoException;
  if (syscall !== undefined || socketCode.test(state)) return true;
  return (
    /^08|^57P0[1-5]$/.test(state) ||
    /connection (terminated|error)|timeout exceeded|read timeout|not queryable/i.test(message)
  );
}
