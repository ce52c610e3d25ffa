import type { Answer } from '../api/client.ts';
import { formatAmount, formatDuration, formatTime } from '../texts/format.ts';
import { hasText, type TextId, t } from '../texts/i18n.ts';
import { named, reasonText } from '../texts/reason-text.ts';

/** An event of the audit chain, as `list-events` has it, without its hash. */
export type ChainEvent = Omit<Answer<'/api/v1/events'>['events'][number], 'hash'>;

const known = {
  'batch.received': 'event.batch.received',
  'batch.validate': 'event.batch.validate',
  'batch.request_approval': 'event.batch.request_approval',
  'batch.approve': 'event.batch.approve',
  'batch.start': 'event.batch.start',
  'batch.pause': 'event.batch.pause',
  'batch.resume': 'event.batch.resume',
  'batch.complete': 'event.batch.complete',
  'batch.cancel': 'event.batch.cancel',
  'batch.reject': 'event.batch.reject',
  'batch.reopen': 'event.batch.reopen',
  'batch.reorder': 'event.batch.reorder',
  'batch.report': 'event.batch.report',
  'batch.forget': 'event.batch.forget',
  'batch.give_approval': 'event.batch.give_approval',
  'batch.void_approvals': 'event.batch.void_approvals',
  'batch.pause_added': 'event.batch.pause_added',
  'batch.pause_cleared': 'event.batch.pause_cleared',
  'batch.boost': 'event.batch.boost',
  'batch.canary_passed': 'event.batch.canary_passed',
  'batch.draft': 'event.batch.draft',
  'batch.exclude_row': 'event.batch.exclude_row',
  'batch.service_moved': 'event.batch.service_moved',
  'batch.unlisted': 'event.batch.unlisted',
  'row.send': 'event.row.send',
  'row.accept': 'event.row.accept',
  'row.complete': 'event.row.complete',
  'row.fail': 'event.row.fail',
  'row.doubt': 'event.row.doubt',
  'row.look_up': 'event.row.look_up',
  'row.adopt': 'event.row.adopt',
  'row.escalate': 'event.row.escalate',
  'row.assign': 'event.row.assign',
  'row.overdue': 'event.row.overdue',
  'row.hold': 'event.row.hold',
  'row.release': 'event.row.release',
  'row.skip': 'event.row.skip',
  'row.cancel': 'event.row.cancel',
  'row.retry': 'event.row.retry',
  'row.unsent': 'event.row.unsent',
  'row.refund': 'event.row.refund',
  'row.contradicted': 'event.row.contradicted',
  'row.changed_late': 'event.row.changed_late',
  'row.mend': 'event.row.mend',
  'row.unknown_status': 'event.row.unknown_status',
  'row.late_charge': 'event.row.late_charge',
  'numbers.read': 'event.numbers.read',
  'report.read': 'event.report.read',
  'reconciliation.note': 'event.reconciliation.note',
  // Chains of earlier versions keep these names.
  'batch.ask_approval': 'event.batch.request_approval',
  'batch.pause_besides': 'event.batch.pause_added',
  'batch.press': 'event.batch.boost',
  'row.review': 'event.row.escalate',
} as const satisfies Record<string, TextId>;

/** What happened, in the reader's language; an unknown kind is shown unchanged. */
export function eventText(kind: string): string {
  if (kind in known) return t(known[kind as keyof typeof known]);
  const ofAccess = `access.${kind}`;
  return hasText(ofAccess) ? t(ofAccess) : kind;
}

/** Members without meaning for a person: keys, digests, codes, states that the kind already says; and times. */
const hidden = new Set(['from', 'to', 'key', 'reference', 'through', 'why_reason', 'detail_reason']);
const hiddenEnds = ['_at', '_sha256'];

/** Counts that say something only from the second one on. */
const fromTwo = new Set(['attempt', 'generation']);
/** Amounts, with the members that have their currencies. */
const currencyOf: Readonly<Record<string, string>> = { cost: 'cost_currency', amount: 'currency' };
const currencies = new Set(Object.values(currencyOf));

function isShown(name: string, value: unknown, data: Readonly<Record<string, unknown>>): boolean {
  if (value === null || value === '' || (fromTwo.has(name) && value === 1)) return false;
  const isWithAmount =
    currencies.has(name) && Object.keys(currencyOf).some((one) => currencyOf[one] === name && data[one]);
  return !isWithAmount && !hidden.has(name) && !hiddenEnds.some((end) => name.endsWith(end));
}

/** Who did something; what the program did by itself has the names of its parts. */
export function actorName(actor: string): string {
  return actor === 'engine' || actor === 'intake' ? 'airbatch' : actor;
}

/** The rest of an event: `reason: wrong month · evidence: ...`. A member of a later version keeps its own name. */
export function detailOf({ body }: Pick<ChainEvent, 'body'>): string {
  const data = JSON.parse(body) as Record<string, unknown>;
  return Object.entries(data)
    .filter(([name, value]) => isShown(name, value, data))
    .map(([name, value]) => {
      // What airbatch has observed stands there as a sentence, and as a code with values.
      const reason = data[`${name}_reason`];
      const translated = typeof reason === 'string' ? reasonText(JSON.parse(reason)) : null;
      if (translated !== null) return translated;
      return t('base.labelled', { label: memberName(name), value: shownValue(name, value, data) });
    })
    .join(' · ');
}

/** Also the two values of a member that is true or false. */
function memberName(name: string): string {
  const id = `member.${name}`;
  return hasText(id) ? t(id) : name;
}

/** Values that are codes, by the texts of their kind. */
const kinds: Readonly<Record<string, string>> = {
  why: 'problem',
  reason: 'hold',
  priority: 'priority',
  before_priority: 'priority',
  status: 'state.row',
  as: 'resolve',
  bucket: 'bucket',
};
const times = new Set(['finish_by', 'before_finish_by', 'charged_from']);

function shownValue(name: string, value: unknown, data: Readonly<Record<string, unknown>>): string {
  const currency = data[currencyOf[name] ?? ''];
  if (typeof currency === 'string') return `${formatAmount(String(value), currency)} ${currency}`;
  if (typeof value === 'number' && times.has(name)) return formatTime(value);
  if (name === 'age_ms') return formatDuration(Number(value));
  if (name.endsWith('roles'))
    return String(value)
      .split(',')
      .map((role) => named('role', role))
      .join(', ');
  if (typeof value === 'boolean' || name === 'rejected') return memberName(String(value));
  const [kind, text] = [kinds[name], textOf(value)];
  return kind === undefined ? text : named(kind, text);
}

/** Sums and balances are JSON of an object in a text: `KES 500 · USD 2`. */
function textOf(value: unknown): string {
  if (typeof value === 'string' && value.startsWith('{"')) return textOf(JSON.parse(value));
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${textOf(one)}`)
    .join(', ');
}
