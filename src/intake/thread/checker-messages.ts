import { AirbatchError, type ErrorCode } from '../../core/basics/errors.ts';
import type { CheckedFile, FileProgress } from '../check/check-file.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { FileFacts } from '../file/source.ts';
import type { CatalogNetwork, CatalogProduct } from '../rows/network-catalog.ts';
import type { PackedRows } from '../rows/packed-rows.ts';

/** What the thread that reads a file is started with. */
export interface CheckerTask {
  file: FileFacts;
  settings: IntakeSettings;
  hasCatalog: boolean;
  needsNames: boolean;
}

/** What a file has besides its rows. */
export type CheckedAbout = Pick<CheckedFile, 'header' | 'form' | 'about' | 'hasShared' | 'byThemselves'>;

/** What the thread says. Each but the last two kinds is answered. */
export type FromChecker =
  | { kind: 'rows'; rows: readonly PackedRows[] }
  | { kind: 'networks'; country: string }
  | { kind: 'products'; networkId: number }
  | { kind: 'progress'; progress: FileProgress }
  | { kind: 'checked'; file: CheckedAbout }
  /** Rows as they were compared with others; null after the last. */
  | { kind: 'compared'; rows: PackedRows | null }
  | { kind: 'failed'; error: PlainError };

/** What it is told. */
export type ToChecker =
  /** A block of rows was stored. */
  | { kind: 'stored' }
  | { kind: 'networks'; networks: readonly CatalogNetwork[] | null }
  | { kind: 'products'; products: readonly CatalogProduct[] | null }
  /** Asks for the next rows as they were compared, at most so many at a time. */
  | { kind: 'compare'; rowsPerChunk: number }
  /** Nothing more is wanted. */
  | { kind: 'end' };

/** An error on its way between threads, which would leave its class and its code behind. */
export interface PlainError {
  name: string;
  message: string;
  stack: string | undefined;
  /** Of an `AirbatchError`. */
  known: { code: ErrorCode; hint: string } | null;
  cause: PlainError | null;
}

export function plainError(error: unknown): PlainError {
  const { name, message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  return {
    name,
    message,
    stack,
    known: error instanceof AirbatchError ? { code: error.code, hint: error.hint } : null,
    cause: cause === undefined ? null : plainError(cause),
  };
}

/** The error that `plainError` was made of. */
export function restoredError({ name, message, stack, known, cause }: PlainError): Error {
  const because = cause === null ? {} : { cause: restoredError(cause) };
  const error = known
    ? new AirbatchError(known.code, message, { hint: known.hint, ...because })
    : new Error(message, because);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
