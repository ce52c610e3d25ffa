import { z } from 'zod';
import { endDraft, requireOpenDraft } from '../../ledger/drafts/drafts.ts';
import { eraseDiscarded } from '../../runtime/drafts/erase-drafts.ts';
import { defineOperation } from '../base/operation.ts';
import { changedMeanwhile } from '../mending/change-rows.ts';
import { draftId } from '../mending/draft-fields.ts';
import { changeInput, dropPlanned } from './changing.ts';

/** Discards a draft that is not submitted, with its file. */
export const discardDraft = defineOperation({
  name: 'discard-draft',
  role: 'prepare',
  ledger: 'change',
  input: changeInput,
  result: z.strictObject({ draft_id: draftId, status: z.literal('discarded') }),
  async run({ session, actor }, { draft_id, version }) {
    const { db, clock } = session;
    const draft = await requireOpenDraft(db, draft_id);
    if (version !== undefined && version !== draft.version) throw changedMeanwhile(draft);
    if (draft.batch_id !== null) await dropPlanned(actor, draft, draft.batch_id);
    const isEnded = await db.transact((tx) => endDraft(tx, draft, 'discarded', clock.now()));
    if (!isEnded) throw changedMeanwhile(draft);
    await eraseDiscarded(session, draft_id);
    return { draft_id, status: 'discarded' as const };
  },
});
