import { formatAmount, formatDate } from '../../texts/format.ts';
import { hasText, t } from '../../texts/i18n.ts';
import type { DraftRow } from './draft-queries.ts';
import { countryName } from './value-fields.tsx';

type Problem = DraftRow['problems'][number];

/** What is wrong with a row or a group of rows, in the reader's language. */
export function problemTitle(code: Problem['code']): string {
  return t(`problem.${code}`);
}

/** The same with what this row shows, and what to do; "" if there is no more to say. */
export function problemDetail({ code, values }: Pick<Problem, 'code' | 'values'>): string {
  const id = `problem.${code}.more`;
  // The service has no network there: there is none to choose.
  if (!hasText(id) || values.networks === '') return '';
  return t(id, shown(values)).trim();
}

function shown(values: Problem['values']): Record<string, string> {
  const { currency = '' } = values;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (name.endsWith('country')) return [name, value === '' ? '' : countryName(value)];
      if (name === 'amount' || name === 'sum') return [name, formatAmount(value, currency)];
      return [name, name === 'day' ? formatDate(value) : value];
    }),
  );
}
