import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { visible } from '../../core/text/visible.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { CheckedFile } from '../../intake/check/check-file.ts';
import type { FileFindings } from '../../intake/check/findings.ts';
import type { FileRow } from '../../intake/rows/file-rows.ts';
import { validateFile } from '../../intake/validate.ts';
import { correctionCsv } from '../../reports/render/failed.ts';
import { lostTextsText, productsText, requestedText, sumsText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { type OpenAccount, openAccount } from '../../runtime/accounts/account.ts';
import { makeLog } from '../../runtime/logging/log.ts';
import { type Config, chooseAccount } from '../../runtime/settings/config.ts';
import { balanceOf } from '../../runtime/upkeep/import-file.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { optionsText, quoted, readWithOf } from '../base/options-text.ts';
import type { Terminal } from '../base/terminal.ts';
import { whileReading } from '../running/reading.ts';
import { configOf } from '../service/config.ts';
import { printRehearsal } from '../session/rehearsal.ts';
import { understoodLines } from '../text/file-lines.ts';
import { unusualLines } from '../text/plan-lines.ts';
import { intakeSettingsWith } from './intake-settings.ts';

/** `airbatch validate FILE`: what is right and wrong with a file; nothing is stored or sent. */
export async function execute(
  context: CommandContext,
  [file = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const { terminal, cwd } = context;
  const config = await configOf(context);
  const path = file === '-' ? '-' : resolve(cwd, file);
  const errorsPath = typeof options.errors === 'string' ? resolve(cwd, options.errors) : null;
  if (errorsPath !== null && errorsPath === path) {
    throw new AirbatchError('USAGE', 'the rows to correct cannot be written over the file that has them');
  }
  return whileReading(terminal, async ({ signal, onProgress }) => {
    const findings = await withAccount(
      { ...context, config },
      options.account as string | undefined,
      async (account) => {
        printRehearsal(terminal, account.isSandbox);
        const { catalog, gateway } = account;
        const errors = errorsPath === null ? null : errorsFile(errorsPath);
        try {
          const settings = intakeSettingsWith(config.intake, options);
          const onRows = errors ? { onRows: errors.add } : {};
          const sheetIsNamed = options.sheet !== undefined;
          const found = await validateFile({
            file: path,
            settings,
            sheetIsNamed,
            catalog,
            signal,
            onProgress,
            ...onRows,
          });
          // As a run of the file: rows would be called wrong that are not.
          if (catalog.refusal() !== null) await balanceOf(account, 'validate the file again');
          if (!gateway.sendsTexts && found.textRows > 0) found.warnings.push(lostTextsText(found.textRows));
          return found;
        } finally {
          await errors?.close();
        }
      },
    );
    const { counts } = findings;
    const exitCode = counts.invalid > 0 ? 4 : counts.held > 0 ? 5 : 0;
    const lines = [...summaryLines(terminal, findings), ...errorsLine(options, findings)];
    answer(context, { exit_code: exitCode, ...findingsJson(findings) }, lines.join('\n'));
    return exitCode;
  });
}

/**
 * Networks and products are looked up where a run would look them up; the embedded sandbox leaves nothing behind here.
 */
async function withAccount<Result>(
  { terminal, stderr, config }: Pick<CommandContext, 'terminal' | 'stderr'> & { config: Config },
  accountName: string | undefined,
  work: (account: OpenAccount) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'airbatch-'));
  try {
    const log = makeLog({
      level: 'warn',
      secrets: config.secrets,
      screen: terminal.isInteractive ? terminal.error : null,
      stderr,
    });
    const account = await openAccount(chooseAccount(config, accountName), {
      clock: systemClock,
      log,
      ledgerPath: join(folder, 'ledger.db'),
    });
    try {
      return await work(account);
    } finally {
      await account.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The rows to correct, written as they are found: the file exists as soon as there are rows, and holds only wrong
 * ones.
 */
function errorsFile(path: string): {
  add(rows: readonly FileRow[], file: Pick<CheckedFile, 'header' | 'form'>): Promise<void>;
  close(): Promise<void>;
} {
  let opened: { file: Awaited<ReturnType<typeof open>>; lines: ReturnType<typeof correctionCsv>['lines'] } | null =
    null;
  return {
    async add(rows, { header, form }) {
      try {
        if (!opened) {
          const corrections = correctionCsv(header, form);
          opened = { file: await open(path, 'w', 0o600), lines: corrections.lines };
          await opened.file.write(corrections.header);
        }
        const wrong = rows.filter(({ status }) => status === 'invalid');
        if (wrong.length === 0) return;
        await opened.file.write(
          opened.lines(
            wrong.map(({ input, amount, problems }) => ({
              ...{ input: JSON.parse(input) as string[], amount, troubles: problems },
            })),
          ),
        );
      } catch (error) {
        throw new AirbatchError('USAGE', `${path} cannot be written: ${errorMessage(error)}`, {
          hint: 'Name another file with --errors.',
          cause: error,
        });
      }
    },
    close: async () => opened?.file.close(),
  };
}

function findingsJson({ productRows, textRows, ...findings }: FileFindings) {
  const { file, counts, sums, countries, unusual, problems, understood, warnings } = findings;
  const rows = { product_rows: productRows, text_rows: textRows };
  return { file, counts, sums, countries, ...rows, unusual, problems, understood, warnings };
}

function summaryLines(terminal: Terminal, findings: FileFindings): string[] {
  const { counts, sums, countries, productRows, unusual, problems } = findings;
  const held = counts.held > 0 ? `, ${counts.held.toLocaleString('en-US')} held for a person` : '';
  const count = (rows: number) => rows.toLocaleString('en-US');
  const lines = [
    `File       ${counted(counts.rows, 'row')}: ${count(counts.valid)} to pay, ${count(counts.invalid)} wrong${held}`,
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
  }
  // No batch has them yet.
  if (counts.held > 0)
    lines.push(
      '',
      'You can release or skip held rows after you run or submit the file. Before that, delete the rows you do not want.',
    );
  return lines;
}

/** What is the same of several rows is said once. */
function exampleLines(examples: FileFindings['problems'][number]['examples']): string[] {
  const byMessage = Map.groupBy(examples, ({ message }) => message);
  return [...byMessage].map(([message, alike]) => {
    const where = `${alike.length === 1 ? 'line' : 'lines'} ${alike.map(({ line }) => line).join(', ')}`;
    return `  ${where}: ${visible(message)}`;
  });
}

function errorsLine(options: Record<string, unknown>, { counts }: FileFindings): string[] {
  const { errors } = options;
  if (typeof errors !== 'string') return [];
  if (counts.invalid === 0) return ['', 'There is no row to correct.'];
  const run = `airbatch run ${quoted(errors)}${optionsText(readWithOf(options))}`;
  return ['', `${counted(counts.invalid, 'row')} to correct: ${errors}. Correct it, then: ${run}`];
}
