import { writeReports } from '../../operations/proof/write-reports.ts';
import { brokenChainText } from '../../reports/sentences/verdict.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { versionSentence } from '../base/version-sentence.ts';
import { call } from '../session/call.ts';

/** `airbatch report BATCH --out DIR`. */
export async function execute(
  context: CommandContext,
  [batch_id = '']: string[],
  { out, mask }: { out?: string; mask?: boolean },
): Promise<number> {
  const reports = await call(context, writeReports, { batch_id, out: pathOf(context, out), mask });
  const files = reports.files.map((file) => `  ${file}`);
  const { chain_broken: broken } = reports;
  const fault = broken === null ? [] : [`${brokenChainText} Its audit chain is broken: ${broken}.`];
  answer(context, reports, [...fault, reports.dir, ...files, versionSentence(reports, context.cwd)].join('\n'));
  return broken === null ? 0 : 5;
}
