import { requireBatch } from '../engine/acts.ts';
import { writeReports } from '../reports/reports.ts';
import { anchorFinished } from '../runtime/anchors.ts';
import { sessionSigning } from '../runtime/session.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import { outOf, withLedger } from './session.ts';
import { versionSentence } from './version-sentence.ts';

/** `airbatch report BATCH --out DIR`: the reports of a batch, made again from the ledger; what was given out before is kept. */
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
