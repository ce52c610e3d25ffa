import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { plainName } from '../../core/text/plain-name.ts';
import { signOfSeveral } from '../cells/currency-sign.ts';
import { type Field, fields } from '../cells/fields.ts';
import { chooseColumn, refuseSameName, type Sample } from './column-choice.ts';
import { currencyOfAmounts, mayNameCurrencies, meaningOf } from './column-names.ts';
import { headerOffer, isOwnColumn, readAs, refuseMissing } from './missing-columns.ts';

/** The index of the column of each field. */
export type ColumnPlan = Partial<Record<Field, number>>;

export interface PlannedColumns {
  plan: ColumnPlan;
  /** The currency of all amounts if their header has it: "Amount (KES)". */
  amountCurrency: string | null;
  /** A sign of several currencies in their header: "Amount ($)". */
  amountSign: string | null;
  understood: UnderstoodColumn[];
}

/** How airbatch understood the header, for people. */
export interface UnderstoodColumn {
  /** The file's own name. */
  column: string;
  /** Its field; null if it is kept, but not read. */
  field: Field | null;
}

/** Names that break programs that make objects from rows. */
const trapNames = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Finds the meaning of each column. `mapping` is given by the user, with the file's own names, and overrides all names.
 * A column that the sheet hides (`hidden`) is read only if the mapping names it. `sample` are the first rows,
 * `headerBelow` is the line of a row that looks like the header itself, and `headerLine` the line that the settings
 * name as the header. Throws `FILE_REJECTED` if this is not a header, is ambiguous, or lacks a needed column.
 */
export function planColumns(
  header: readonly string[],
  mapping: Partial<Record<Field, string>>,
  defaults: { currency: string | null; networkId: number | null },
  {
    hidden = new Set(),
    sample = [],
    headerBelow = null,
    headerLine = null,
  }: {
    hidden?: ReadonlySet<number>;
    sample?: Sample;
    headerBelow?: number | null;
    headerLine?: number | null;
  } = {},
): PlannedColumns {
  refuseBadHeader(header);
  refuseOwnResults(header);
  const plan: ColumnPlan = {};
  for (const field of fields) {
    const name = mapping[field];
    if (name === undefined) continue;
    plan[field] = findMapped(header, field, name, { headerBelow, headerLine });
  }
  refuseSharedColumn(header, plan);
  const taken = new Set<number | undefined>(Object.values(plan));
  const candidates = new Map<Field, number[]>();
  for (const [index, name] of header.entries()) {
    const field = taken.has(index) ? null : meaningOf(name);
    if (field && plan[field] === undefined) candidates.set(field, [...(candidates.get(field) ?? []), index]);
  }
  const read = new Set([...taken, ...[...candidates.values()].flat()]);
  const unread = header.flatMap((name, index) =>
    read.has(index) || hidden.has(index) || isOwnColumn(name) ? [] : [index],
  );
  for (const [field, indexes] of candidates) {
    const visible = indexes.filter((index) => !hidden.has(index));
    if (visible.length === 0) refuseHiddenColumn(header, field, indexes);
    plan[field] = chooseColumn(header, field, { indexes: visible, unread, sample });
  }
  refuseMissing(header, plan, { defaults, unread, sample, headerBelow, headerLine });
  const meaning = new Map(
    fields.flatMap((field) => (plan[field] === undefined ? [] : [[plan[field], field] as const])),
  );
  const ofAmounts = header[plan.amount ?? -1] ?? '';
  const amountCurrency = currencyOfAmounts(ofAmounts);
  const understood = header.map((column, index) => ({ column, field: meaning.get(index) ?? null }));
  if (plan.amount !== undefined && plan.currency === undefined && amountCurrency === null)
    refuseUnreadCurrencies(understood);
  return { plan, amountCurrency, amountSign: signOfSeveral(ofAmounts), understood };
}

/** The most columns: no payout file has more. */
export const columnsMax = 1_000;

function refuseBadHeader(header: readonly string[]): void {
  if (header.length > columnsMax)
    throw rejectedFile('TOO_WIDE', { columns: columnsMax }, `the file has more than ${columnsMax} columns`);
  for (const name of header) {
    if (trapNames.has(name.trim().toLowerCase()))
      throw rejectedFile('COLUMN_NAME', { column: name }, `a column is named "${name}", a name that is not allowed`);
  }
}

/** Columns that only results.csv has, and those of the results workbook (`reports/render/xlsx.ts`). */
const ownResults = [
  ['row_ref', 'idempotency_key', 'topup_id'],
  ['State', 'Idempotency key', 'Top-up at the service'],
];

/** The results of a batch look like a file to pay, and most of their rows were paid. */
function refuseOwnResults(header: readonly string[]): void {
  const names = new Set(header.map((name) => name.trim()));
  if (!ownResults.some((columns) => columns.every((name) => names.has(name)))) return;
  throw rejectedFile(
    'OWN_RESULTS',
    {},
    'these are the results of a batch, with rows that were paid: not a file to pay',
    {
      hint: 'To correct rows, copy failed.csv or failed.xlsx from the same folder, and run the copy under the run id of that batch. Nothing was sent.',
    },
  );
}

function refuseSharedColumn(header: readonly string[], plan: ColumnPlan): void {
  const fieldOfColumn = new Map<number, Field>();
  for (const [field, index] of Object.entries(plan) as [Field, number][]) {
    const other = fieldOfColumn.get(index);
    if (other)
      throw rejectedFile(
        'COLUMN_SHARED',
        { column: header[index] ?? '', fields: `${other},${field}` },
        `the mapping reads the column "${header[index]}" both as ${other} and as ${field}`,
      );
    fieldOfColumn.set(index, field);
  }
}

function findMapped(
  header: readonly string[],
  field: Field,
  name: string,
  { headerBelow, headerLine }: { headerBelow: number | null; headerLine: number | null },
): number {
  const exact = header.flatMap((own, index) => (own === name ? [index] : []));
  refuseSameName(header, exact);
  if (exact[0] !== undefined) return exact[0];
  const alike = header.flatMap((own, index) => (plainName(own) === plainName(name) ? [index] : []));
  refuseSameName(header, alike);
  if (alike.length === 1 && alike[0] !== undefined) return alike[0];
  throw rejectedFile(
    'COLUMN_UNKNOWN',
    { field, column: name },
    `the mapping reads ${field} from the column "${name}", but the file has no such column; ${readAs(header, headerLine)}`,
    {
      hint: `${headerBelow === null ? `Name a column of the file: --map ${field}="...", or intake.columns.${field} in the configuration.` : headerOffer(headerBelow)} Nothing was sent.`,
    },
  );
}

/** A person who checks the file does not see hidden columns. */
function refuseHiddenColumn(header: readonly string[], field: Field, indexes: readonly number[]): never {
  const name = header[indexes[0] ?? 0]?.trim();
  throw rejectedFile(
    'COLUMN_HIDDEN',
    { field, column: name ?? '' },
    `the column "${name}", which could be the ${field}, is hidden in the sheet`,
    {
      hint: `Show the column and check what is in it, or delete it. To read it as it is, add --map ${field}="${name}", or set intake.columns.${field} in the configuration. Nothing was sent.`,
    },
  );
}

/** If a column with currencies were not read, all amounts would be paid in the configured currency. */
function refuseUnreadCurrencies(understood: readonly UnderstoodColumn[]): void {
  const unread = understood.filter(({ column, field }) => field === null && mayNameCurrencies(column));
  const [first] = unread;
  if (!first) return;
  const names = unread.map(({ column }) => `"${column.trim()}"`);
  throw rejectedFile(
    'CURRENCY_UNREAD',
    { columns: names.join(', ') },
    `the currency of the amounts may be in the column ${names.join(' or ')}, which is not read under that name`,
    {
      hint: `If it is, add --map currency=${names[0]}, or set intake.columns.currency in the configuration. If not, name the currency in the header of the amounts, such as "Amount (KES)". Nothing was sent.`,
    },
  );
}
