import { assert } from '../../core/basics/assert.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import { makeTally } from '../../intake/check/findings.ts';
import { openSource } from '../../intake/file/source.ts';
import type { FileRow } from '../../intake/rows/file-rows.ts';
import { untilAborted } from '../../intake/rows/network-catalog.ts';
import { checkSource } from '../../intake/thread/checker-thread.ts';
import { type DraftProblemRecord, replaceProblems } from '../../ledger/drafts/draft-problems.ts';
import { type DraftRowRecord, pageIncluded, splitCells, updateStates } from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, noteChecked, requireDraft } from '../../ledger/drafts/drafts.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { withMended } from '../../runtime/drafts/draft-files.ts';
import type { LineShifts } from '../../runtime/drafts/mended-lines.ts';
import type { Session } from '../../runtime/session/session.ts';
import {
  columnsOf,
  type DraftRejection,
  type DraftTotals,
  fromSheetOf,
  needsSheet,
  settingsOf,
} from '../mending/draft-fields.ts';
import { problemsOf } from '../mending/row-checks.ts';

/** Rows whose results are stored in one transaction, which blocks the event loop for some 20 ms. */
const rowsPerUnit = 2_000;
/** How many different cells are counted for each group of problems. */
const valuesMax = 20;

/** Running checks, so that two people who look at a draft wait for the same one. */
const underWay = new Map<string, Promise<void>>();

/**
 * The draft, checked as a whole if anything has changed since the last check: its rows are compared with each other,
 * and counted. The check is that of `validate-file`, of the file as it stands now.
 */
export async function checkedDraft(session: Session, account: OpenAccount, draft: DraftRecord): Promise<DraftRecord> {
  if (draft.checked_version === draft.version || draft.status !== 'open' || needsSheet(draft)) return draft;
  const key = `${draft.draft_id} ${draft.version}`;
  const check = underWay.get(key) ?? checkWhole(session, account, draft).finally(() => underWay.delete(key));
  underWay.set(key, check);
  await check;
  return requireDraft(session.db, draft.draft_id);
}

async function checkWhole(session: Session, account: OpenAccount, draft: DraftRecord): Promise<void> {
  const { db } = session;
  const { draft_id, version } = draft;
  try {
    const totals = await withMended(session, draft, (file, shifts) =>
      checkFileOf(session, account, draft, { file, shifts }),
    );
    const findings = JSON.stringify(totals);
    await db.transact((tx) => noteChecked(tx, draft_id, { version, findings, rejection: null }));
  } catch (error) {
    if (!(error instanceof AirbatchError) || error.code !== 'FILE_REJECTED') throw error;
    const rejection = JSON.stringify({
      message: error.message,
      hint: error.hint,
      reason: error.reason,
    } satisfies DraftRejection);
    await db.transact((tx) => noteChecked(tx, draft_id, { version, findings: null, rejection }));
  }
}

async function checkFileOf(
  session: Session,
  { catalog }: OpenAccount,
  draft: DraftRecord,
  { file, shifts }: { file: string; shifts: LineShifts },
): Promise<DraftTotals> {
  const settings = settingsOf(session, draft);
  const fromSheet = fromSheetOf(draft);
  const source = await openSource({ file, fileBytesMax: settings.limits.fileBytesMax, fromSheet });
  const options = { source, settings, needsNames: false, onProgress: undefined, signal: undefined };
  try {
    const checked = await checkSource({ ...options, catalog: untilAborted(catalog, undefined) });
    try {
      const tally = makeTally();
      const values = makeCountedValues();
      let after = 0;
      for await (const rows of checked.rows(rowsPerUnit)) {
        for (const row of rows) tally.add(row);
        after = await storeNext(session, draft, { rows, after, values, shifts });
        await session.clock.turn();
      }
      await storeTrailer(session, draft, after, settings.guards.trailer !== null);
      const { problems: _, ...tallied } = tally.result();
      const { understood, warnings } = checked.about;
      return { ...tallied, warnings, understood, values: values.result() };
    } finally {
      await checked.dispose();
    }
  } finally {
    source.dispose();
  }
}

/** Stores the results of rows of the mended file, which are the draft's next rows after row `after`. */
async function storeNext(
  { db }: Session,
  draft: DraftRecord,
  {
    rows,
    after,
    values,
    shifts,
  }: { rows: readonly FileRow[]; after: number; values: CountedValues; shifts: LineShifts },
): Promise<number> {
  const own = await pageIncluded(db, draft.draft_id, after, rows.length);
  assert(own.length === rows.length, 'the mended file has the rows of the draft');
  for (const { code, column_no, row_no } of await storeResults(db, draft, own, { results: rows, shifts }))
    values.add(`${code} ${column_no}`, row_no, column_no, own);
  return own.at(-1)?.row_no ?? after;
}

/** Gives rows of the draft, which follow each other, the states and problems of their results. Returns the problems. */
export function storeResults(
  db: Session['db'],
  draft: DraftRecord,
  own: readonly DraftRowRecord[],
  { results, shifts }: { results: readonly Pick<FileRow, 'status' | 'problems'>[]; shifts: LineShifts },
): Promise<DraftProblemRecord[]> {
  const { draft_id } = draft;
  const header = columnsOf(draft);
  const [from, to] = [own[0]?.row_no ?? 0, own.at(-1)?.row_no ?? 0];
  return db.transact(async (tx) => {
    const problems = own.flatMap((row, index) => problemsOf(row, results[index] ?? { problems: [] }, header, shifts));
    await replaceProblems(tx, draft_id, { from, to }, problems);
    await updateStates(
      tx,
      own.map((row, index) => ({ ...row, state: results[index]?.status ?? 'unchecked' })),
    );
    return problems;
  });
}

/** The trailer of a file is not a row to pay. */
async function storeTrailer({ db }: Session, { draft_id }: DraftRecord, after: number, hasTrailer: boolean) {
  const left = await pageIncluded(db, draft_id, after, 2);
  assert(left.length <= (hasTrailer ? 1 : 0), 'the mended file has all rows of the draft');
  await db.transact((tx) =>
    updateStates(
      tx,
      left.map((row) => ({ ...row, state: 'skipped' })),
    ),
  );
}

type CountedValues = ReturnType<typeof makeCountedValues>;

/** Counts the cells of each group of problems, so that a person sees which cells to replace. */
function makeCountedValues() {
  const groups = new Map<string, Map<string, number>>();
  return {
    add(group: string, rowNo: number, column: number, rows: readonly DraftRowRecord[]) {
      if (column < 0) return;
      const counts = groups.get(group) ?? new Map<string, number>();
      groups.set(group, counts);
      // Rows are in order, and nearly always without a gap.
      const first = rows[0]?.row_no ?? 0;
      const row =
        rows[rowNo - first]?.row_no === rowNo ? rows[rowNo - first] : rows.find((one) => one.row_no === rowNo);
      const value = cellAt(row?.cells ?? '', column);
      const count = counts.get(value);
      if (count !== undefined || counts.size < valuesMax) counts.set(value, (count ?? 0) + 1);
    },
    result: () =>
      Object.fromEntries(
        [...groups].map(([group, counts]) => [
          group,
          [...counts].map(([value, rows]) => ({ value, rows })).sort((one, other) => other.rows - one.rows),
        ]),
      ),
  };
}

function cellAt(cells: string, column: number): string {
  return splitCells(cells)[column] ?? '';
}
