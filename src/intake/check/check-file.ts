import { AirbatchError } from '../../core/basics/errors.ts';
import { rejectedFile } from '../../core/basics/rejected-file.ts';
import type { FileForm } from '../../core/identity/file-form.ts';
import { makeTextWriter } from '../../core/text/text-writer.ts';
import { noEvidence, signOf } from '../cells/amount-signs.ts';
import { countryCodeOf } from '../cells/country.ts';
import { type PlannedColumns, planColumns } from '../columns/columns.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import { findable } from '../file/delimiter.ts';
import type { RecordChunk } from '../file/record-chunk.ts';
import { makeScratch } from '../file/scratch-files.ts';
import type { Source } from '../file/source.ts';
import { comparedRow } from '../history/compared-row.ts';
import { type FileComparison, makeFileComparison } from '../history/file-comparison.ts';
import { checkRow } from '../rows/check-row.ts';
import type { CheckedRow, FileRow } from '../rows/file-rows.ts';
import { type Catalog, cacheCatalog } from '../rows/network-catalog.ts';
import { bytesPerRow, type PackedRows, packRow, takePacked } from '../rows/packed-rows.ts';
import { makeRowSpool, type RowSpool } from '../rows/row-spool.ts';
import { type CheckContext, makeRowsUnderCheck, type Needs } from '../rows/row-under-check.ts';
import { findEvidence } from '../table/file-evidence.ts';
import { likelyHeaderLine } from '../table/header-line.ts';
import { openTable, type Table } from '../table/table.ts';
import { type Trailer, withoutTrailer } from '../table/trailer.ts';
import { asShown, type NamedDates } from '../workbook/shown-cells.ts';
import { makeFileGuards } from './file-guards.ts';
import type { Findings } from './findings-shape.ts';
import { refuseSeveralPayable } from './sheets.ts';
import { type FileTotals, makeTotals } from './totals.ts';
import { warningsOf } from './warnings.ts';

/** How much of a file has been read. */
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
  /**
   * Whether reading ends with `SERVICE_UNREACHABLE` if a network's name cannot be looked up; otherwise only its row is
   * refused.
   */
  needsNames: boolean;
  onProgress: ((progress: FileProgress) => void) | undefined;
  /** Gets the rows in file order while the file is read, each with the result of its own check. */
  onChecked?: ((rows: readonly PackedRows[]) => Promise<void>) | undefined;
  signal: AbortSignal | undefined;
}

/** A file that can be paid: its header is understood, its guards have passed, and every row is checked. */
export interface CheckedFile {
  header: readonly string[];
  form: FileForm;
  about: Pick<Findings, 'file' | 'understood' | 'warnings'>;
  /** Whether any rows have something in common. If not, each row's own check is its final result. */
  hasShared: boolean;
  /** The totals of the rows after their own checks, before they are compared with each other. */
  byThemselves: FileTotals;
  /** The rows in file order with their final results, at most `rowsPerChunk` at a time. */
  rows(rowsPerChunk: number): AsyncGenerator<FileRow[]>;
  dispose(): Promise<void>;
}

/**
 * Two letters may be no country code: "UK" is called GB. This room knows the codes, because its tables of numbers are
 * large.
 */
function requireCountry({ country }: IntakeSettings): void {
  const known = country === null ? null : countryCodeOf(country);
  if (known === country) return;
  const message = `"${country}" is not a country code (--country, or intake.country of the configuration)`;
  throw new AirbatchError('CONFIG_INVALID', message, { hint: `Write ${known ?? 'a two-letter code such as KE'}.` });
}

/**
 * Reads and checks a whole file. Throws `FILE_REJECTED` if the file as a whole cannot be paid, and
 * `SERVICE_UNREACHABLE` as `needsNames` says. Wrong rows are part of the result.
 */
export async function checkFile(options: CheckOptions): Promise<CheckedFile> {
  const { settings, signal } = options;
  requireCountry(settings);
  const scratch = makeScratch();
  const spool = makeRowSpool(scratch);
  const dispose = async () => scratch.dispose();
  try {
    const { source } = options;
    const { counted, bytesRead } = countBytes(source);
    const opened = await openTable(counted, settings, signal);
    const { understood, ...columns } = columnsOf(opened, settings);
    await refuseSeveralPayable(source, settings, opened.form, signal);
    const dates: NamedDates = { count: 0, first: null };
    const table = { ...opened, rows: asShown(opened.rows, columns.plan, dates) };
    const catalog = cacheCatalog(settings.catalog === 'check' ? options.catalog : null);
    const { delimiter } = table.form;
    const context: CheckContext = {
      ...{ header: table.header, ...columns, settings, catalog, delimiter },
      isStored: delimiter === null || source.fromSheet !== null,
      ...{ evidence: null, signs: noEvidence(), otherNames: new Map() },
    };
    const comparison = makeFileComparison(scratch, settings.guards.numberMax);
    const byThemselves = await checkRows(options, table, context, spool, comparison, bytesRead);
    const hasShared = comparison.compare();
    const { name, bytes, sha256 } = source;
    const { format, encoding, sheet } = table.form;
    const decimal_sign = signOf(context.signs);
    const form = { format, encoding: encoding?.encoding ?? null, delimiter, sheet, decimal_sign };
    return {
      header: table.header,
      form: { delimiter: findable(delimiter), amountColumn: columns.plan.amount ?? null },
      hasShared,
      byThemselves,
      about: {
        file: { name, bytes, sha256, ...form },
        understood,
        warnings: warningsOf(catalog, table, context, dates),
      },
      async *rows(rowsPerChunk) {
        for (const chunk of spool.read(rowsPerChunk)) {
          signal?.throwIfAborted();
          yield chunk.map((row) => {
            const shared = comparison.of(row.row_no);
            return shared ? comparedRow(row, shared, context, settings) : row;
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

/** How many sheets the error names if a person must choose one. */
const sheetsNamedMax = 3;

/** What each column means. If one sheet of several has no usable header, the error names the other sheets. */
function columnsOf(table: Table, settings: IntakeSettings): PlannedColumns {
  const { header, sample, form } = table;
  try {
    const headerBelow = likelyHeaderLine(table, settings.columns);
    const { headerLine } = settings;
    return planColumns(header, settings.columns, settings, {
      ...{ hidden: form.hiddenColumns, sample, headerBelow, headerLine },
    });
  } catch (error) {
    if (!(error instanceof AirbatchError) || form.otherSheets.length === 0) throw error;
    // No other sheet of such a workbook is a file to pay.
    if (error.reason?.code === 'OWN_RESULTS') throw error;
    const others = form.otherSheets.slice(0, sheetsNamedMax).map((name) => `--sheet "${name}"`);
    throw new AirbatchError(error.code, error.message, {
      hint: `If you mean another sheet than "${form.sheet}", add ${others.join(' or ')}. ${error.hint}`,
      reason: error.reason,
      cause: error,
    });
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

/** Rows that are handed on together and stored in one transaction: enough to be worth a commit and a message. */
const rowsPerBlockMin = 2_000;

async function checkRows(
  options: CheckOptions,
  { rows, header }: Table,
  context: CheckContext,
  spool: RowSpool,
  comparison: FileComparison,
  bytesRead: () => number,
): Promise<FileTotals> {
  const { settings, needsNames, onProgress, onChecked, source } = options;
  const { trailer: word } = settings.guards;
  const seen: { trailer: Trailer | null } = { trailer: null };
  const guards = makeFileGuards(context);
  const totals = makeTotals();
  const writer = makeTextWriter(rowsPerBlockMin * bytesPerRow);
  const check = makeChunkCheck(context, (row, cells) => {
    if (needsNames) requireNames(row, source);
    totals.add(row, cells);
    comparison.note(row);
    guards.note(row, cells);
    packRow(row, cells, writer);
  });
  let rowNo = 0;
  let block: PackedRows[] = [];
  let inBlock = 0;
  const handOn = async () => {
    const whole = block;
    block = [];
    inBlock = 0;
    await onChecked?.(whole);
    onProgress?.({ bytes: bytesRead(), bytesTotal: source.bytes, rows: rowNo });
  };
  for await (const chunk of word === null ? rows : withoutTrailer(rows, word, seen)) {
    const count = chunk.records.length;
    for (let next = check.from(chunk, 0, rowNo); next < count; next = check.from(chunk, next, rowNo)) {
      await findOut(check.needs, context, options);
    }
    rowNo += count;
    guards.checkSoFar();
    const packed = takePacked(writer);
    spool.add(packed);
    block.push(packed);
    inBlock += count;
    if (inBlock >= rowsPerBlockMin) await handOn();
  }
  if (inBlock > 0) await handOn();
  if (rowNo === 0) {
    const names = header.length === 1 ? '1 column' : `${header.length} columns`;
    throw rejectedFile('NO_ROWS', {}, `the file has a header (${names}), but no rows below it`);
  }
  guards.checkAtEnd(seen.trailer);
  return totals.result();
}

function requireNames({ problems }: CheckedRow, { name }: Source): void {
  if (problems.some(({ code }) => code === 'NETWORK_UNRESOLVED'))
    throw new AirbatchError('SERVICE_UNREACHABLE', `the networks that ${name} names could not be looked up`);
}

interface ChunkCheck {
  /**
   * Checks the rows of a chunk from an index on, up to the first row for which something must be loaded. Returns that
   * row's index.
   */
  from(chunk: RecordChunk, first: number, rowsBefore: number): number;
  /** What must be loaded for that row. */
  needs: Needs;
}

/** `onRow` gets each row as soon as it is checked, so that the row is garbage before the next one is created. */
function makeChunkCheck(context: CheckContext, onRow: (row: CheckedRow, cells: readonly string[]) => void): ChunkCheck {
  const needs: Needs = { evidence: false, countries: new Set(), networkIds: new Set() };
  const rowUnderCheck = makeRowsUnderCheck(context, needs);
  return {
    needs,
    from({ records, lines, doubts, endsOpen }, first, rowsBefore) {
      for (let index = first; index < records.length; index++) {
        const cells = records[index] as string[];
        const row = checkRow(rowUnderCheck, cells, {
          rowNo: rowsBefore + index + 1,
          line: lines[index] as number,
          endsFile: endsOpen && index === records.length - 1,
          doubt: doubts.get(index) ?? null,
        });
        if (needs.evidence || needs.countries.size > 0 || needs.networkIds.size > 0) return index;
        onRow(row, cells);
      }
      return records.length;
    },
  };
}

/** Loads what the check of a row needs; the row is then checked again. */
async function findOut(needs: Needs, context: CheckContext, { source, settings, signal }: CheckOptions): Promise<void> {
  if (needs.evidence) context.evidence = await findEvidence(source, settings, context.plan.amount ?? -1, signal);
  await context.catalog.load(needs.countries, needs.networkIds);
  needs.evidence = false;
  needs.countries.clear();
  needs.networkIds.clear();
}
