import { endDraft } from '../../ledger/drafts/drafts.ts';
import { withOriginal } from '../../runtime/drafts/draft-files.ts';
import { eraseDiscarded } from '../../runtime/drafts/erase-drafts.ts';
import { defineOperation } from '../base/operation.ts';
import { changedMeanwhile } from '../mending/change-rows.ts';
import { draftOptions, draftSummary, optionsOf, sheetsOf } from '../mending/draft-fields.ts';
import { storeDraft } from '../mending/store-draft.ts';
import { changeInput, dropPlanned, requireSeenDraft } from './changing.ts';
import { summaryOf } from './draft-summary.ts';

const { sheet, header_line } = draftOptions.shape;

/**
 * Reads the original file of a draft again: from another sheet, or from another header line. The rows are other ones
 * then, so a new draft takes the place of this one, without its changes.
 */
export const rereadDraft = defineOperation({
  name: 'reread-draft',
  role: 'prepare',
  ledger: 'change',
  input: changeInput.extend({
    /** Left out: the sheet that was read before. */
    sheet,
    /** Left out: the first line that names the columns. */
    header_line,
  }),
  result: draftSummary,
  async run({ session, actor, signal }, { draft_id, version, ...input }) {
    const { db, clock } = session;
    const draft = await requireSeenDraft(db, { draft_id, version });
    const { map: _, header_line: __, ...options } = optionsOf(draft);
    const { file_name, account, created_by: uploadedBy } = draft;
    const of = { file_name, account, uploadedBy, sheets: sheetsOf(draft), isReused: false };
    const read = { ...of, options: { ...options, ...input } };
    const { draft: fresh } = await withOriginal(session, draft, (file) =>
      storeDraft(session, { file, ...read }, signal),
    );
    await dropPlanned(actor, draft);
    const isEnded = await db.transact((tx) => endDraft(tx, draft, 'discarded', clock.now()));
    if (!isEnded) {
      await db.transact((tx) => endDraft(tx, fresh, 'discarded', clock.now()));
      await eraseDiscarded(session, fresh.draft_id);
      throw changedMeanwhile(draft);
    }
    await eraseDiscarded(session, draft_id);
    return summaryOf(fresh);
  },
});
