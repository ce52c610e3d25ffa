import { requireBatch } from '../../engine/batches/batch-commands.ts';
import { writeReports } from '../../reports/reports.ts';
import { sessionSigning } from '../../runtime/session/session.ts';
import { anchorFinished } from '../../runtime/upkeep/anchoring.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { versionSentence } from '../base/version-sentence.ts';
import { outOf, withLedger } from '../session/session.ts';

/**
 * `airbatch report BATCH --out DIR`: the reports of a batch, made again from the ledger; what was given out before is
 * kept.
 */
export function execute(
  context: CommandContext,
  [batchId = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  return withLedger(context, async (session) => {
    await requireBatch(session.db, batchId);
    await anchorFinished(session);
    const out = outOf(context, session, options.out);
    const reports = await writeReports(session.db, batchId, out, {
      signing: await sessionSigning(session),
      mask: options.mask === true,
      readableByGroup: session.config.readableByGroup,
    });
    const files = reports.files.map((file) => `  ${file}`);
    answer(context, reports, [reports.dir, ...files, versionSentence(reports, context.cwd)].join('\n'));
    return 0;
  });
}
