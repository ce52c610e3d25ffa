import { countryName, formatAmount, formatDate } from './format.ts';
import { hasText, t } from './i18n.ts';
import { answerText, type Reason, reasonText } from './reason-text.ts';

/** A problem of a row, as the API has it. Null values: an earlier version of the program has found it. */
interface Problem {
  code: string;
  values: Readonly<Record<string, string>> | null;
}

/** What is wrong with a row or a group of rows, in the reader's language; the code itself if it has no text. */
export function problemTitle(code: string): string {
  const id = `problem.${code}`;
  return hasText(id) ? t(id) : code;
}

/** Problems whose details have the same text as those of another problem. */
const saidAs: Readonly<Record<string, string>> = {
  ALREADY_SENT: 'ALREADY_PAID',
  FAILED_BEFORE: 'ALREADY_PAID',
  MAY_BE_PAID: 'ALREADY_PAID',
  REFERENCE_REUSED: 'ALREADY_PAID',
  PAID_OTHERWISE: 'SENT_LATELY',
  CURRENCY_UNKNOWN: 'CURRENCY_MISSING',
};

/** The text that says more about a problem than its title. */
export function detailId(code: string): string {
  return `problem.${saidAs[code] ?? code}.more`;
}

/** The same with what this row shows, and what to do; "" if there is no more to say, null if that is not known. */
export function problemDetail({ code, values }: Problem): string | null {
  if (values?.why === 'total') return t('draft.maybe_total');
  const id = detailId(code);
  if (!hasText(id)) return '';
  if (values === null) return null;
  // The service has no network there: there is none to choose.
  return values.networks === '' ? '' : t(id, shown(values)).trim();
}

/** Of these, the server's sentence has what a person wrote. */
const inOwnWords: ReadonlySet<string> = new Set(['SKIPPED_BY_PERSON']);

interface WhyOfRow {
  code: string | null;
  reason: string | null;
  waiting_reason: Reason | null;
}

/** The problems of a row, or what it waits for, in the reader's language; the reason that the service gave as it is. */
export function rowReason({ code, reason, waiting_reason: waiting }: WhyOfRow): string {
  const own = reasonText(waiting) ?? answerText(code ?? '');
  if (own !== null) return own;
  const codes = code?.split('; ') ?? [];
  const isOurs = codes.every((one) => !inOwnWords.has(one) && hasText(`problem.${one}`));
  return codes.length > 0 && isOurs ? codes.map(problemTitle).join('. ') : (reason ?? '');
}

/** What a problem of a row says beyond its title: in the reader's language, as far as that is known. */
export function problemMore({ message, ...problem }: Problem & { message: string }): string {
  return inOwnWords.has(problem.code) ? message : (problemDetail(problem) ?? message);
}

function shown(found: Readonly<Record<string, string>>): Record<string, string> {
  // Earlier versions did not note the line of a row of another batch.
  const values = { earlier_line: 'none', ...found };
  const { currency = '' } = found;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (name.endsWith('country')) return [name, value === '' ? '' : countryName(value)];
      if (name === 'amount' || name === 'sum') return [name, formatAmount(value, currency)];
      return [name, name === 'day' ? formatDate(value) : value];
    }),
  );
}
