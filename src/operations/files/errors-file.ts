import { open } from 'node:fs/promises';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import type { CheckedFile } from '../../intake/check/check-file.ts';
import type { FileRow } from '../../intake/rows/file-rows.ts';
import { correctionCsv } from '../../reports/render/failed.ts';

/** A file of the rows that a person has to correct. */
export interface ErrorsFile {
  add(rows: readonly FileRow[], file: Pick<CheckedFile, 'header' | 'form'>): Promise<void>;
  close(): Promise<void>;
}

/**
 * The rows to correct, written as they are found: the file exists as soon as there are rows, and holds only wrong
 * ones. `name`: what the door calls the field that names it.
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
