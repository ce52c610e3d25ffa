import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DraftRowRecord, pageIncluded, splitCells } from '../../ledger/drafts/draft-rows.ts';
import type { DraftRecord } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { csvText } from '../../reports/text/csv.ts';
import type { Session } from '../session/session.ts';

type Place = Pick<Session, 'ledgerPath'>;

/** Where files lie while they are uploaded, each in a folder of its own. */
export function uploadsFolder(ledgerPath: string): string {
  return join(dirname(ledgerPath), 'uploads');
}

/** The folder of a draft, in the folder of the ledger: its original file, and what was made of it. */
function folderOf({ ledgerPath }: Place, draftId: string): string {
  return join(dirname(ledgerPath), 'drafts', draftId);
}

/** The file as it was uploaded. Nothing ever writes to it. */
export function originalPath(place: Place, draftId: string): string {
  return join(folderOf(place, draftId), 'original');
}

export async function keepOriginal(place: Place, draftId: string, uploaded: string): Promise<void> {
  await mkdir(folderOf(place, draftId), { recursive: true, mode: 0o700 });
  await copyFile(uploaded, originalPath(place, draftId));
}

/** The name of the mended file, which is a CSV: that of the original, and `november.xlsx.csv` for a workbook. */
export function mendedName({ file_name }: Pick<DraftRecord, 'file_name'>): string {
  const stem = file_name.replace(/\.gz$/i, '');
  if (/\.xlsx$/i.test(stem)) return `${stem}.csv`;
  return `${stem.slice(0, stem.length - extname(stem).length)}.csv`;
}

/** The mended file of a draft, as it was written last. */
export function mendedPath(place: Place, draft: Pick<DraftRecord, 'draft_id' | 'file_name'>): string {
  return join(folderOf(place, draft.draft_id), 'mended', mendedName(draft));
}

const rowsPerPage = 2_000;
const byteOrderMark = '\uFEFF';

/**
 * Writes the rows of the draft as they stand now into a CSV file with the original's header and delimiter, and returns
 * its path. Rows that people have taken out are not in it.
 */
export async function writeMended(place: Place & { db: Queryable }, draft: DraftRecord): Promise<string> {
  const path = mendedPath(place, draft);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Whoever reads the file at the same time keeps reading the one that was there.
  const unfinished = `${path}.${draft.version}`;
  await pipeline(Readable.from(mendedText(place.db, draft)), createWriteStream(unfinished, { mode: 0o600 }));
  await rename(unfinished, path);
  return path;
}

async function* mendedText(db: Queryable, draft: DraftRecord): AsyncGenerator<string> {
  const { draft_id, delimiter, ends_open } = draft;
  // Without its last line break, as the original: a row that was cut short shows.
  const ending = ends_open === 1 ? '' : '\n';
  yield byteOrderMark + csvText([JSON.parse(draft.columns) as string[]], delimiter).trimEnd();
  let rows: DraftRowRecord[];
  let after = 0;
  do {
    rows = await pageIncluded(db, draft_id, after, rowsPerPage);
    after = rows.at(-1)?.row_no ?? after;
    const text = csvText(
      rows.map(({ cells }) => splitCells(cells)),
      delimiter,
    );
    if (rows.length > 0) yield `\n${text.slice(0, -1)}`;
  } while (rows.length === rowsPerPage);
  yield ending;
}

/** Erases all files of a draft. */
export async function eraseFiles(place: Place, draftId: string): Promise<void> {
  await rm(folderOf(place, draftId), { recursive: true, force: true });
}
