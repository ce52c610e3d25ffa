import { type CheckedFile, checkFile, type FileProgress } from './check/check-file.ts';
import { makeTally } from './check/findings.ts';
import type { Findings } from './check/findings-shape.ts';
import { intakeSettings } from './columns/settings.ts';
import { openSource } from './file/source.ts';
import type { FileRow } from './rows/file-rows.ts';
import { type Catalog, untilAborted } from './rows/network-catalog.ts';

export interface ValidateOptions {
  /** An absolute path, or "-" for standard input. */
  file: string;
  /** `intake` of the configuration. */
  settings: Readonly<Record<string, unknown>>;
  /** As of `SourceOptions`. */
  sheetIsNamed?: boolean;
  catalog?: Catalog | null;
  /** Is given all rows with their verdicts, in file order and a few hundred at a time. */
  onRows?: (rows: readonly FileRow[], file: Pick<CheckedFile, 'header' | 'form'>) => Promise<void>;
  stdin?: AsyncIterable<Uint8Array>;
  onProgress?: (progress: FileProgress) => void;
  signal?: AbortSignal;
}

/** Rows looked at between two turns of the event loop. */
const rowsPerChunk = 500;

/**
 * Checks a file without storing or sending anything. Throws `FILE_UNREADABLE` or `FILE_REJECTED` if the file as a
 * whole cannot be paid out. Problems with its rows are in the findings.
 */
export async function validateFile({ file, settings, ...options }: ValidateOptions): Promise<Findings> {
  const { sheetIsNamed, stdin, signal } = options;
  const checked = intakeSettings(settings);
  const { fileBytesMax } = checked.limits;
  const source = await openSource({ file, fileBytesMax, sheetIsNamed, stdin, signal });
  try {
    const { onProgress, onRows } = options;
    const catalog = untilAborted(options.catalog ?? null, signal);
    const table = await checkFile({ source, settings: checked, catalog, needsNames: false, onProgress, signal });
    try {
      if (!onRows && !table.hasShared) return { ...table.about, ...table.byThemselves.tallied };
      const tally = makeTally();
      for await (const rows of table.rows(rowsPerChunk)) {
        for (const row of rows) tally.add(row);
        await onRows?.(rows, table);
      }
      return { ...table.about, ...tally.result() };
    } finally {
      await table.dispose();
    }
  } finally {
    source.dispose();
  }
}
