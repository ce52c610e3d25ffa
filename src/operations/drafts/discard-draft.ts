import { z } from 'zod';
import { endDraft } from '../../ledger/drafts/drafts.ts';
import { eraseDiscarded } from '../../runtime/drafts/erase-drafts.ts';
import { defineOperation } from '../base/operation.ts';
import { changedMeanwhile } from '../mending/change-rows.ts';
import { draftId } from '../mending/draft-fields.ts';
import { changeInput, dropPlanned, requireSeenDraft } from './changing.ts';

/** Discards a draft that is not submitted, with its file. */
export const discardDraft = defineOperation({
  name: 'discard-draft',
  role: 'prepare',
  ledger: 'change',
  input: changeInput,
  result: z.strictObject({ draft_id: draftId, status: z.literal('discarded') }),
  async run({ session, actor }, { draft_id, version }) {
    const { db, clock } = session;
    const draft = await requireSeenDraft(db, { draft_id, version });
    await dropPlanned(actor, draft);
    const isEnded = await db.transact((tx) => endDraft(tx, draft, 'discarded', clock.now()));
    if (!isEnded) throw changedMeanwhile(draft);
    await eraseDiscarded(session, draft_id);
    return { draft_id, status: 'discarded' as const };
  },
});
