import { open } from 'node:fs/promises';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import type { CheckedFile } from '../../intake/check/check-file.ts';
import type { FileRow } from '../../intake/rows/file-rows.ts';
import { correctionCsv } from '../../reports/render/failed.ts';

/** A file with the rows that a person must correct. */
export interface ErrorsFile {
  add(rows: readonly FileRow[], file: Pick<CheckedFile, 'header' | 'form'>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes the rows to correct as they are found. The file exists as soon as there is such a row, and contains only wrong
 * rows. `name` is the door's name for the field with the path.
 */
export function makeErrorsFile(path: string, name: string): ErrorsFile {
  let opened: { file: Awaited<ReturnType<typeof open>>; lines: ReturnType<typeof correctionCsv>['lines'] } | null =
    null;
  return {
    async add(rows, { header, form }) {
      try {
        if (!opened) {
          const corrections = correctionCsv(header, form);
          opened = { file: await open(path, 'w', 0o600), lines: corrections.lines };
          await opened.file.write(corrections.header);
        }
        const wrong = rows.filter(({ status }) => status === 'invalid');
        if (wrong.length === 0) return;
        await opened.file.write(
          opened.lines(
            wrong.map(({ input, amount, problems }) => ({
              ...{ input: JSON.parse(input) as string[], amount, troubles: problems },
            })),
          ),
        );
      } catch (error) {
        throw new AirbatchError('USAGE', `${path} cannot be written: ${errorMessage(error)}`, {
          hint: `Name another file with ${name}.`,
          cause: error,
        });
      }
    },
    close: async () => opened?.file.close(),
  };
}
