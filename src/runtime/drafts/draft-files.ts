import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AirbatchError } from '../../core/basics/errors.ts';
import { digestOfFile } from '../../core/basics/file-digest.ts';
import { pagesOf } from '../../core/basics/pages.ts';
import { withoutSpreadsheetGuard } from '../../core/money/spreadsheet-safe.ts';
import { type DraftRowRecord, pageIncluded, splitCells } from '../../ledger/drafts/draft-rows.ts';
import type { DraftRecord } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { workbook } from '../../reports/render/workbook.ts';
import { isBucketPlace, openBucket } from '../../reports/store/object-store.ts';
import { csvText } from '../../reports/text/csv.ts';
import { csvRecords } from '../../reports/text/csv-records.ts';
import type { Session } from '../session/session.ts';
import { type LineShifts, makeLineShifts } from './mended-lines.ts';

/*
 * The files of a draft are its original, as it was uploaded, and its mended files: its rows as they stood when they
 * were planned or downloaded. They are in the folder of the ledger; or, if reports are kept in a bucket, in that:
 *
 *   drafts/D-1/original
 *   drafts/D-1/mended-7.csv    of version 7 of the draft
 *   drafts/D-1/mended-7.xlsx   the same as a workbook, if the original is one
 *
 * A file in a bucket is read through a temporary copy, so that no other machine keeps one when its people are
 * forgotten.
 */

type Place = Pick<Session, 'ledgerPath' | 'config' | 'random'>;
type Draft = Pick<DraftRecord, 'draft_id' | 'file_name' | 'version'>;

/** Where files are while they are uploaded or read, each in a folder of its own. Housekeeping erases lost ones. */
export function uploadsFolder(ledgerPath: string): string {
  return join(dirname(ledgerPath), 'uploads');
}

async function inTemporary<Result>(
  { ledgerPath, random }: Place,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(uploadsFolder(ledgerPath), random.hex(8));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return work(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

/** The folder of a draft, in the folder of the ledger. */
function folderOf({ ledgerPath }: Place, draftId: string): string {
  return join(dirname(ledgerPath), 'drafts', draftId);
}

/** The file as it was uploaded. Nothing ever writes to it. */
function originalPath(place: Place, draftId: string): string {
  return join(folderOf(place, draftId), 'original');
}

type MendedFile = 'mended' | 'mended_xlsx';

/** The name of the mended file: that of the original, and `november.xlsx.csv` for the CSV of a workbook. */
export function mendedName({ file_name }: Pick<DraftRecord, 'file_name'>, which: MendedFile = 'mended'): string {
  const stem = file_name.replace(/\.gz$/i, '');
  const isXlsx = /\.xlsx$/i.test(stem);
  const bare = isXlsx ? stem : stem.slice(0, stem.length - extname(stem).length);
  if (which === 'mended') return `${bare}.csv`;
  return isXlsx ? stem : `${bare}.xlsx`;
}

/** The mended file of a draft, as it was written last. */
function mendedPath(place: Place, draft: Draft, which: MendedFile = 'mended'): string {
  return join(folderOf(place, draft.draft_id), 'mended', mendedName(draft, which));
}

/** What the keys of a draft begin with. */
function keysOf(draftId: string): string {
  return `drafts/${draftId}/`;
}

const originalKey = (draftId: string) => `${keysOf(draftId)}original`;
const mendedKey = ({ draft_id, version }: Draft, which: MendedFile = 'mended') =>
  `${keysOf(draft_id)}mended-${version}.${which === 'mended' ? 'csv' : 'xlsx'}`;

export async function keepOriginal(place: Place, draftId: string, uploaded: string): Promise<void> {
  const { bucket } = place.config;
  if (bucket !== null) return openBucket(bucket).putFile(originalKey(draftId), uploaded);
  await mkdir(folderOf(place, draftId), { recursive: true, mode: 0o700 });
  await copyFile(uploaded, originalPath(place, draftId));
}

/** Does the work with the file as it was uploaded. Throws `DRAFT_STATE` if it was erased. */
export async function withOriginal<Result>(
  place: Place,
  draft: DraftRecord,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const found = await requireFile(place, draft, 'original');
  const { bucket } = place.config;
  if (bucket === null || !isBucketPlace(found.path)) return work(found.path);
  return inTemporary(place, async (scratch) => {
    const path = join(scratch, 'original');
    await openBucket(bucket).readInto(originalKey(draft.draft_id), path);
    if ((await digestOfFile(path)).sha256 !== draft.original_sha256)
      throw new AirbatchError('FILE_UNREADABLE', `${found.path} is not the file that was uploaded`);
    return work(path);
  });
}

/**
 * Writes the rows of the draft as they stand now into a CSV file with the original's header and delimiter, and does the
 * work with it. Rows that people have taken out are not in it. `isKept`: the file can be read afterwards, also from
 * another machine.
 */
export async function withMended<Result>(
  place: Place & { db: Queryable },
  draft: DraftRecord,
  work: (path: string, shifts: LineShifts) => Promise<Result>,
  { isKept = false }: { isKept?: boolean } = {},
): Promise<Result> {
  const { bucket } = place.config;
  if (bucket === null) {
    const path = mendedPath(place, draft);
    return work(path, await writeMended(place, draft, path));
  }
  return inTemporary(place, async (scratch) => {
    const path = join(scratch, mendedName(draft));
    const shifts = await writeMended(place, draft, path);
    if (isKept) await openBucket(bucket).putFile(mendedKey(draft), path);
    return work(path, shifts);
  });
}

/**
 * Writes the rows of the draft into a workbook, which `requireFile` then finds: as they stand now, or as they were
 * submitted. Every cell is text: it loses no zero, sign or digit, and no spreadsheet computes it. `open`: opens the
 * path that `requireFile` gives.
 */
export async function writeMendedXlsx(
  place: Place & { db: Queryable },
  draft: DraftRecord,
  open: (path: string) => Promise<Readable>,
): Promise<void> {
  const which = 'mended_xlsx';
  const { bucket } = place.config;
  const header = JSON.parse(draft.columns) as string[];
  const { sheet: name = 'Sheet1' } = JSON.parse(draft.options) as { sheet?: string };
  // The rows of a submitted draft are only in the CSV that was submitted.
  const rows = draft.status === 'open' ? mendedCells(place.db, draft) : submittedCells(place, draft, open);
  const sheet = { name, widths: header.map(() => sheetColumnWidth), header, rows };
  if (bucket === null) return writeWhole(place, mendedPath(place, draft, which), workbook([sheet]));
  return inTemporary(place, async (scratch) => {
    const path = join(scratch, mendedName(draft, which));
    await writeWhole(place, path, workbook([sheet]));
    await openBucket(bucket).putFile(mendedKey(draft, which), path);
  });
}

/** The path of a file of a draft, or its address in a bucket. Throws `DRAFT_STATE` if it was erased. */
export async function requireFile(
  place: Place,
  draft: Draft,
  which: 'original' | MendedFile,
): Promise<{ path: string; bytes: number }> {
  const { draft_id } = draft;
  const { bucket } = place.config;
  if (bucket !== null) {
    const objects = openBucket(bucket);
    const key = which === 'original' ? originalKey(draft_id) : mendedKey(draft, which);
    const found = (await objects.list(keysOf(draft_id))).find((one) => one.key === key);
    if (found) return { path: `${objects.place}/${key}`, bytes: found.bytes };
  }
  // Also a draft that was made before there was a bucket.
  const path = which === 'original' ? originalPath(place, draft_id) : mendedPath(place, draft, which);
  // Earlier versions named the mended file of a workbook without ".xlsx".
  for (const one of [path, path.replace(/\.xlsx\.csv$/i, '.csv')]) {
    const file = await stat(one).catch(() => null);
    if (file !== null) return { path: one, bytes: file.size };
  }
  throw new AirbatchError('DRAFT_STATE', `the files of draft ${draft_id} were erased`);
}

const rowsPerPage = 2_000;
/** In characters: enough for a phone number or a name. */
const sheetColumnWidth = 18;
const byteOrderMark = '\uFEFF';

async function writeMended(
  place: Pick<Place, 'random'> & { db: Queryable },
  draft: DraftRecord,
  path: string,
): Promise<LineShifts> {
  const { shifts, note } = makeLineShifts();
  await writeWhole(place, path, mendedText(place.db, draft, note));
  return shifts;
}

/** Whoever reads the file at the same time keeps reading the one that was there, and may write it, too. */
async function writeWhole(
  { random }: Pick<Place, 'random'>,
  path: string,
  content: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${random.hex(4)}`;
  await pipeline(content, createWriteStream(unfinished, { mode: 0o600 }));
  await rename(unfinished, path);
}

function mendedPages(db: Queryable, draftId: string): AsyncIterable<DraftRowRecord[]> {
  return pagesOf(rowsPerPage, (last: DraftRowRecord | undefined, limit) =>
    pageIncluded(db, draftId, last?.row_no ?? 0, limit),
  );
}

async function* mendedCells(db: Queryable, { draft_id }: DraftRecord): AsyncGenerator<string[][]> {
  for await (const rows of mendedPages(db, draft_id)) yield rows.map(({ cells }) => splitCells(cells));
}

async function* submittedCells(
  place: Place,
  draft: DraftRecord,
  open: (path: string) => Promise<Readable>,
): AsyncGenerator<string[][]> {
  const { path } = await requireFile(place, draft, 'mended');
  const { delimiter } = draft;
  for await (const cells of csvRecords(await open(path), { delimiter, from: 2, relax_column_count: true }))
    yield [cells.map(withoutSpreadsheetGuard)];
}

/** Calls `note` for each row with the line on which it begins in the file, and the one in the draft. */
async function* mendedText(
  db: Queryable,
  draft: DraftRecord,
  note: (line: number, lineOfDraft: number) => void,
): AsyncGenerator<string> {
  const { draft_id, delimiter, ends_open } = draft;
  // Without its last line break, as the original: a row that was cut short shows.
  const ending = ends_open === 1 ? '' : '\n';
  const header = JSON.parse(draft.columns) as string[];
  yield byteOrderMark + csvText([header], delimiter).slice(0, -1);
  let line = 1 + linesOf(header);
  for await (const rows of mendedPages(db, draft_id)) {
    const cells = rows.map((row) => splitCells(row.cells));
    for (const [index, row] of rows.entries()) {
      note(line, row.line);
      line += linesOf(cells[index] ?? []);
    }
    yield `\n${csvText(cells, delimiter).slice(0, -1)}`;
  }
  yield ending;
}

/** How many lines of a file cells take: a cell may have line breaks. */
function linesOf(cells: readonly string[]): number {
  return cells.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 1);
}

/** Erases all files of a draft. */
export async function eraseFiles(place: Place, draftId: string): Promise<void> {
  await rm(folderOf(place, draftId), { recursive: true, force: true });
  const { bucket } = place.config;
  if (bucket === null) return;
  const objects = openBucket(bucket);
  for (const { key } of await objects.list(keysOf(draftId))) await objects.remove(key);
}

/** Where the files of a draft are in a bucket. */
export function bucketPlaceOf({ config }: Pick<Session, 'config'>, draftId: string): string {
  return `${config.out}/${keysOf(draftId)}`;
}
