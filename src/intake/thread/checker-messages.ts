import { AirbatchError, type ErrorCode, type ErrorReason } from '../../core/basics/errors.ts';
import type { CheckedFile, FileProgress } from '../check/check-file.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { FileFacts } from '../file/source.ts';
import type { CatalogNetwork, CatalogProduct } from '../rows/network-catalog.ts';
import type { PackedRows } from '../rows/packed-rows.ts';

/** The input of the thread that reads a file. */
export interface CheckerTask {
  file: FileFacts;
  settings: IntakeSettings;
  hasCatalog: boolean;
  needsNames: boolean;
}

/** What the check of a file returns in addition to its rows. */
export type CheckedAbout = Pick<CheckedFile, 'header' | 'form' | 'about' | 'hasShared' | 'byThemselves'>;

/** Messages from the thread. The main thread answers each kind except for the last two. */
export type FromChecker =
  | { kind: 'rows'; rows: readonly PackedRows[] }
  | { kind: 'networks'; country: string }
  | { kind: 'products'; networkId: number }
  | { kind: 'progress'; progress: FileProgress }
  | { kind: 'checked'; file: CheckedAbout }
  /** Rows after their comparison with others; null after the last. */
  | { kind: 'compared'; rows: PackedRows | null }
  | { kind: 'failed'; error: PlainError };

/** Messages to the thread. */
export type ToChecker =
  /** A block of rows was stored. */
  | { kind: 'stored' }
  | { kind: 'networks'; networks: readonly CatalogNetwork[] | null }
  | { kind: 'products'; products: readonly CatalogProduct[] | null }
  /** Asks for the next compared rows, at most this many at a time. */
  | { kind: 'compare'; rowsPerChunk: number }
  /** No more rows are wanted. */
  | { kind: 'end' };

/** An error on its way between threads. Without this form it would lose its class and its code. */
export interface PlainError {
  name: string;
  message: string;
  stack: string | undefined;
  /** Set for an `AirbatchError`. */
  known: { code: ErrorCode; hint: string; reason: ErrorReason | null } | null;
  cause: PlainError | null;
}

export function plainError(error: unknown): PlainError {
  const { name, message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  return {
    name,
    message,
    stack,
    known: error instanceof AirbatchError ? { code: error.code, hint: error.hint, reason: error.reason } : null,
    cause: cause === undefined ? null : plainError(cause),
  };
}

/** Restores the error from which `plainError` was made. */
export function restoredError({ name, message, stack, known, cause }: PlainError): Error {
  const because = cause === null ? {} : { cause: restoredError(cause) };
  const error = known
    ? new AirbatchError(known.code, message, { hint: known.hint, reason: known.reason, ...because })
    : new Error(message, because);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
