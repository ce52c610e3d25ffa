import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { packageFile } from '../../core/basics/package-files.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { reportPlace } from '../../ledger/reporting/report-places.ts';
import { reportName } from '../../reports/versions/folders.ts';
import { sessionKey } from '../../runtime/session/session.ts';
import { reportStore } from '../../runtime/upkeep/report-store.ts';
import { maySeeCompleteNumbers, noteCompleteNumbers } from '../access/complete-numbers.ts';
import { readOutsideHeads } from '../audit/outside-heads.ts';
import { batchId } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { type PackFile, packInstructions } from './audit-pack.ts';

const text = z.string().nullable();

/** The description of every file, in the package of the program. */
const formatPath = packageFile('docs/report-format.md');

/**
 * Puts together what an auditor needs to check a batch offline: all versions of its reports, the public key, the
 * anchored heads that can be read, and how to verify them. People who only audit get the masked reports.
 */
export const exportAuditPack = defineOperation({
  name: 'export-audit-pack',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    /** The masked reports. If it is left out: for a caller who may not see complete numbers. */
    mask: z.boolean().optional(),
  }),
  result: z.strictObject({
    batch_id: batchId,
    file_name: z.string(),
    is_masked: z.boolean(),
    /** The files of the pack. Over HTTP the answer is a zip file of them. */
    pack: z.array(
      z.strictObject({
        /** In the pack. */
        name: z.string(),
        /** On this machine, or in a bucket; null: `text` is the content. */
        path: text,
        text,
      }),
    ),
  }),
  async run({ session }, { batch_id, mask = !maySeeCompleteNumbers(session) }) {
    const { db, config } = session;
    const { run_id } = await requireBatch(db, batch_id);
    const out = (await reportPlace(db, batch_id)) ?? config.out;
    const folders = await reportStore(session, out).folders(reportName(batch_id, { mask }));
    const [current] = folders;
    if (current === undefined)
      throw new AirbatchError('BATCH_STATE', `batch ${batch_id} has no ${mask ? 'masked ' : ''}reports`, {
        reason: refusal('REPORTS_MISSING', {}),
        hint: `Write them first: airbatch report ${batch_id}${mask ? ' --mask' : ''}`,
      });
    if (!mask) await noteCompleteNumbers(session, { batch_id, file: 'audit pack', version: current.version });
    const { publicKey, fingerprint } = await sessionKey(session);
    const { byBatch, unread } = await readOutsideHeads(session, batch_id);
    const heads = byBatch.get(batch_id) ?? [];
    const instructions = packInstructions({
      ...{ batchId: batch_id, runId: run_id, isMasked: mask, fingerprint, heads: heads.length, unread },
    });
    const reports = folders.flatMap(({ dir, keptAs, files }) =>
      files.map(({ name }) => ({
        name: join('reports', keptAs, name),
        path: `${dir}/${name}`,
        text: null,
      })),
    );
    const pack: PackFile[] = [
      { name: 'README.txt', path: null, text: instructions },
      { name: 'airbatch-key.pem', path: null, text: publicKey },
      ...(heads.length === 0 ? [] : [{ name: 'anchors.jsonl', path: null, text: anchorLines(batch_id, heads) }]),
      ...((await isThere(formatPath)) ? [{ name: 'report-format.md', path: formatPath, text: null }] : []),
      ...reports,
    ];
    return { batch_id, file_name: `${batch_id}-audit-pack${mask ? '-masked' : ''}.zip`, is_masked: mask, pack };
  },
});

function anchorLines(batch_id: string, heads: readonly { place: string; events: number; head: string }[]): string {
  return heads.map((head) => `${JSON.stringify({ batch_id, ...head })}\n`).join('');
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
