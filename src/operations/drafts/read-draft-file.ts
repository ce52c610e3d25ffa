import { z } from 'zod';
import { requireDraft } from '../../ledger/drafts/drafts.ts';
import { mendedName, requireFile, withMended } from '../../runtime/drafts/draft-files.ts';
import { defineOperation } from '../base/operation.ts';
import { draftId } from '../mending/draft-fields.ts';

/** The file of a draft: as it was uploaded, or as it stands now. */
export const readDraftFile = defineOperation({
  name: 'read-draft-file',
  role: 'prepare',
  ledger: 'change',
  showsNumbers: { of: 'file of a draft', role: 'prepare' },
  input: z.strictObject({ draft_id: draftId, which: z.enum(['original', 'mended']) }),
  result: z.strictObject({
    file_name: z.string(),
    media_type: z.string(),
    bytes: z.int(),
    /** Where it lies on this machine, or in a bucket: over HTTP the answer is the file itself. */
    path: z.string(),
  }),
  async run({ session }, { draft_id, which }) {
    const draft = await requireDraft(session.db, draft_id);
    const isMended = which === 'mended';
    if (isMended && draft.status === 'open') await withMended(session, draft, async () => undefined, { isKept: true });
    const { path, bytes } = await requireFile(session, draft, which);
    const file_name = isMended ? mendedName(draft) : draft.file_name;
    return { file_name, media_type: mediaTypeOf(file_name), bytes, path };
  },
});

function mediaTypeOf(name: string): string {
  if (/\.xlsx$/i.test(name)) return 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  return /\.csv$/i.test(name) ? 'text/csv; charset=utf-8' : 'application/octet-stream';
}
