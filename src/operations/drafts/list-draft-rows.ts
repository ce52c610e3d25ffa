import { z } from 'zod';
import { problemsBetween } from '../../ledger/drafts/draft-problems.ts';
import {
  countDraftRows,
  type DraftRowFilter,
  type DraftRowRecord,
  pageDraftRows,
  rowsBetween,
} from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, requireDraft } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import { afterNo, columnNo, pageSize } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { draftId, draftRow, group } from '../mending/draft-fields.ts';
import { rowJson, shownTo } from './draft-summary.ts';

/** A page of the rows of a draft, as they stand now. People who may not prepare files see masked numbers. */
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
    column: columnNo.optional(),
    /** A part of any cell. With digits it is only for people who may prepare files. */
    text: z.string().min(1).max(200).optional(),
    /** The number of the row after which the page begins. */
    after: afterNo,
    /** Leaves out so many rows after that. */
    skip: z.int().min(0).max(20_000_000).default(0),
    limit: pageSize(100, 1_000),
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
    // A person who sees masked numbers could find them digit by digit.
    if (text !== null && /\p{Nd}/u.test(text)) requireRole(session, 'prepare');
    const filter = { state, code, columnNo: column ?? null, text };
    const place = { after, skip, limit };
    const { rows, total } =
      text !== null
        ? await pageOfSearch(session, draft, filter, place)
        : await (state === null && code === null ? pageOfAll(db, draft, place) : pageOfSome(db, draft, filter, place));
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

interface Place {
  after: number;
  skip: number;
  limit: number;
}

/** The numbers of all rows have no gap: none needs to be counted. */
async function pageOfAll(db: Queryable, { draft_id, row_count: total }: DraftRecord, { after, skip, limit }: Place) {
  const first = after + skip + 1;
  return { rows: await rowsBetween(db, draft_id, { from: first, to: first + limit - 1 }), total };
}

/** Rows in which a text is looked for at once: some 20 ms of work, after which other work has its turn. */
const rowsPerSearch = 20_000;

/** The rows with a text, for which there is no index: every row is read once, and those of the page a second time. */
async function pageOfSearch(
  { db, clock }: Session,
  { draft_id, row_count }: DraftRecord,
  filter: DraftRowFilter,
  { after, skip, limit }: Place,
) {
  const rows: DraftRowRecord[] = [];
  let total = 0;
  let left = skip;
  for (let from = 0; from < row_count; await clock.turn()) {
    // A look ends where the page begins.
    const to = Math.min(from + rowsPerSearch, from < after ? after : row_count);
    const count = await countDraftRows(db, draft_id, filter, { after: from, to });
    total += count;
    if (from >= after) {
      const page = { after: from, to, skip: left, limit: limit - rows.length };
      if (page.limit > 0 && count > left) rows.push(...(await pageDraftRows(db, draft_id, filter, page)));
      left = Math.max(0, left - count);
    }
    from = to;
  }
  return { rows, total };
}

async function pageOfSome(db: Queryable, { draft_id }: DraftRecord, filter: DraftRowFilter, place: Place) {
  return {
    rows: await pageDraftRows(db, draft_id, filter, { ...place, to: null }),
    total: await countDraftRows(db, draft_id, filter, { after: 0, to: null }),
  };
}

/** Rows of a filtered page may be far apart: then each is read by itself. */
async function problemsOfRows(db: Queryable, draftId: string, rows: readonly { row_no: number }[]) {
  const [from, to] = [rows[0]?.row_no ?? 0, rows.at(-1)?.row_no ?? 0];
  if (to - from < 2 * rows.length) return problemsBetween(db, draftId, { from, to });
  const found = [];
  for (const { row_no } of rows) found.push(...(await problemsBetween(db, draftId, { from: row_no, to: row_no })));
  return found;
}
