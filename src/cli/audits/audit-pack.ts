import { createWriteStream } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { packStream } from '../../operations/proof/audit-pack.ts';
import { exportAuditPack } from '../../operations/proof/export-audit-pack.ts';
import { writeReports } from '../../operations/proof/write-reports.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf, unwritable } from '../base/path-of.ts';
import { withCalls } from '../session/call.ts';

/** The pack may contain whole phone numbers: only its owner may read it. */
const fileMode = 0o600;

/** `airbatch audit-pack BATCH --out FILE`: writes the reports of a batch and all that proves them into one zip file. */
export async function execute(
  context: CommandContext,
  [batch_id = '']: string[],
  { out, mask = false }: { out?: string; mask?: boolean },
): Promise<number> {
  const { file, is_masked, files } = await withCalls(context, async (call, read) => {
    await call(writeReports, { batch_id, mask });
    const { file_name, is_masked, pack } = await call(exportAuditPack, { batch_id, mask });
    const file = pathOf(context, out) ?? resolve(context.cwd, file_name);
    await pipeline(packStream(pack, read), createWriteStream(file, { mode: fileMode })).catch(unwritable(file));
    return { file, is_masked, files: pack.map(({ name }) => name) };
  });
  const text = `${relative(context.cwd, file)}: ${counted(files.length, 'file')}${is_masked ? ', masked' : ''}. README.txt says how to verify them.`;
  answer(context, { batch_id, file, is_masked, files }, text);
  return 0;
}
