import { AirbatchError } from '../../core/basics/errors.ts';
import { withoutSpreadsheetGuard } from '../../core/money/spreadsheet-safe.ts';
import { openSource } from '../../intake/file/source.ts';
import { makeRowCheck, type RowCheck } from '../../intake/mending/check-one.ts';
import type { CheckedRow } from '../../intake/rows/file-rows.ts';
import type { Catalog } from '../../intake/rows/network-catalog.ts';
import { findEvidence } from '../../intake/table/file-evidence.ts';
import type { DraftProblemRecord } from '../../ledger/drafts/draft-problems.ts';
import { type DraftRowRecord, type DraftRowState, pageIncluded, splitCells } from '../../ledger/drafts/draft-rows.ts';
import type { DraftRecord } from '../../ledger/drafts/drafts.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { withMended } from '../../runtime/drafts/draft-files.ts';
import { type LineShifts, withLinesOfDraft } from '../../runtime/drafts/mended-lines.ts';
import type { Session } from '../../runtime/session/session.ts';
import { columnsOf, fromSheetOf, settingsOf } from '../mending/draft-fields.ts';

/** A row of a draft after its own check. */
export interface CheckedDraftRow {
  row: DraftRowRecord;
  problems: DraftProblemRecord[];
}

/** The number of rows from which intake recognises columns. */
const sampleRowsMax = 100;
/** How many drafts keep columns and catalog in memory, so that a person who types does not wait for them. */
const keptMax = 50;

interface Kept {
  /** Everything that the check depends on. */
  madeOf: string;
  check: RowCheck | null;
  /** The account that is open now. That of an earlier request may be closed. */
  account: OpenAccount;
}

const keptByLedger = new WeakMap<Database, Map<string, Kept>>();

/** The check of single rows of a draft; null while its columns are not clear. */
export async function rowCheckOf(session: Session, account: OpenAccount, draft: DraftRecord): Promise<RowCheck | null> {
  const kept = keptByLedger.get(session.db) ?? new Map<string, Kept>();
  keptByLedger.set(session.db, kept);
  const madeOf = `${draft.options} ${draft.checked_version}`;
  const known = kept.get(draft.draft_id);
  // If the catalog did not answer, it is asked again.
  if (known?.madeOf === madeOf && known.check?.context.catalog.failed() !== true) {
    known.account = account;
    return known.check;
  }
  const fresh: Kept = { madeOf, check: null, account };
  const check = await makeCheck(session, fresh, draft);
  fresh.check = check;
  kept.delete(draft.draft_id);
  kept.set(draft.draft_id, fresh);
  for (const id of kept.keys()) if (kept.size > keptMax) kept.delete(id);
  return check;
}

async function makeCheck(session: Session, kept: Kept, draft: DraftRecord): Promise<RowCheck | null> {
  const catalog: Catalog = {
    networks: (country) => kept.account.catalog.networks(country),
    products: (networkId) => kept.account.catalog.products(networkId),
  };
  const settings = settingsOf(session, draft);
  const fromSheet = fromSheetOf(draft);
  const first = await pageIncluded(session.db, draft.draft_id, 0, sampleRowsMax);
  try {
    return makeRowCheck({
      header: columnsOf(draft),
      sample: first.map(({ cells }) => splitCells(cells)),
      ...{ settings, catalog, delimiter: draft.delimiter, fromSheet },
      findEvidence: (amountColumn) =>
        withMended(session, draft, async (file) => {
          const { fileBytesMax } = settings.limits;
          const source = await openSource({ file, fileBytesMax, fromSheet });
          return findEvidence(source, settings, amountColumn).finally(source.dispose);
        }),
    });
  } catch (error) {
    if (error instanceof AirbatchError && error.code === 'FILE_REJECTED') return null;
    throw error;
  }
}

/** The row, checked by itself; `unchecked` without a check. */
export async function checkedByItself(
  check: RowCheck | null,
  row: DraftRowRecord,
  header: readonly string[],
): Promise<CheckedDraftRow> {
  const cells = splitCells(row.cells);
  // A line without content is not a row.
  if (cells.every((cell) => cell.trim() === '')) return { row: { ...row, state: 'excluded' }, problems: [] };
  if (check === null) return { row: { ...row, state: 'unchecked' }, problems: [] };
  const checked = await check.check(cells, { rowNo: row.row_no, line: row.line });
  return { row: { ...row, state: checked.status as DraftRowState }, problems: problemsOf(row, checked, header) };
}

/**
 * The problems of a checked row, in the form in which the ledger keeps them. `shifts`: of the mended file, if the row
 * was read from it.
 */
export function problemsOf(
  { draft_id, row_no }: Pick<DraftRowRecord, 'draft_id' | 'row_no'>,
  { problems }: Pick<CheckedRow, 'problems'>,
  header: readonly string[],
  shifts: LineShifts = [],
): DraftProblemRecord[] {
  const named = problems.map((problem) => withLinesOfDraft(problem, shifts));
  return named.map(({ code, column, message, suggestion, values = {} }, position) => ({
    ...{ draft_id, row_no, position, code, message, suggestion },
    named: JSON.stringify(values),
    column_no: column === null ? -1 : columnNo(column, header),
  }));
}

/** The mended file has an apostrophe before a name that a spreadsheet would run as a formula; the draft has not. */
function columnNo(name: string, header: readonly string[]): number {
  const own = header.indexOf(name);
  return own < 0 ? header.indexOf(withoutSpreadsheetGuard(name)) : own;
}
