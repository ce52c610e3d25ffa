import { problemTable } from '../../core/state/problem-table.ts';
import { visible } from '../../core/text/visible.ts';
import type { Findings } from '../../operations/base/events.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import { validateFile } from '../../operations/files/validate-file.ts';
import { productsText, requestedText, sumsText } from '../../reports/sentences/format.ts';
import { counted, grouped } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { optionsText, quoted } from '../base/options-text.ts';
import { pathOf } from '../base/path-of.ts';
import type { Terminal } from '../base/terminal.ts';
import { callLong } from '../running/call-long.ts';
import { understoodLines } from '../text/file-lines.ts';
import { unusualLines } from '../text/plan-lines.ts';
import { type FileOptions, fileInputOf } from './file-options.ts';

interface ValidateOptions extends FileOptions {
  errors?: string;
}

/** `airbatch validate FILE`: shows what is right and wrong with a file. Stores and sends nothing. */
export async function execute(
  context: CommandContext,
  [file = '']: string[],
  options: ValidateOptions,
): Promise<number> {
  const input = fileInputOf(context, file, options);
  const found = await callLong(context, validateFile, { ...input, errors: pathOf(context, options.errors) });
  if (found === null) return interruptedExitCode;
  const lines = [...summaryLines(context.terminal, found, options), ...errorsLine(options, found)];
  answer(context, found, lines.join('\n'));
  return found.exit_code;
}

function summaryLines(terminal: Terminal, findings: Findings, options: ValidateOptions): string[] {
  const { counts, sums, countries, product_rows: productRows, unusual, problems } = findings;
  const held = counts.held > 0 ? `, ${grouped(counts.held)} held for a person` : '';
  const lines = [
    `File       ${counted(counts.rows, 'row')}: ${grouped(counts.valid)} to pay, ${grouped(counts.invalid)} wrong${held}`,
    ...understoodLines(findings).map(visible),
    `To pay     ${requestedText(sums, productRows)}`,
    ...(productRows > 0 ? [`Products   ${productsText(productRows, {}, productRows)}`] : []),
    ...Object.entries(countries).map(
      ([country, own]) =>
        `  ${country}       ${counted(own.rows, 'row')}${Object.keys(own.sums).length === 0 ? '' : `: ${sumsText(own.sums)}`}`,
    ),
    ...unusualLines(unusual),
  ];
  for (const { code, count, examples } of problems) {
    lines.push('', `${terminal.paint('bold', code)} in ${counted(count, 'row')}`);
    for (const [suggestion, alike] of Map.groupBy(examples, (example) => example.suggestion)) {
      lines.push(...exampleLines(alike));
      lines.push(`  ${visible(suggestion)}`);
    }
    lines.push(...moreLine(code, count - examples.length, options));
  }
  // The rows are in no batch yet.
  if (counts.held > 0)
    lines.push(
      '',
      'You can release or skip held rows after you run or submit the file. Before that, delete the rows you do not want.',
    );
  return lines;
}

/** Says what several rows have in common only once. */
function exampleLines(examples: Findings['problems'][number]['examples']): string[] {
  const byMessage = Map.groupBy(examples, ({ message }) => message);
  return [...byMessage].map(([message, alike]) => {
    const where = `${alike.length === 1 ? 'line' : 'lines'} ${alike.map(({ line }) => line).join(', ')}`;
    return `  ${where}: ${visible(message)}`;
  });
}

/** Says how many rows have no example. A file of errors has those to correct, and no others. */
function moreLine(code: keyof typeof problemTable, more: number, { errors }: ValidateOptions): string[] {
  if (more === 0) return [];
  const place = errors === undefined ? '--errors FILE writes all of them' : `${errors} has them all`;
  return [`  and ${counted(more, 'more row')}${problemTable[code].verdict === 'invalid' ? `: ${place}` : ''}`];
}

function errorsLine(options: ValidateOptions, { counts }: Findings): string[] {
  const { errors } = options;
  if (errors === undefined) return [];
  if (counts.invalid === 0) return ['', 'There is no row to correct.'];
  // Under another run id, a row that is corrected in both files would be paid by both.
  const run = `airbatch run ${quoted(errors)} --run-id NAME${optionsText(options)}`;
  return [
    '',
    `${counted(counts.invalid, 'row')} to correct: ${errors}. Correct it, and run it under the NAME of the whole payout (nothing is paid twice): ${run}`,
  ];
}
