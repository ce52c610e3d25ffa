import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { deleteProblems } from '../../ledger/drafts/draft-problems.ts';
import { endDraft } from '../../ledger/drafts/drafts.ts';
import { eraseDraftRows } from '../../runtime/drafts/erase-drafts.ts';
import { batchId } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { decide, planBatch, unsentBatch, unsentJson } from '../files/batch-of-file.ts';
import { changedMeanwhile } from '../mending/change-rows.ts';
import { draftId } from '../mending/draft-fields.ts';
import { changeInput, requireSeenDraft } from './changing.ts';

/**
 * Submits the batch that was planned of a draft: it is approved, or waits for a second person. The draft then no longer
 * changes; its original, its mended file and its changes are kept until the people of the batch are forgotten.
 */
export const submitDraft = defineOperation({
  name: 'submit-draft',
  role: 'prepare',
  ledger: 'change',
  input: changeInput.extend({
    /** The batch whose plan the person has seen. */
    batch_id: batchId,
  }),
  result: unsentBatch.extend({ draft_id: draftId }),
  async run(context, { draft_id, version, batch_id }) {
    const { session, withAccount } = context;
    const { db, clock } = session;
    const draft = await requireSeenDraft(db, { draft_id, version });
    if (draft.batch_id !== batch_id || draft.batch_version !== draft.version) throw changedMeanwhile(draft);
    const batch = await requireBatch(db, batch_id);
    return withAccount(draft.account, async (account) => {
      const planned = await planBatch(context, account, batch);
      // Somebody who changes the draft meanwhile either finds the batch decided, or has cancelled it.
      const submitted = await decide(context, planned);
      await db.transact((tx) => endDraft(tx, draft, 'submitted', clock.now()));
      await eraseDraftRows(session, draft_id);
      await db.transact((tx) => deleteProblems(tx, draft_id));
      return { ...(await unsentJson(context, submitted, planned)), draft_id };
    });
  },
});
