import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import type { RowCheck } from '../../intake/mending/check-one.ts';
import { insertChanges, noteStepCells, ofOptions } from '../../ledger/drafts/draft-changes.ts';
import { findDraftRow, splitCells } from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, rememberMapping } from '../../ledger/drafts/drafts.ts';
import type { Session } from '../../runtime/session/session.ts';
import { rowNo } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { fixedPages, type GroupFix } from '../mending/apply-fix.ts';
import {
  beginStep,
  type CheckedEdit,
  changedMeanwhile,
  checkEdits,
  endPages,
  type RowEdit,
  writeEdits,
} from '../mending/change-rows.ts';
import { changeableOptions, draftRow, optionsOf } from '../mending/draft-fields.ts';
import { groupFix, requireFitting } from '../mending/group-fix.ts';
import { rowCheckOf } from '../mending/row-checks.ts';
import { changeInput, changeResult, changing } from './changing.ts';
import { rowJson } from './draft-summary.ts';

/** The most cells of one change: a pasted block. */
const cellsMax = 10_000;
const cellLengthMax = 10_000;

const cell = z.strictObject({
  row: rowNo,
  column: z.int().min(0).max(999),
  value: z.string().max(cellLengthMax),
  /** What the caller has seen in the cell: the change is refused (`CHANGED_MEANWHILE`) if it is something else. */
  before: z.string().max(cellLengthMax).optional(),
});

/**
 * Changes a draft in one step: some cells, all rows of a group of problems by a fix, whole rows, or how the file is
 * read. Exactly one of these is given. The changed rows are checked at once, each by itself.
 */
export const changeDraft = defineOperation({
  name: 'change-draft',
  role: 'prepare',
  ledger: 'change',
  showsNumbers: { of: 'draft', role: 'prepare' },
  input: changeInput.extend({
    cells: z.array(cell).min(1).max(cellsMax).optional(),
    fix: groupFix.optional(),
    /** Takes rows out of the file, or puts them back. */
    rows: z.strictObject({ rows: z.array(rowNo).min(1).max(cellsMax), in_file: z.boolean() }).optional(),
    /** Replaces all options that can be changed. Their mapping of columns is remembered for this header. */
    options: changeableOptions.optional(),
  }),
  result: changeResult.extend({
    /** How many cells were changed; a whole row counts as one. */
    changed: z.int(),
    /** The changed rows, if there are not too many to show. */
    rows: z.array(draftRow),
  }),
  run: (context, { cells, fix, rows, options, ...of }) =>
    changing(context, of, async (draft, account, dropPlan) => {
      const { session } = context;
      if ([cells, fix, rows, options].filter((one) => one !== undefined).length !== 1)
        throw new AirbatchError('USAGE', 'name one change: cells, fix, rows or options');
      if (fix) {
        const check = await requireFitting(await rowCheckOf(session, account, draft), fix);
        await dropPlan();
        return { changed: await applyFix(session, check, draft, fix), rows: [] };
      }
      if (options) {
        await dropPlan();
        return { changed: await changeOptions(session, draft, options), rows: [] };
      }
      const edits = cells
        ? await cellEdits(session, draft, cells)
        : await rowEdits(session, draft, rows?.rows ?? [], rows?.in_file === true);
      const checked = await checkEdits(await rowCheckOf(session, account, draft), draft, edits);
      await dropPlan();
      return applyEdits(session, draft, checked, cells ? 'cells' : 'rows');
    }),
});

/** The most rows in an answer. */
const shownMax = 200;

async function applyEdits(session: Session, draft: DraftRecord, edits: readonly CheckedEdit[], kind: 'cells' | 'rows') {
  const changed = await session.db.transact(async (tx) =>
    writeEdits(tx, draft, await beginStep(tx, session, draft, { kind, detail: '' }), edits),
  );
  const rows = edits.slice(0, shownMax).map(({ after }) => rowJson(after.row, after.problems, (text) => text));
  return { changed, rows };
}

async function cellEdits(
  { db }: Session,
  draft: DraftRecord,
  cells: readonly z.output<typeof cell>[],
): Promise<RowEdit[]> {
  const edits: RowEdit[] = [];
  for (const [rowNo, ofRow] of Map.groupBy(cells, ({ row }) => row)) {
    const before = await requireRow(db, draft, rowNo);
    const content = splitCells(before.cells);
    if (before.state === 'excluded' && content.some((text) => text.trim() !== ''))
      throw new AirbatchError('DRAFT_STATE', `row ${rowNo} is not in the file`, {
        reason: refusal('ROW_LEFT_OUT', { row: rowNo }),
        hint: 'Put the row back first.',
      });
    for (const { column, value, before: seen } of ofRow) {
      const now = content[column] ?? '';
      // A change that is sent again may have been made already.
      if (seen !== undefined && seen !== now && value !== now) throw changedMeanwhile(draft);
      while (content.length < column) content.push('');
      content[column] = value;
    }
    edits.push({ before, after: content });
  }
  return edits;
}

async function rowEdits({ db }: Session, draft: DraftRecord, rows: readonly number[], inFile: boolean) {
  const edits: RowEdit[] = [];
  for (const rowNo of new Set(rows))
    edits.push({ before: await requireRow(db, draft, rowNo), after: inFile ? 'include' : 'exclude' });
  return edits;
}

async function requireRow(db: Session['db'], { draft_id }: DraftRecord, rowNo: number) {
  const row = await findDraftRow(db, draft_id, rowNo);
  if (row) return row;
  throw new AirbatchError('ROW_UNKNOWN', `draft ${draft_id} has no row ${rowNo}`);
}

/** Applies a fix page by page, so that other writers need not wait. Returns how many cells it has changed. */
async function applyFix(session: Session, check: RowCheck, draft: DraftRecord, group: z.output<typeof groupFix>) {
  const { db } = session;
  const step = await db.transact((tx) => beginStep(tx, session, draft, { kind: 'fix', detail: group.fix }));
  let cells = 0;
  const fix: GroupFix = { ...group, value: group.value ?? '', only: group.only ?? null };
  for await (const { edits } of fixedPages(session, check, draft, fix))
    cells = await db.transact((tx) => writeEdits(tx, draft, step, edits, cells));
  await db.transact((tx) => endPages(tx, session, draft));
  return cells;
}

async function changeOptions(session: Session, draft: DraftRecord, options: z.output<typeof changeableOptions>) {
  const { sheet, header_line } = optionsOf(draft);
  const kept = Object.fromEntries(Object.entries({ sheet, header_line }).filter(([, value]) => value !== undefined));
  const after = JSON.stringify({ ...kept, ...options });
  await session.db.transact(async (tx) => {
    const step = await beginStep(tx, session, draft, { kind: 'options', detail: '', options: after });
    const change = { draft_id: draft.draft_id, step, row_no: 0, column_no: ofOptions, before: draft.options, after };
    await insertChanges(tx, [change]);
    await noteStepCells(tx, draft.draft_id, step, 1);
    if (options.map) await rememberMapping(tx, draft, options.map as Record<string, string>);
  });
  return 1;
}
