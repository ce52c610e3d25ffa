import { z } from 'zod';
import { splitCells } from '../../ledger/drafts/draft-rows.ts';
import { requireOpenDraft } from '../../ledger/drafts/drafts.ts';
import { defineOperation } from '../base/operation.ts';
import { fixedPages } from '../mending/apply-fix.ts';
import type { CheckedEdit } from '../mending/change-rows.ts';
import { draftId } from '../mending/draft-fields.ts';
import { groupFix, requireFitting } from '../mending/group-fix.ts';
import { rowCheckOf } from '../mending/row-checks.ts';

/** Changed cells that are shown. */
const examplesMax = 8;

/** What a fix would make of the rows with one kind of problem, before anything is changed. */
export const previewFix = defineOperation({
  name: 'preview-fix',
  role: 'prepare',
  ledger: 'change',
  showsNumbers: { of: 'draft', role: 'prepare' },
  input: groupFix.extend({ draft_id: draftId }),
  result: z.strictObject({
    /** Rows that would be mended, and rows that would stay as they are. */
    mended: z.int(),
    left: z.int(),
    /** Some of the cells that would change; `column` is null where the whole row is taken out of the file. */
    examples: z.array(
      z.strictObject({
        row: z.int(),
        line: z.int(),
        column: z.int().nullable(),
        before: z.string(),
        after: z.string(),
      }),
    ),
  }),
  async run({ session, withAccount }, { draft_id, ...group }) {
    const draft = await requireOpenDraft(session.db, draft_id);
    return withAccount(draft.account, async (account) => {
      const check = requireFitting(await rowCheckOf(session, account, draft), group);
      const result = { mended: 0, left: 0, examples: [] as ChangedCell[] };
      const fix = { ...group, value: group.value ?? '', only: group.only ?? null };
      for await (const { edits, left } of fixedPages(session, check, draft, fix)) {
        result.mended += edits.length;
        result.left += left;
        for (const edit of edits) {
          if (result.examples.length >= examplesMax) break;
          result.examples.push(...changedCells(edit));
        }
      }
      return result;
    });
  },
});

interface ChangedCell {
  row: number;
  line: number;
  column: number | null;
  before: string;
  after: string;
}

function changedCells({ before, after }: CheckedEdit): ChangedCell[] {
  const { row_no: row, line } = before;
  const [old, now] = [splitCells(before.cells), splitCells(after.row.cells)];
  if (after.row.state === 'excluded') return [{ row, line, column: null, before: old.join(' '), after: '' }];
  return now.flatMap((value, column) =>
    value === (old[column] ?? '') ? [] : [{ row, line, column, before: old[column] ?? '', after: value }],
  );
}
