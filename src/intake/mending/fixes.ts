import type { ProblemCode } from '../../core/state/problem-table.ts';
import { digitsOnly, readAmount } from '../cells/amount.ts';
import type { Field } from '../cells/fields.ts';
import { isDate, readPhone } from '../cells/phone.ts';
import { plainText } from '../cells/plain-text.ts';
import type { CheckContext } from '../rows/row-under-check.ts';

/** What a person must choose before a fix can be applied. */
export type FixValue = 'country' | 'currency' | 'network_id' | 'decimal';

/** One way to correct all rows with the same problem. */
export interface Fix {
  codes: readonly ProblemCode[];
  /** If it is set, the fix is only for problems with this value `why`. */
  why?: string;
  /** What the person chooses; null: nothing. */
  value: FixValue | null;
  /** The field whose column the file must have; null: none. */
  field: Field | null;
  /** The corrected cells; null if this fix cannot correct the row; `exclude` takes the row out of the file. */
  mend(cells: readonly string[], context: CheckContext, value: string): string[] | 'exclude' | null;
}

/** Letters that people and scanners write for digits: removing them would change the number. */
const likeDigits = /[0-9][OoIlSBZ]|[OoIlSBZ][0-9]/;

const all = {
  add_country_code: {
    codes: ['PHONE_NEEDS_COUNTRY', 'PHONE_AMBIGUOUS'],
    value: 'country',
    field: 'phone_number',
    mend: (cells, context, country) => withPhone(cells, context, cellOf(cells, context, 'phone_number'), country),
  },
  read_as_international: {
    codes: ['PHONE_AMBIGUOUS'],
    value: null,
    field: 'phone_number',
    mend: (cells, context) => withPhone(cells, context, `+${digits(cellOf(cells, context, 'phone_number'))}`, null),
  },
  strip_signs: {
    codes: ['PHONE_NOT_A_NUMBER'],
    value: null,
    field: 'phone_number',
    mend(cells, context) {
      const text = plainText(cellOf(cells, context, 'phone_number'));
      if (likeDigits.test(text) || isDate(text)) return null;
      return withPhone(cells, context, `${text.includes('+') ? '+' : ''}${digits(text)}`, context.settings.country);
    },
  },
  swap_cells: {
    codes: ['PHONE_NOT_A_NUMBER', 'PHONE_INVALID', 'PHONE_MISSING', 'AMOUNT_NOT_A_NUMBER', 'AMOUNT_TOO_LARGE'],
    value: null,
    field: 'amount',
    mend(cells, context) {
      const amount = cellOf(cells, context, 'amount');
      if ('code' in readPhone(amount, { country: context.settings.country, isOfRow: false })) return null;
      const swapped = withCell(cells, context, 'amount', cellOf(cells, context, 'phone_number'));
      return swapped && withCell(swapped, context, 'phone_number', amount);
    },
  },
  read_decimal: {
    codes: ['AMOUNT_AMBIGUOUS'],
    why: 'sign',
    value: 'decimal',
    field: 'amount',
    mend(cells, context, decimal) {
      const cell = cellOf(cells, context, 'amount');
      const reading = readAmount(cell);
      if (reading.kind === 'none' || reading.negative) return null;
      const isDecimal = reading.kind === 'read' ? reading.decimalSign === decimal : reading.separator === decimal;
      const asDecimal = reading.kind === 'read' ? reading.value : reading.decimal;
      const asThousands = reading.kind === 'read' ? digitsOnly(cell) : reading.grouped;
      const value = isDecimal ? asDecimal : asThousands;
      const text = reading.currency === null ? value : `${reading.currency} ${value}`;
      return withCell(cells, context, 'amount', text);
    },
  },
  keep_amount: {
    codes: ['AMOUNT_AMBIGUOUS'],
    why: 'split',
    value: null,
    field: 'amount',
    // "1.00" is certainly a whole amount, while "1" may be the first half of "1,500" that was split into two cells.
    mend(cells, context) {
      const reading = readAmount(cellOf(cells, context, 'amount'));
      if (reading.kind !== 'read' || reading.negative || reading.decimalSign !== null) return null;
      const whole = `${reading.value}.00`;
      return withCell(cells, context, 'amount', reading.currency === null ? whole : `${reading.currency} ${whole}`);
    },
  },
  set_currency: {
    codes: ['CURRENCY_MISSING', 'CURRENCY_UNKNOWN'],
    value: 'currency',
    field: 'currency',
    mend: (cells, context, currency) => withCell(cells, context, 'currency', currency),
  },
  set_network: {
    codes: ['NETWORK_MISSING', 'NETWORK_UNKNOWN', 'NETWORK_AMBIGUOUS', 'NETWORK_UNRESOLVED'],
    value: 'network_id',
    field: 'network_id',
    mend: (cells, context, network) => withCell(cells, context, 'network_id', network),
  },
  set_country: {
    codes: ['COUNTRY_UNKNOWN'],
    value: 'country',
    field: 'country',
    mend: (cells, context, country) => withCell(cells, context, 'country', country),
  },
  clear_message: {
    codes: ['SMS_NOT_A_TEXT'],
    value: null,
    field: 'sms_message',
    mend: (cells, context) => withCell(cells, context, 'sms_message', ''),
  },
  exclude_rows: {
    codes: [],
    value: null,
    field: null,
    mend: () => 'exclude',
  },
} as const satisfies Record<string, Fix>;

export type FixName = keyof typeof all;

/** The fixes by name. None is applied before a person has seen what it changes. */
export const fixes: Readonly<Record<FixName, Fix>> = all;
export const fixNames = Object.keys(all) as [FixName, ...FixName[]];

/**
 * The fixes for a problem, the best first. Rows can always be taken out of the file. `why`: the value of the problem
 * that names its kind, if it has one.
 */
export function fixesFor(code: string, plan: CheckContext['plan'] | null, why?: string): FixName[] {
  return fixNames.filter((name) => {
    const { codes, field, why: ofKind } = fixes[name];
    if (name === 'exclude_rows') return true;
    if (ofKind !== undefined && why !== undefined && ofKind !== why) return false;
    return (codes as readonly string[]).includes(code) && (field === null || plan?.[field] !== undefined);
  });
}

function cellOf(cells: readonly string[], { plan }: CheckContext, field: Field): string {
  return cells[plan[field] ?? -1] ?? '';
}

function digits(text: string): string {
  return plainText(text).replace(/[^0-9]/g, '');
}

/** The row with a new cell; null if the file has no such column. */
function withCell(cells: readonly string[], { plan, header }: CheckContext, field: Field, value: string) {
  const index = plan[field];
  if (index === undefined) return null;
  // A row may have fewer cells than the header.
  const padded =
    cells.length > index ? [...cells] : [...cells, ...Array<string>(header.length - cells.length).fill('')];
  padded[index] = value;
  return padded;
}

function withPhone(cells: readonly string[], context: CheckContext, text: string, country: string | null) {
  const phone = readPhone(text, { country, isOfRow: country !== null });
  return 'code' in phone ? null : withCell(cells, context, 'phone_number', phone.number);
}
