import { codeText, systemText } from './failure-text.ts';
import { formatAmount, formatBytes, formatCount, formatTime } from './format.ts';
import { hasText, type TextId, t } from './i18n.ts';

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

/** A problem of the API, as far as its text needs it. */
interface Refusal {
  status: number;
  code: string;
  detail: string;
  reason?: Reason;
}

/** Why a request was refused, in the reader's language. */
export function refusalText({ status, code, detail, reason }: Refusal): string {
  const ofReason = reasonText(reason);
  if (ofReason !== null) return ofReason;
  const text = codeText(code) ?? t(status >= 500 ? 'failure.program' : 'failure.not_done');
  const what = systemText(detail);
  return what === null ? text : `${text} ${t('failure.system', { what })}`;
}

/** Why something is so, by its code, in the reader's language; null if there is no text for it. */
export function reasonText(reason: Reason | null | undefined): string | null {
  const id = `reason.${reason?.code}`;
  if (!reason || !hasText(id)) return null;
  const { values } = reason;
  return t(id, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(name, value, values)])));
}

const counts = new Set(['rows', 'most_rows', 'expected', 'count', 'failed']);
const amounts = new Set(['amount', 'most_amount', 'sum', 'cost', 'other_cost', 'spent', 'approved']);
/** Amounts with their currencies: `KES 500, USD 2`. */
const sums = new Set(['missing', 'others']);

/**
 * What airbatch says of a request that the service did not answer as it should, by its code; null for the service's own
 * codes.
 */
export function answerText(code: string): string | null {
  const [, status] = /^http_([0-9]+)$/.exec(code) ?? [];
  const id = status === undefined ? `answer.${code}` : 'answer.http';
  return hasText(id) ? t(id, { status: status ?? '' }) : null;
}

function shown(name: string, value: string, { currency = '', code = '', service_code = '' }: Reason['values']): string {
  if (name === 'field' || name === 'fields') return value.split(',').map(fieldName).join(', ');
  if (name === 'bytes') return formatBytes(Number(value));
  if (counts.has(name)) return formatCount(Number(value));
  if (amounts.has(name)) return formatAmount(value, currency);
  if (sums.has(name)) return value === '' ? 'none' : value.split(', ').map(sumText).join(', ');
  if (name.endsWith('_at')) return formatTime(value);
  if (name === 'batch_status') return named('state.batch', value);
  if (name === 'row_status' || name === 'wanted_status') return named('state.row', value);
  if (name === 'message') return answerText(service_code) ?? value;
  if (name === 'error') return codeText(code) ?? systemText(value) ?? value;
  return value === '' ? '–' : value;
}

/** An amount with its currency before it, `KES 500`. */
export function sumText(sum: string): string {
  const [currency = '', value = ''] = sum.split(' ');
  return `${formatAmount(value, currency)} ${currency}`;
}

/** The names of fields that are not columns of a file. */
const fieldTexts: Readonly<Record<string, TextId>> = {
  name: 'sign_in.name',
  display_name: 'people.display_name',
  email: 'people.email',
  password: 'sign_in.password',
  accounts: 'shell.accounts',
  roles: 'shell.roles',
  url: 'webhooks.url',
  why: 'base.reason',
  evidence: 'resolve.evidence',
  note: 'reconciliation.note_text',
  finish_by: 'batch.finish_by',
  run_id: 'draft.run_id',
};

function fieldName(field: string): string {
  const id = fieldTexts[field];
  return id === undefined ? named('draft.field', field) : t(id);
}

/** A text by the name of its kind; the name itself if there is none. */
export function named(kind: string, name: string): string {
  const id = `${kind}.${name}`;
  return hasText(id) ? t(id) : name;
}
