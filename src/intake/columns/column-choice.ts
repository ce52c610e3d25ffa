import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { plainName } from '../../core/text/plain-name.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import { readAmount } from '../cells/amount.ts';
import type { Field } from '../cells/fields.ts';
import { plainText } from '../cells/plain-text.ts';
import { shortened } from '../cells/problems.ts';
import { mayBeCalled } from './column-names.ts';
import { hasWordNear } from './like-names.ts';

/** The first rows below a header, by which people recognise a column. */
export type Sample = readonly (readonly string[])[];

/**
 * The fields that decide who is paid, how much, and whether a row was paid before. If two columns could be one of
 * these, the clerk must choose.
 */
const decisive: ReadonlySet<Field> = new Set(['phone_number', 'amount', 'reference']);

/**
 * The column of a field, from those that fit by name (`indexes`). `unread` are the columns that no field uses. Throws
 * `FILE_REJECTED` if two could be meant.
 */
export function chooseColumn(
  header: readonly string[],
  field: Field,
  { indexes, unread, sample }: { indexes: readonly number[]; unread: readonly number[]; sample: Sample },
): number {
  const rivals = decisive.has(field) ? likelyColumns(header, field, unread, sample) : [];
  const [only, ...others] = [...indexes, ...rivals];
  if (only !== undefined && others.length === 0) return only;
  const own = indexes.filter((index) => header[index]?.trim().toLowerCase() === field);
  // Our own name has priority over its aliases. But "currency" next to "airtime currency" may be the salary's.
  if (!decisive.has(field) && field !== 'currency' && own.length === 1 && own[0] !== undefined) return own[0];
  const all = [...indexes, ...rivals].sort((a, b) => a - b);
  refuseSameName(header, all);
  const names = all.map((index) => `"${header[index]?.trim()}"`);
  const values = all.map((index) => valuesText(header, field, index, sample)).filter((text) => text !== '');
  const options = all.map((index) => `--map ${field}="${header[index]?.trim()}"`).reverse();
  throw rejectedFile(
    'COLUMN_UNCLEAR',
    { field, columns: names.join(', ') },
    `the columns ${names.join(' and ')} could each be the ${field}${values.length === 0 ? '' : `: ${values.join(', ')}`}`,
    {
      hint: `Say which one you mean: ${options.join(' or ')}, or intake.columns.${field} in the configuration. Nothing was sent.`,
    },
  );
}

/** Throws if two of the columns have the same name, so that no mapping could name one. */
export function refuseSameName(header: readonly string[], indexes: readonly number[]): void {
  const names = indexes.map((index) => header[index]?.trim() ?? '');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw rejectedFile('COLUMN_TWICE', { column: twice }, `two columns are named "${twice}"`, {
    hint: 'Give each of them a name of its own. Nothing was sent.',
  });
}

/** The columns that could be a field, by a part of their name and by the first rows. */
function likelyColumns(header: readonly string[], field: Field, unread: readonly number[], sample: Sample): number[] {
  return unread.filter((index) => mayBeCalled(header[index] ?? '', field) && fits(field, valuesOf(sample, index)));
}

/** Those columns, or else the ones whose name differs from such a part by one typing error. */
export function nearColumns(
  header: readonly string[],
  field: Field,
  unread: readonly number[],
  sample: Sample,
): number[] {
  const likely = likelyColumns(header, field, unread, sample);
  if (likely.length > 0) return likely;
  return unread.filter(
    (index) => hasWordNear(plainName(header[index] ?? ''), field) && fits(field, valuesOf(sample, index)),
  );
}

const valuesShownMax = 3;

/** The first values below a header: "Net pay" has 1200; 1500; 900. */
export function valuesText(header: readonly string[], field: Field, index: number, sample: Sample): string {
  const values = valuesOf(sample, index).slice(0, valuesShownMax);
  const shown = values.map((value) => shownValue(field, value)).join('; ');
  return shown === '' ? '' : `"${header[index]?.trim()}" has ${shown}`;
}

function valuesOf(sample: Sample, index: number): string[] {
  return sample.map((cells) => plainText(cells[index] ?? '')).filter((value) => value !== '');
}

/** Whether most of the values fit the field. */
function fits(field: Field, values: readonly string[]): boolean {
  const isOne = (value: string): boolean => {
    if (field === 'amount') return readAmount(value).kind !== 'none' && !hasNumber(value);
    return field === 'phone_number' ? hasNumber(value) : true;
  };
  return values.filter(isOne).length * 2 > values.length;
}

/** Whether a value has as many digits as a phone number. */
function hasNumber(value: string): boolean {
  return /^[+(]?[0-9][0-9 ().-]{6,19}$/.test(value) && !/[.,][0-9]{1,2}$/.test(value);
}

/** The text of a rejection is stored and sent to people, so it shows only the ends of a phone number. */
function shownValue(field: Field, value: string): string {
  if (field !== 'phone_number') return withoutNumbers(shortened(value));
  const digits = value.replace(/[^+0-9]/g, '');
  return digits.length < 7 ? withoutNumbers(shortened(value)) : `${digits.slice(0, 4)}…${digits.slice(-2)}`;
}
