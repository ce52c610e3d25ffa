import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { requireDraft } from '../../ledger/drafts/drafts.ts';
import { mendedName, requireFile, withMended, writeMendedXlsx } from '../../runtime/drafts/draft-files.ts';
import { openReport } from '../../runtime/upkeep/report-store.ts';
import { defineOperation } from '../base/operation.ts';
import { draftId } from '../mending/draft-fields.ts';

/** The file of a draft: as it was uploaded, or as it stands now or was submitted; of a workbook, also as one. */
export const readDraftFile = defineOperation({
  name: 'read-draft-file',
  role: 'prepare',
  ledger: 'change',
  showsNumbers: { of: 'file of a draft', role: 'prepare' },
  input: z.strictObject({ draft_id: draftId, which: z.enum(['original', 'mended', 'mended_xlsx']) }),
  result: z.strictObject({
    file_name: z.string(),
    media_type: z.string(),
    bytes: z.int(),
    /** Where it lies on this machine, or in a bucket: over HTTP the answer is the file itself. */
    path: z.string(),
  }),
  async run({ session }, { draft_id, which }) {
    const draft = await requireDraft(session.db, draft_id);
    if (which === 'mended' && draft.status === 'open')
      await withMended(session, draft, async () => undefined, { isKept: true });
    if (which === 'mended_xlsx') {
      if (draft.from_workbook === 0) throw new AirbatchError('USAGE', `draft ${draft_id} has no rows of a workbook`);
      await writeMendedXlsx(session, draft, (path) => openReport(session, path));
    }
    const { path, bytes } = await requireFile(session, draft, which);
    const file_name = which === 'original' ? draft.file_name : mendedName(draft, which);
    return { file_name, media_type: mediaTypeOf(file_name), bytes, path };
  },
});

function mediaTypeOf(name: string): string {
  if (/\.xlsx$/i.test(name)) return 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  return /\.csv$/i.test(name) ? 'text/csv; charset=utf-8' : 'application/octet-stream';
}
