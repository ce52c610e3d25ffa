import { AirbatchError } from '../../core/basics/errors.ts';
import { sha256 } from '../../core/identity/ids.ts';
import { withoutSpreadsheetGuard } from '../../core/money/spreadsheet-safe.ts';
import { isoTime } from '../../core/time/clock.ts';
import { intakeSettings } from '../../intake/columns/settings.ts';
import { openSource } from '../../intake/file/source.ts';
import { type MendingTable, openForMending } from '../../intake/mending/read-rows.ts';
import { insertDraftRows, joinCells } from '../../ledger/drafts/draft-rows.ts';
import {
  type DraftRecord,
  insertDraft,
  knownMapping,
  openDraftOfFile,
  openStoredDraft,
} from '../../ledger/drafts/drafts.ts';
import { eraseFiles, keepOriginal } from '../../runtime/drafts/draft-files.ts';
import { eraseDraftRows } from '../../runtime/drafts/erase-drafts.ts';
import type { Session } from '../../runtime/session/session.ts';
import { settingsWith } from '../files/file-input.ts';
import type { DraftOptions, DraftSheet } from './draft-fields.ts';

/** A file that becomes a draft. */
export interface NewDraft {
  /** An absolute path. */
  file: string;
  file_name: string;
  account: string;
  options: DraftOptions;
  /** What is known of the sheets of the workbook, if they were counted before. */
  sheets: DraftSheet[];
  /** Whether an open draft of the same file is found instead. */
  isReused: boolean;
  /** The person who uploaded the file. They stay an author of it if another person chooses another sheet. */
  uploadedBy: string;
}

const erasedMeanwhile = 'the draft was erased while its file was being stored: upload the file again';

/** Stores the rows of the file, and then the draft and its original: an open draft is whole. */
export async function storeDraft(
  session: Session,
  { file, file_name, account, options, sheets: known, isReused, uploadedBy }: NewDraft,
  signal: AbortSignal | undefined,
): Promise<{ draft: DraftRecord; isNew: boolean }> {
  const { db, clock, random } = session;
  const { network_id: _, ...read } = options;
  const settings = intakeSettings(settingsWith(session.config.intake, { file, ...read }));
  const { fileBytesMax } = settings.limits;
  const source = await openSource({ file, fileBytesMax, sheetIsNamed: options.sheet !== undefined, signal });
  const draft_id = `${isoTime(clock.now()).slice(0, 10)}-${random.hex(4)}`;
  try {
    const same = { account, original_sha256: source.sha256 };
    const earlier = isReused ? await openDraftOfFile(db, same) : null;
    if (earlier !== null) return { draft: earlier, isNew: false };
    const table = await openForMending(source, settings, signal);
    const { rows, endsOpen } = await storeRows(session, draft_id, table);
    const header = table.header.map(withoutSpreadsheetGuard);
    const columns = JSON.stringify(header);
    const sheets = known.length > 0 ? known : sheetsOf(table);
    const draft: DraftRecord = {
      ...{ draft_id, account, status: 'discarded', file_name, original_sha256: source.sha256 },
      ...{ original_bytes: source.bytes, columns, columns_sha256: sha256(columns), delimiter: table.delimiter },
      ...{ ends_open: endsOpen ? 1 : 0, from_workbook: table.fromSheet === null ? 0 : 1 },
      hidden_columns: JSON.stringify(table.fromSheet?.hiddenColumns ?? []),
      ...{
        sheets: JSON.stringify(sheets),
        options: JSON.stringify(await readWith(session, account, { ...table, header }, options)),
      },
      ...{ notes: JSON.stringify(table.notes()), salt: random.hex(16), row_count: rows, version: 1 },
      ...{ checked_version: null, findings: null, rejection: null, batch_id: null, batch_version: null },
      ...{ created_by: uploadedBy, created_at: clock.now(), changed_at: clock.now() },
    };
    // A discarded draft is erased by housekeeping, with what a killed program has stored of it.
    await db.transact((tx) => insertDraft(tx, draft));
    await keepOriginal(session, draft_id, file);
    if (!(await db.transact((tx) => openStoredDraft(tx, draft_id))))
      throw new AirbatchError('DRAFT_STATE', erasedMeanwhile);
    return { draft: { ...draft, status: 'open' }, isNew: true };
  } catch (error) {
    await eraseDraftRows(session, draft_id);
    // If the bucket cannot be reached, housekeeping erases the files later.
    await eraseFiles(session, draft_id).catch(() => undefined);
    throw error;
  } finally {
    source.dispose();
  }
}

/** The options, with the header line and the sheet that were found, and the mapping that is known for this header. */
async function readWith({ db }: Session, account: string, table: MendingTable, options: DraftOptions) {
  const map = { ...(await knownMapping(db, account, sha256(JSON.stringify(table.header)))), ...options.map };
  const { header, headerLine, sheet } = table;
  return {
    ...options,
    ...(Object.keys(map).length === 0 || header.length === 0 ? {} : { map }),
    ...(headerLine === null ? {} : { header_line: headerLine }),
    ...(sheet === null ? {} : { sheet }),
  } satisfies DraftOptions;
}

function sheetsOf({ sheets }: MendingTable): DraftSheet[] {
  return sheets.map(({ name, rows, sums, isActive }) => ({ name, rows, sums: sums.toObject(), is_active: isActive }));
}

async function storeRows({ db, clock }: Session, draftId: string, { chunks }: MendingTable) {
  let rows = 0;
  let endsOpen = false;
  for await (const { records, lines, endsOpen: isOpen } of chunks) {
    const first = rows + 1;
    await db.transact((tx) =>
      insertDraftRows(
        tx,
        records.map((cells, index) => ({
          ...{ draft_id: draftId, row_no: first + index, line: lines[index] as number },
          // airbatch puts an apostrophe before what a spreadsheet would take for a formula. In a file that it has
          // written itself, these are removed again.
          ...{ state: 'unchecked', cells: joinCells(cells.map(withoutSpreadsheetGuard)) },
        })),
      ),
    );
    rows += records.length;
    endsOpen = isOpen;
    await clock.turn();
  }
  return { rows, endsOpen };
}
