import { z } from 'zod';
import { listDrafts as listRecords } from '../../ledger/drafts/drafts.ts';
import { accountName, pageSize } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { visibleAccounts } from '../base/visible.ts';
import { draftSummary, sha256Hex } from '../mending/draft-fields.ts';
import { summaryOf } from './draft-summary.ts';

/** A place in the list: when a draft was created, and its id. */
const placeForm = /^([0-9]{1,15}) (\S{1,200})$/;

/** The drafts of an account, or of all, the newest first. */
export const listDrafts = defineOperation({
  name: 'list-drafts',
  role: 'audit',
  ledger: 'read',
  showsOnlyVisible: true,
  input: z.strictObject({
    account: accountName.optional(),
    status: z.enum(['open', 'submitted']).optional(),
    /** SHA-256 (hex) of a file: only the drafts of this file. */
    original_sha256: sha256Hex.optional(),
    /** `next` of the page before. */
    after: z.string().regex(placeForm, { error: 'is no place of a previous page' }).optional(),
    limit: pageSize(50, 500),
  }),
  result: z.strictObject({ drafts: z.array(draftSummary), next: z.string().nullable() }),
  async run({ session }, { account, status = null, original_sha256: sha256 = null, after, limit }) {
    const accounts = account === undefined ? visibleAccounts(session) : [account];
    const [, created_at, draft_id] = placeForm.exec(after ?? '') ?? [];
    const before = draft_id === undefined ? null : { created_at: Number(created_at), draft_id };
    const found = await listRecords(session.db, { accounts, status, sha256, before, limit });
    const last = found.length === limit ? found.at(-1) : undefined;
    return { drafts: found.map(summaryOf), next: last ? `${last.created_at} ${last.draft_id}` : null };
  },
});
