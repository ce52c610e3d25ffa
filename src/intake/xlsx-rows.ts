import { type CellValue, readXlsx, streamXlsxRows } from 'hucre/xlsx';
import { AirbatchError } from '../core/errors.ts';
import type { RecordChunk } from './csv-rows.ts';
import type { IntakeSettings } from './settings.ts';
import type { Source } from './source.ts';
import { checkZipDirectory } from './zip-directory.ts';

/** A sheet of a workbook, opened as a table. */
export interface OpenSheet {
  name: string;
  /** The sheets of the workbook that are not read. */
  others: string[];
  records: AsyncGenerator<RecordChunk>;
}

/** Rows handed on at once. */
const rowsPerChunk = 500;

/**
 * Opens the sheet that the settings name, or the first one that is not hidden. Throws `FILE_REJECTED` where there is no such
 * sheet, or where the workbook is damaged, too large, or made to do harm.
 */
export async function openSheet(source: Source, settings: IntakeSettings, signal?: AbortSignal): Promise<OpenSheet> {
  const { limits } = settings;
  if (source.bytes > limits.workbookBytesMax) {
    throw new AirbatchError('FILE_REJECTED', `the workbook is larger than ${limits.workbookBytesMax} bytes`, {
      hint: 'Save the sheet as "CSV UTF-8", which is read in any size. Nothing was sent.',
    });
  }
  const parts: Buffer[] = [];
  for await (const chunk of source.chunks(signal)) parts.push(chunk);
  const data = Buffer.concat(parts);
  checkZipDirectory(data, limits);
  const sheets = await visibleSheets(data);
  const name = settings.sheet ?? sheets[0];
  if (name === undefined || !sheets.includes(name)) {
    const has = sheets.map((sheet) => JSON.stringify(sheet)).join(', ') || 'none';
    const message = `the workbook has no sheet ${JSON.stringify(name ?? '')}; its sheets are ${has}`;
    throw new AirbatchError('FILE_REJECTED', message, {
      hint: 'Name one of its sheets: intake.sheet in the configuration. Nothing was sent.',
    });
  }
  return { name, others: sheets.filter((sheet) => sheet !== name), records: sheetRows(data, name, signal) };
}

/** The names of the sheets that people see, in their order. No sheet is read for it. */
async function visibleSheets(data: Buffer): Promise<string[]> {
  const names: string[] = [];
  try {
    await readXlsx(data, {
      sheets: ({ name, hidden, veryHidden }) => {
        if (hidden !== true && veryHidden !== true) names.push(name);
        return false;
      },
    });
  } catch (error) {
    throw explained(error);
  }
  return names;
}

async function* sheetRows(data: Buffer, sheet: string, signal: AbortSignal | undefined): AsyncGenerator<RecordChunk> {
  let columns = 0;
  let records: string[][] = [];
  let lines: number[] = [];
  const chunk = (): RecordChunk => ({ records, lines, bytes: data.length, doubts: new Map(), endsOpen: false });
  try {
    for await (const { index, values } of streamXlsxRows(data, { sheet })) {
      const cells = values.map(cellText);
      if (cells.every((cell) => cell.trim() === '')) continue;
      if (columns === 0) columns = lastFilled(cells) + 1;
      records.push(ofWidth(cells, columns));
      lines.push(index + 1);
      if (records.length < rowsPerChunk) continue;
      signal?.throwIfAborted();
      yield chunk();
      records = [];
      lines = [];
    }
  } catch (error) {
    throw explained(error);
  }
  if (records.length > 0) yield chunk();
}

/** A row as wide as the header: what a sheet has beyond it counts only where something stands in it. */
function ofWidth(cells: string[], columns: number): string[] {
  if (cells.length < columns) return [...cells, ...Array<string>(columns - cells.length).fill('')];
  return cells.slice(0, Math.max(columns, lastFilled(cells) + 1));
}

function lastFilled(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== '');
}

function cellText(value: CellValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString().slice(0, 10);
  return String(value).toUpperCase();
}

/** What looks like "1.234" as text could be 1234; a number in a sheet cannot, and one zero more says so. */
function numberText(value: number): string {
  const text = String(value);
  return /^-?[0-9]{1,3}\.[0-9]{3}$/.test(text) ? `${text}0` : text;
}

/** Whatever the library says about a file that is not as it should be: on a damaged one it may fail in any way. */
function explained(error: unknown): unknown {
  if (error instanceof AirbatchError || (error instanceof Error && error.name === 'AbortError')) return error;
  return new AirbatchError('FILE_REJECTED', 'this is no Excel workbook, or it is damaged', {
    cause: error,
    hint: 'Save it again as an Excel workbook (.xlsx) or as "CSV UTF-8". Nothing was sent.',
  });
}
