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
    /** Makes a second draft of a file that already has an open draft. */
    anew: z.boolean().default(false),
  }),
  result: draftSummary.extend({
    /** False if the same file was uploaded before, and its draft is still open: then it is that one. */
    is_new: z.boolean(),
  }),
  run: ({ session, signal, withAccount }, { file, account: name, anew, ...options }) =>
    withAccount(name, async ({ name: account }) => {
      // Another sheet of the same workbook is another draft.
      const isReused = !anew && options.sheet === undefined;
      const wanted = {
        file,
        file_name: basename(file),
        account,
        options,
        sheets: [],
        isReused,
        uploadedBy: session.person,
      };
      const { draft, isNew } = await storeDraft(session, wanted, signal);
      return { ...summaryOf(draft), is_new: isNew };
    }),
});
