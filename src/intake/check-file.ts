import { AirbatchError } from '../core/errors.ts';
import { makeTextWriter } from '../core/text-writer.ts';
import { type Catalog, type CatalogCache, cacheCatalog } from './catalog.ts';
import { checkRow } from './check-row.ts';
import { planColumns } from './columns.ts';
import type { RecordChunk } from './csv-rows.ts';
import { findDecimalSign } from './decimal-sign.ts';
import { comparedRow, type FileRow } from './file-rows.ts';
import type { FileFindings } from './findings.ts';
import { makeFileGuards } from './guards.ts';
import { bytesPerRow, type PackedRows, packRows } from './packed-rows.ts';
import { makeRepeats, type Repeats } from './repeats.ts';
import { makeRowSpool, type RowSpool } from './row-spool.ts';
import type { CheckContext, Needs } from './row-under-check.ts';
import { makeScratch } from './scratch.ts';
import type { IntakeSettings } from './settings.ts';
import type { Source } from './source.ts';
import { openTable, type Table } from './table.ts';
import { type FileTotals, makeTotals } from './totals.ts';
import { type Trailer, withoutTrailer } from './trailer.ts';

/** How far reading a file has come. */
export interface FileProgress {
  /** Bytes of the file read, of `bytesTotal`. */
  bytes: number;
  bytesTotal: number;
  rows: number;
}

export interface CheckOptions {
  source: Source;
  settings: IntakeSettings;
  /** Null: networks must be given by id, and products are not checked. */
  catalog: Catalog | null;
  onProgress: ((progress: FileProgress) => void) | undefined;
  /** Is given every row as it was checked by itself, in file order, while the file is read. */
  onChecked?: ((rows: readonly PackedRows[]) => Promise<void>) | undefined;
  signal: AbortSignal | undefined;
}

/** A file that can be paid out: its header is understood, its guards have passed, and each of its rows has a verdict. */
export interface CheckedFile {
  header: readonly string[];
  about: Pick<FileFindings, 'file' | 'understood' | 'warnings'>;
  /** Whether rows of it have anything in common: if not, each has the verdict that it has by itself. */
  hasRepeats: boolean;
  /** What its rows come to, each with the verdict that it has by itself. */
  byThemselves: FileTotals;
  /** The rows in file order with their verdicts, at most `rowsPerChunk` at a time. */
  rows(rowsPerChunk: number): AsyncGenerator<FileRow[]>;
  dispose(): Promise<void>;
}

/** Reads a whole file. Throws `FILE_REJECTED` where it cannot be paid out as a whole; wrong rows are data. */
export async function checkFile(options: CheckOptions): Promise<CheckedFile> {
  const { settings, signal } = options;
  const scratch = makeScratch();
  const spool = makeRowSpool(scratch);
  const dispose = async () => scratch.dispose();
  try {
    const { source } = options;
    const { counted, bytesRead } = countBytes(source);
    const table = await openTable(counted, settings, signal);
    const { plan, amountCurrency, understood } = planColumns(table.header, settings.columns, settings);
    const catalog = cacheCatalog(settings.catalog === 'check' ? options.catalog : null);
    const decimalSign = settings.decimalSign === 'auto' ? 'unknown' : settings.decimalSign;
    const context: CheckContext = { header: table.header, plan, amountCurrency, settings, catalog, decimalSign };
    const repeats = makeRepeats(scratch, settings.guards.numberMax);
    const byThemselves = await checkRows(options, table, context, spool, repeats, bytesRead);
    const hasRepeats = repeats.compare();
    const { name, bytes, sha256 } = source;
    const { format, encoding, delimiter, sheet } = table.form;
    const form = { format, encoding: encoding?.encoding ?? null, delimiter, sheet };
    return {
      header: table.header,
      hasRepeats,
      byThemselves,
      about: { file: { name, bytes, sha256, ...form }, understood, warnings: warningsOf(catalog, table) },
      async *rows(rowsPerChunk) {
        for (const chunk of spool.read(rowsPerChunk)) {
          signal?.throwIfAborted();
          yield chunk.map((row) => {
            const repeat = repeats.of(row.row_no);
            return repeat ? comparedRow(row, repeat, context, settings) : row;
          });
        }
      },
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function countBytes(source: Source): { counted: Source; bytesRead: () => number } {
  let bytes = 0;
  const chunks = async function* (signal?: AbortSignal) {
    bytes = 0;
    for await (const chunk of source.chunks(signal)) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  return { counted: { ...source, chunks }, bytesRead: () => bytes };
}

function warningsOf(catalog: CatalogCache, { form }: Table): string[] {
  const warnings: string[] = [];
  if (catalog.failed()) {
    warnings.push('The catalog could not be reached: network ids and products were taken as they stand in the file.');
  }
  if (form.otherSheets.length > 0) {
    warnings.push(`Only the sheet "${form.sheet}" was read; not read: "${form.otherSheets.join('", "')}".`);
  }
  return warnings;
}

/** Rows that are handed on together, and written in one transaction then: enough to be worth its commit. */
const rowsPerBlockMin = 2_000;

async function checkRows(
  options: CheckOptions,
  { rows, header }: Table,
  context: CheckContext,
  spool: RowSpool,
  repeats: Repeats,
  bytesRead: () => number,
): Promise<FileTotals> {
  const { settings, onProgress, onChecked, source } = options;
  const { trailer: word } = settings.guards;
  const seen: { trailer: Trailer | null } = { trailer: null };
  const guards = makeFileGuards(context);
  const totals = makeTotals();
  let rowNo = 0;
  const writer = makeTextWriter(rowsPerBlockMin * bytesPerRow);
  let block: PackedRows[] = [];
  let inBlock = 0;
  const handOn = async () => {
    const whole = block;
    block = [];
    inBlock = 0;
    await onChecked?.(whole);
  };
  for await (const chunk of word === null ? rows : withoutTrailer(rows, word, seen)) {
    const checked = await checkChunk(options, context, chunk, rowNo + 1);
    totals.add(checked);
    for (const [index, row] of checked.entries()) {
      repeats.note(row);
      guards.note(row, chunk.records[index] ?? []);
    }
    rowNo += chunk.records.length;
    guards.checkSoFar();
    const packed = packRows(checked, writer);
    spool.add(packed);
    block.push(packed);
    inBlock += checked.length;
    if (inBlock >= rowsPerBlockMin) await handOn();
    onProgress?.({ bytes: bytesRead(), bytesTotal: source.bytes, rows: rowNo });
  }
  if (inBlock > 0) await handOn();
  if (rowNo === 0) {
    const names = header.length === 1 ? '1 column' : `${header.length} columns`;
    throw new AirbatchError('FILE_REJECTED', `the file has a header (${names}), and no rows below it`);
  }
  guards.checkAtEnd(seen.trailer);
  return totals.result();
}

/** Checks the rows of a chunk; what must be known first (networks, the decimal sign) is found out, and they are checked anew. */
async function checkChunk(
  { source, settings, signal }: CheckOptions,
  context: CheckContext,
  chunk: RecordChunk,
  firstRowNo: number,
): Promise<FileRow[]> {
  const { records, lines, doubts, endsOpen, isPlainJson } = chunk;
  for (;;) {
    const needs: Needs = { decimalSign: false, countries: new Set(), networkIds: new Set() };
    const checked = records.map((cells, index) => {
      const endsFile = endsOpen && index === records.length - 1;
      const doubt = doubts.get(index) ?? null;
      const place = { rowNo: firstRowNo + index, line: lines[index] ?? 0, endsFile, doubt, isPlainJson };
      return checkRow(context, place, cells, needs);
    });
    if (!needs.decimalSign && needs.countries.size === 0 && needs.networkIds.size === 0) return checked;
    if (needs.decimalSign) {
      context.decimalSign = await findDecimalSign(source, settings, context.plan.amount ?? -1, signal);
    }
    await context.catalog.load(needs.countries, needs.networkIds);
  }
}
