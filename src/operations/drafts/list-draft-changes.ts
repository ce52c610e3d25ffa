import { z } from 'zod';
import { firstChanges, listSteps } from '../../ledger/drafts/draft-changes.ts';
import { requireDraft } from '../../ledger/drafts/drafts.ts';
import { afterNo, pageSize } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { draftId } from '../mending/draft-fields.ts';
import { step, stepJson } from '../mending/step-json.ts';
import { shownTo } from './draft-summary.ts';

/** Changes of one step that are shown with it. */
const changesShownMax = 20;

/** Who has changed what in a draft, step by step, undone steps included. */
export const listDraftChanges = defineOperation({
  name: 'list-draft-changes',
  role: 'audit',
  ledger: 'change',
  showsNumbers: { of: 'draft', role: 'prepare' },
  input: z.strictObject({
    draft_id: draftId,
    /** The number of the step after which the page begins. */
    after: afterNo,
    limit: pageSize(50, 500),
  }),
  result: z.strictObject({
    steps: z.array(
      step.extend({
        /**
         * The first of its changes. `line`: of the row in the file; null for the options, and once the rows are erased.
         * `column`: -1 for the whole row, -2 for the options of the draft.
         */
        changes: z.array(
          z.strictObject({
            row: z.int(),
            line: z.int().nullable(),
            column: z.int(),
            before: z.string(),
            after: z.string(),
          }),
        ),
      }),
    ),
    next: z.int().nullable(),
  }),
  async run({ session }, { draft_id, after, limit }) {
    const { db } = session;
    await requireDraft(db, draft_id);
    const shown = shownTo(session);
    const found = await listSteps(db, draft_id, after, limit);
    const steps = [];
    for (const one of found) {
      const changes = await firstChanges(db, one, changesShownMax);
      steps.push({
        ...stepJson(one),
        changes: changes.map(({ row_no, line, column_no, ...of }) => ({
          ...{ row: row_no, line, column: column_no, before: shown(of.before), after: shown(of.after) },
        })),
      });
    }
    return { steps, next: found.length === limit ? (found.at(-1)?.step ?? null) : null };
  },
});
