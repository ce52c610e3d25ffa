import { resolve } from 'node:path';
import { validateFile } from '../intake/validate.ts';
import { sumsText } from '../reports/format.ts';
import { counted } from '../reports/words.ts';
import { loadConfig } from '../runtime/config.ts';
import type { CommandContext } from './main.ts';

/** `airbatch validate FILE`: what is right and wrong with a file; nothing is stored or sent. */
export async function execute(context: CommandContext, [file = '']: string[]): Promise<number> {
  const { terminal, cwd, env, configPath } = context;
  const config = await loadConfig({ cwd, env, configPath });
  const result = await validateFile({ file: file === '-' ? '-' : resolve(cwd, file), settings: config.intake });
  const { counts } = result;
  const exitCode = counts.invalid > 0 ? 4 : counts.held > 0 ? 5 : 0;
  if (context.json) {
    terminal.print(`${JSON.stringify({ exit_code: exitCode, ...result })}\n`);
    return exitCode;
  }
  const lines = [
    `File       ${counted(counts.rows, 'row')}: ${counts.valid} in order, ${counts.invalid} wrong${counts.held > 0 ? `, ${counts.held} held for a person` : ''}`,
    `To pay     ${sumsText(result.sums)}`,
  ];
  for (const { code, count, examples } of result.problems) {
    lines.push('', `${terminal.paint('bold', code)} in ${counted(count, 'row')}`);
    for (const { line, message } of examples) lines.push(`  line ${line}: ${message}`);
  }
  terminal.print(`${lines.join('\n')}\n`);
  return exitCode;
}
