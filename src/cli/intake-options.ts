import { type Command, Option } from 'commander';
import { AirbatchError } from '../core/errors.ts';
import type { FileFindings } from '../intake/findings.ts';
import { ledgerProblems, problemTable } from '../intake/problems.ts';
import { intakeShape } from '../intake/settings.ts';
import { counted } from '../reports/words.ts';
import { wholeNumber } from './whole-number.ts';

/** What of intake's settings can be said on the command line. */
interface IntakeOptions {
  map?: string[];
  sheet?: string;
  country?: string;
  currency?: string;
  expectRows?: string;
  expectSum?: string[];
}

/** Options by which a file is read otherwise. */
const readingOptions = ['map', 'sheet', 'country', 'currency', 'account'] as const;

const collect = (value: string, values: string[] = []): string[] => [...values, value];

/** Adds the options that say how a file is to be read, for every command that reads one. */
export function addIntakeOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--map <field=column>',
        'which column is meant, by its name in the file (may be given several times)',
      ).argParser(collect),
    )
    .option('--sheet <name>', 'the sheet of a workbook (default: the first)')
    .option('--country <code>', 'the country of numbers that are written without one, such as KE')
    .option('--currency <code>', 'the currency of amounts that are written without one, such as KES')
    .option('--expect-rows <n>', 'reject the file if it has another number of rows')
    .addOption(
      new Option(
        '--expect-sum <sum>',
        'reject the file if its amounts add up to another sum, such as KES=12500.00',
      ).argParser(collect),
    );
}

/** The configuration's settings of intake, with what the command line says instead. Throws `USAGE` where an option is wrong. */
export function intakeSettingsWith(
  settings: Readonly<Record<string, unknown>>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const said = saidSettings(given as IntakeOptions);
  checkSaid(said);
  const own = (name: string) => (settings[name] ?? {}) as Record<string, unknown>;
  const columns = { ...own('columns'), ...said.columns };
  return { ...settings, ...said, columns, guards: { ...own('guards'), ...said.guards } };
}

/** What the options say, in the form of the settings, and nothing else. */
function saidSettings({ map = [], sheet, country, currency, expectRows, expectSum = [] }: IntakeOptions) {
  const expectedRows = wholeNumber('--expect-rows', expectRows);
  return {
    ...(sheet === undefined ? {} : { sheet }),
    ...(country === undefined ? {} : { country: country.toUpperCase() }),
    ...(currency === undefined ? {} : { currency: currency.toUpperCase() }),
    columns: pairs('--map', map),
    guards: {
      ...(expectedRows === undefined ? {} : { expectedRows }),
      ...(expectSum.length === 0 ? {} : { expectedSums: pairs('--expect-sum', expectSum) }),
    },
  };
}

/** Options by the settings that they stand for. */
const optionNames: Readonly<Record<string, string>> = {
  columns: '--map',
  'guards.expectedRows': '--expect-rows',
  'guards.expectedSums': '--expect-sum',
};

/** Checked on its own: with the settings of the configuration, a slip on the command line would be blamed on the file. */
function checkSaid(said: ReturnType<typeof saidSettings>): void {
  const faults = (intakeShape.safeParse(said).error?.issues ?? []).map(({ path, message }) => {
    const depth = path[0] === 'guards' ? 2 : 1;
    const setting = path.slice(0, depth).join('.');
    const which = path.slice(depth).map((part) => ` ${String(part)}`);
    return `${optionNames[setting] ?? `--${setting}`}${which.join('')}: ${message}`;
  });
  if (faults.length > 0) throw new AirbatchError('USAGE', faults.join('; '));
}

function pairs(option: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (!name || !value) throw new AirbatchError('USAGE', `"${text}" is not of the form that ${option} takes`);
      return [name.trim(), value];
    }),
  );
}

const delimiterNames: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'pipes' };

/** How a file was understood, in a few lines: shown before anything is sent. */
export function understoodLines({ file, understood, warnings }: FileFindings): string[] {
  const { format, encoding, delimiter, sheet } = file;
  const between = delimiter === null ? '' : `${delimiterNames[delimiter] ?? `"${delimiter}"`} between the cells`;
  const form =
    format === 'xlsx' ? `workbook, sheet "${sheet}"` : `${format === 'gzip' ? 'gzip, ' : ''}${encoding}, ${between}`;
  const read = understood.flatMap(({ column, field }) => {
    if (field === null) return [];
    return [column.trim() === field ? field : `${field} = "${column.trim()}"`];
  });
  const kept = understood.flatMap(({ column, field }) =>
    field === null && column.trim() ? [`"${column.trim()}"`] : [],
  );
  return [
    `Read as    ${form}`,
    `Columns    ${read.join(', ')}${kept.length > 0 ? `; kept and not read: ${kept.join(', ')}` : ''}`,
    ...warnings.map((warning) => `Note       ${warning}`),
  ];
}

/** Kinds of problems of the file that are named before a person is asked: the most frequent; the rest is a look at the file. */
const problemsNamedMax = 3;

/**
 * What is wrong with rows of a file, or keeps them from being sent, in a line each: so that nobody has to guess before deciding. What a look
 * at the file would not show (standard input, which is read by now; the ledger) is all named.
 */
export function problemLines({ problems }: FileFindings, file: string, given: Record<string, unknown>): string[] {
  if (problems.length === 0) return [];
  const ofFile = problems.filter(({ code }) => !ledgerProblems.has(code));
  const left = new Set(file === '-' ? [] : ofFile.slice(problemsNamedMax));
  const named = problems
    .filter((problem) => !left.has(problem))
    .map(({ code, count, examples }) => {
      const line = examples[0] ? ` (${count === 1 ? '' : 'first in '}line ${examples[0].line})` : '';
      return `${counted(count, 'row')}: ${problemTable[code].title}${line}`;
    });
  const isSaid = readingOptions.some((option) => given[option] !== undefined);
  const look = `"airbatch validate ${file}"${isSaid ? ' with the same options' : ''}`;
  if (left.size > 0) named.push(`and ${counted(left.size, 'other kind')} of problems: ${look} has them all`);
  return named.map((text, index) => `${index === 0 ? 'Problems  ' : '          '} ${text}`);
}
