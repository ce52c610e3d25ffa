import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { decimalsOf } from '../../intake/cells/amount.ts';
import { countryCodeOf } from '../../intake/cells/country.ts';
import type { RowCheck } from '../../intake/mending/check-one.ts';
import { type FixValue, fixes } from '../../intake/mending/fixes.ts';
import { fix, group } from './draft-fields.ts';

/** A fix for the rows with one kind of problem. */
export const groupFix = z.strictObject({
  ...group,
  fix,
  /** What the fix needs: a country, a currency, the id of a network, or the decimal sign. */
  value: z.string().max(20).optional(),
  /** Mends only the rows with this cell. */
  only: z.string().max(10_000).optional(),
});

const fits: Readonly<Record<FixValue, (value: string) => boolean>> = {
  country: (value) => /^[A-Z]{2}$/.test(value) && countryCodeOf(value) === value,
  currency: (value) => decimalsOf(value) !== null,
  network_id: (value) => /^[0-9]{1,9}$/.test(value),
  decimal: (value) => value === '.' || value === ',',
};

/** Throws `USAGE` if the fix lacks its value or fits no such problem, and `FILE_REJECTED` if columns are not clear. */
export function requireFitting(
  check: RowCheck | null,
  { fix: name, code, value }: z.output<typeof groupFix>,
): RowCheck {
  const { codes, value: needed } = fixes[name];
  if (name !== 'exclude_rows' && !(codes as readonly string[]).includes(code))
    throw new AirbatchError('USAGE', `the fix ${name} does not correct ${code}`, { reason: refusal('FIX_UNFIT', {}) });
  if (needed === null ? value !== undefined : value === undefined || !fits[needed](value))
    throw new AirbatchError(
      'USAGE',
      `${name} ${needed === null ? 'takes no value' : `needs a ${needed} as its value`}`,
      { reason: refusal('FIX_UNFIT', {}) },
    );
  if (check) return check;
  throw new AirbatchError('FILE_REJECTED', 'the columns of the file are not clear yet', {
    reason: refusal('COLUMNS_UNCLEAR', {}),
    hint: 'Say what each column means first.',
  });
}
