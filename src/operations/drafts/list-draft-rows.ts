import { z } from 'zod';
import { problemsBetween } from '../../ledger/drafts/draft-problems.ts';
import { countDraftRows, pageDraftRows, rowsBetween } from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, requireDraft } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { defineOperation } from '../base/operation.ts';
import { draftId, draftRow, group } from '../mending/draft-fields.ts';
import { rowJson, shownTo } from './draft-summary.ts';

/** A page of the rows of a draft, as they stand now. Whoever may not prepare files sees masked numbers. */
export const listDraftRows = defineOperation({
  name: 'list-draft-rows',
  role: 'audit',
  ledger: 'change',
  showsNumbers: { of: 'draft', role: 'prepare' },
  input: z.strictObject({
    draft_id: draftId,
    state: draftRow.shape.state.optional(),
    /** Rows with this problem, in `column` if that is given. */
    code: group.code.optional(),
    column: z.int().min(0).optional(),
    /** A part of any cell. */
    text: z.string().min(1).max(200).optional(),
    /** The number of the row after which the page begins. */
    after: z.int().min(0).default(0),
    /** Leaves out so many rows after that. */
    skip: z.int().min(0).max(20_000_000).default(0),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  result: z.strictObject({
    rows: z.array(draftRow),
    /** How many rows match in all. */
    total: z.int(),
    next: z.int().nullable(),
  }),
  async run({ session }, { draft_id, state = null, code = null, column, text = null, after, skip, limit }) {
    const { db } = session;
    const draft = await requireDraft(db, draft_id);
    const filter = { state, code, columnNo: column ?? null, text };
    const { rows, total } =
      state === null && code === null && text === null
        ? await pageOfAll(db, draft, { after: after + skip, limit })
        : {
            rows: await pageDraftRows(db, draft_id, filter, { after, skip, limit }),
            total: await countDraftRows(db, draft_id, filter),
          };
    const [from, to] = [rows[0]?.row_no ?? 0, rows.at(-1)?.row_no ?? 0];
    const problems = Map.groupBy(await problemsOfRows(db, draft_id, rows), ({ row_no }) => row_no);
    const shown = shownTo(session);
    return {
      rows: rows.map((row) => rowJson(row, problems.get(row.row_no) ?? [], shown)),
      total,
      next: rows.length === limit && from > 0 ? to : null,
    };
  },
});

/** The numbers of all rows have no gap: none needs to be counted. */
async function pageOfAll(
  db: Queryable,
  { draft_id, row_count: total }: DraftRecord,
  { after, limit }: { after: number; limit: number },
) {
  return { rows: await rowsBetween(db, draft_id, { from: after + 1, to: after + limit }), total };
}

/** Rows of a filtered page may be far apart: then each is read by itself. */
async function problemsOfRows(db: Queryable, draftId: string, rows: readonly { row_no: number }[]) {
  const [from, to] = [rows[0]?.row_no ?? 0, rows.at(-1)?.row_no ?? 0];
  if (to - from < 2 * rows.length) return problemsBetween(db, draftId, { from, to });
  const found = [];
  for (const { row_no } of rows) found.push(...(await problemsBetween(db, draftId, { from: row_no, to: row_no })));
  return found;
}
