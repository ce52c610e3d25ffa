import { AirbatchError } from '../../core/basics/errors.ts';
import { currencyDecimals } from '../../core/money/money.ts';
import { fields } from '../../intake/cells/fields.ts';
import { intakeShape } from '../../intake/columns/settings.ts';
import { wholeNumber } from '../base/whole-number.ts';

/** What of intake's settings can be said on the command line. */
interface IntakeOptions {
  map?: string[];
  sheet?: string;
  headerLine?: string;
  totalLine?: string;
  country?: string;
  currency?: string;
  decimal?: string;
  expectRows?: string;
  expectSum?: string[];
}

/**
 * The configuration's settings of intake, with what the command line says instead. Throws `USAGE` where an option is
 * wrong.
 */
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
function saidSettings(options: IntakeOptions) {
  const { map = [], sheet, totalLine, country, currency, decimal, expectRows, expectSum = [] } = options;
  const headerLine = wholeNumber('--header-line', options.headerLine);
  const expectedRows = wholeNumber('--expect-rows', expectRows);
  return {
    ...(sheet === undefined ? {} : { sheet }),
    ...(headerLine === undefined ? {} : { headerLine }),
    ...(totalLine === undefined ? {} : { totalLine }),
    ...(country === undefined ? {} : { country: country.toUpperCase() }),
    ...(currency === undefined ? {} : { currency: currencyCode(currency) }),
    ...(decimal === undefined ? {} : { decimalSign: decimal }),
    columns: pairs('--map', 'amount="Net pay"', map),
    guards: {
      ...(expectedRows === undefined ? {} : { expectedRows }),
      ...(expectSum.length === 0 ? {} : { expectedSums: pairs('--expect-sum', 'KES=12500.00', expectSum) }),
    },
  };
}

/** A code in whichever case; what is none stays as it was written, for the error to show. */
function currencyCode(text: string): string {
  const code = text.toUpperCase();
  return currencyDecimals(code) === null ? text : code;
}

/** Options by the settings that they stand for. */
const optionNames: Readonly<Record<string, string>> = {
  columns: '--map',
  decimalSign: '--decimal',
  headerLine: '--header-line',
  totalLine: '--total-line',
  'guards.expectedRows': '--expect-rows',
  'guards.expectedSums': '--expect-sum',
};

/**
 * Checked on its own: with the settings of the configuration, a slip on the command line would be blamed on the file.
 */
function checkSaid(said: ReturnType<typeof saidSettings>): void {
  const faults = (intakeShape.safeParse(said).error?.issues ?? []).map(({ code, path, message }) => {
    const depth = path[0] === 'guards' ? 2 : 1;
    const setting = path.slice(0, depth).join('.');
    const which = path.slice(depth).map((part) => ` ${String(part)}`);
    const known = code === 'unrecognized_keys' ? `; it takes ${fields.join(', ')}` : '';
    return `${optionNames[setting] ?? `--${setting}`}${which.join('')}: ${message}${known}`;
  });
  if (faults.length > 0) throw new AirbatchError('USAGE', faults.join('; '));
}

function pairs(option: string, example: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (!name || !value)
        throw new AirbatchError('USAGE', `"${text}" is not of the form that ${option} takes`, {
          hint: `Write it as in ${option} ${example}.`,
        });
      return [name.trim(), value];
    }),
  );
}
