import { basename } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../core/identity/ids.ts';
import { isoTime } from '../../core/time/clock.ts';
import { intakeSettings } from '../../intake/columns/settings.ts';
import { openSource, type Source } from '../../intake/file/source.ts';
import { type MendingTable, openForMending } from '../../intake/mending/read-rows.ts';
import { insertDraftRows, joinCells } from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, insertDraft, knownMapping } from '../../ledger/drafts/drafts.ts';
import { eraseFiles, keepOriginal } from '../../runtime/drafts/draft-files.ts';
import { eraseDraftRows } from '../../runtime/drafts/erase-drafts.ts';
import type { Session } from '../../runtime/session/session.ts';
import { accountName } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { settingsWith } from '../files/file-input.ts';
import { type DraftOptions, draftOptions, draftSummary } from '../mending/draft-fields.ts';
import { summaryOf } from './draft-summary.ts';

/** Reads a file into a draft, which people correct before it becomes a batch. The file itself is kept as it is. */
export const createDraft = defineOperation({
  name: 'create-draft',
  role: 'prepare',
  ledger: 'make',
  input: draftOptions.extend({
    /** An absolute path. */
    file: z.string(),
    account: accountName.optional(),
  }),
  result: draftSummary,
  run: ({ session, signal, withAccount }, { file, account: name, ...options }) =>
    withAccount(name, async (account) => {
      const { network_id, ...read } = options;
      const settings = intakeSettings(settingsWith(session.config.intake, { file, ...read }));
      const sheetIsNamed = options.sheet !== undefined;
      const { fileBytesMax } = settings.limits;
      const source = await openSource({ file, fileBytesMax, sheetIsNamed, signal });
      try {
        const table = await openForMending(source, settings, signal);
        return summaryOf(await store(session, { source, table, options, account: account.name, file }));
      } finally {
        source.dispose();
      }
    }),
});

interface Upload {
  source: Source;
  table: MendingTable;
  options: DraftOptions;
  account: string;
  file: string;
}

/** Stores the rows of the file, and then the draft: one that is in the ledger is whole. */
async function store(session: Session, { source, table, options, account, file }: Upload): Promise<DraftRecord> {
  const { db, clock, random, person } = session;
  const draftId = `${isoTime(clock.now()).slice(0, 10)}-${random.hex(4)}`;
  const columns = JSON.stringify(table.header);
  const columnsSha256 = sha256(columns);
  try {
    await keepOriginal(session, draftId, file);
    const { rows, endsOpen } = await storeRows(session, draftId, table);
    const map = { ...(await knownMapping(db, account, columnsSha256)), ...options.map };
    const read: DraftOptions = { ...options, ...(Object.keys(map).length === 0 ? {} : { map }) };
    if (table.headerLine !== null) read.header_line = table.headerLine;
    const draft: DraftRecord = {
      ...{ draft_id: draftId, account, status: 'open', file_name: basename(source.name) },
      ...{ original_sha256: source.sha256, original_bytes: source.bytes, columns, columns_sha256: columnsSha256 },
      ...{ delimiter: table.delimiter, ends_open: endsOpen ? 1 : 0, from_workbook: table.isFromWorkbook ? 1 : 0 },
      ...{ options: JSON.stringify(read), notes: JSON.stringify(table.notes()), salt: random.hex(16) },
      ...{ row_count: rows, version: 1, checked_version: null, findings: null, rejection: null },
      ...{ batch_id: null, batch_version: null, created_by: person, created_at: clock.now(), changed_at: clock.now() },
    };
    await db.transact((tx) => insertDraft(tx, [draft]));
    return draft;
  } catch (error) {
    await eraseDraftRows(session, draftId);
    await eraseFiles(session, draftId);
    throw error;
  }
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
          ...{ state: 'unchecked', cells: joinCells(cells) },
        })),
      ),
    );
    rows += records.length;
    endsOpen = isOpen;
    await clock.turn();
  }
  return { rows, endsOpen };
}
