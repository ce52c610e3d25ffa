import { basename } from 'node:path';
import { z } from 'zod';
import { accountName } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { draftOptions, draftSummary } from '../mending/draft-fields.ts';
import { storeDraft } from '../mending/store-draft.ts';
import { summaryOf } from './draft-summary.ts';

/** Reads a file into a draft, which people correct before it becomes a batch. The file itself is kept as it is. */
export const createDraft = defineOperation({
  name: 'create-draft',
  role: 'prepare',
  ledger: 'make',
  input: draftOptions.extend({
    /** An absolute path. */
    file: z.string(),
    account: accountName.optional(),
  }),
  result: draftSummary,
  run: ({ session, signal, withAccount }, { file, account: name, ...options }) =>
    withAccount(name, async ({ name: account }) =>
      summaryOf(await storeDraft(session, { file, file_name: basename(file), account, options, sheets: [] }, signal)),
    ),
});
