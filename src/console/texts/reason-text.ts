import { formatAmount, formatBytes, formatCount, formatTime } from './format.ts';
import { hasText, t } from './i18n.ts';

/** Why, by a stable code, with what the text of the code names. */
export interface Reason {
  code: string;
  values: Readonly<Record<string, string>>;
}

/** What the slot of a job has brought, in the reader's language; the stored sentence if an earlier version wrote it. */
export function slotText({ detail, reasons }: { detail: string; reasons: readonly Reason[] | null }): string {
  const texts = reasons?.map(reasonText) ?? [null];
  return texts.includes(null) ? detail : texts.join(' ');
}

/** Why a whole file cannot be paid, or a note about one, in the reader's language; null if there is no text for it. */
export function reasonText(reason: Reason | null | undefined): string | null {
  const id = `reason.${reason?.code}`;
  if (!reason || !hasText(id)) return null;
  const { currency = '' } = reason.values;
  return t(
    id,
    Object.fromEntries(Object.entries(reason.values).map(([name, value]) => [name, shown(name, value, currency)])),
  );
}

const counts = new Set(['rows', 'expected', 'count']);

function shown(name: string, value: string, currency: string): string {
  if (name === 'field' || name === 'fields') return value.split(',').map(fieldName).join(', ');
  if (name === 'bytes') return formatBytes(Number(value));
  if (counts.has(name)) return formatCount(Number(value));
  if (name === 'amount' || name === 'sum') return formatAmount(value, currency);
  if (name.endsWith('_at')) return formatTime(value);
  return value === '' ? '–' : value;
}

function fieldName(field: string): string {
  const id = `draft.field.${field}`;
  return hasText(id) ? t(id) : field;
}
