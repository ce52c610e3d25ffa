import type { Answer } from '../api/client.ts';
import { formatAmount, formatDuration, formatTime } from '../texts/format.ts';
import { hasText, t } from '../texts/i18n.ts';
import { named, reasonText } from '../texts/reason-text.ts';

/** An event of the audit chain, as `list-events` has it, without its hash. */
export type ChainEvent = Omit<Answer<'/api/v1/events'>['events'][number], 'hash'>;

/** Kinds by the names that chains of earlier versions keep. */
const earlierKinds: Readonly<Record<string, string>> = {
  'batch.ask_approval': 'batch.request_approval',
  'batch.pause_besides': 'batch.pause_added',
  'batch.press': 'batch.boost',
  'row.review': 'row.escalate',
};

/** What happened, in the reader's language; an unknown kind is shown unchanged. */
export function eventText(kind: string): string {
  const ids = [`event.${earlierKinds[kind] ?? kind}`, `access.${kind}`];
  const id = ids.find(hasText);
  return id === undefined ? kind : t(id);
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

/** The parts of the program. No person has such a name. */
const programs = new Set(['engine', 'intake', 'reconcile', 'retention', 'notify', 'scheduler']);

/** Who did something; what the program did by itself has the names of its parts. */
export function actorName(actor: string): string {
  return programs.has(actor) ? 'airbatch' : actor;
}

/** The kinds of events for which a person gives the reason, unless a part of the program is the actor. */
const explainedByPeople = new Set([
  ...['batch.pause', 'batch.pause_added', 'batch.pause_besides', 'batch.cancel', 'batch.forget', 'batch.unlisted'],
  'row.skip',
]);

/** The rest of an event: `reason: wrong month · evidence: ...`. A member of a later version keeps its own name. */
export function detailOf(event: Pick<ChainEvent, 'kind' | 'actor' | 'body'>): string {
  const data = JSON.parse(event.body) as Record<string, unknown>;
  return Object.entries(data)
    .filter(([name, value]) => isShown(name, value, data))
    .map(
      ([name, value]) =>
        observed(name, event, data) ??
        t('base.labelled', { label: memberName(name), value: shownValue(name, value, data) }),
    )
    .join(' · ');
}

/** What airbatch has observed, in the reader's language. Null: a value, or a person's own words. */
function observed(
  name: string,
  { kind, actor }: Pick<ChainEvent, 'kind' | 'actor'>,
  data: Readonly<Record<string, unknown>>,
): string | null {
  const reason = data[`${name}_reason`];
  if (typeof reason === 'string') return reasonText(JSON.parse(reason));
  if (name !== 'why' || (explainedByPeople.has(kind) && !programs.has(actor))) return null;
  return whyText(String(data[name]));
}

/** Also the two values of a member that is true or false. */
function memberName(name: string): string {
  const id = `member.${name}`;
  return hasText(id) ? t(id) : name;
}

/** Values that are codes, by the texts of their kind. */
const kinds: Readonly<Record<string, string>> = {
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

/**
 * Why something happened, as airbatch itself writes it into the audit chain, by the code of its text: `{name}` stands
 * for a value. The program has the same table (`core/state/event-whys.ts`).
 */
export const whySentences = {
  // A row is in doubt, or ready again.
  WHY_INTERRUPTED: 'interrupted',
  WHY_KEY_OLD: 'key_too_old',
  WHY_EXISTS: 'exists',
  WHY_NUMBER_BLOCKED: 'number_blocked',
  WHY_SAME_ANSWER: 'the very same answer again',
  WHY_THROTTLED: 'throttled for an hour',
  WHY_SAME_REFUSAL: 'the same refusal again',
  WHY_ATTEMPT_OPEN: 'refused, with an earlier attempt open',
  WHY_ANSWER_NAMES: 'the answer names another {difference}',
  WHY_RESTORED: 'the service has it, and the restored ledger does not',
  WHY_REPORTED: 'the service reports a payment that it seemed not to have',
  WHY_UNDER_REFUSED_KEY: 'the service has a payment under its refused key',
  WHY_STOPPED: 'the request was stopped before its first byte',
  // The service contradicts a row, or has changed its payment.
  WHY_FAILED_SAYS: 'the row failed, and the service now says {service_status}',
  WHY_PERSON_FAILED_SAYS: 'a person has said that the row failed, and the service now says {service_status}',
  WHY_PERSON_SAYS: 'a person has said that the row is {row_status}, and the service now says {service_status}',
  WHY_ROW_SAYS: 'the row is {row_status}, and the service says {service_status}',
  WHY_ROW_COMPLETED: 'the row is {row_status}, and the service has completed its payment',
  WHY_ENDED_SAYS: 'the row ended {row_status}, and the service now says {service_status}',
  WHY_COST: 'the row cost {cost} {currency}, and the service now says {other_cost} {other_currency}',
  WHY_GONE: 'the row was completed, but the service now has nothing under its reference',
  WHY_GONE_OTHER: 'the row was completed, but the service now has only another payment under its reference',
  WHY_REFUSED_PAYMENT: 'the row was refused, and the service has a payment for it',
  WHY_OTHER: 'the service has another {difference}',
  WHY_SECOND: 'the service says {service_status} of another payment of the row ({topup_id})',
  WHY_NOT_FOUND: 'a webhook reports a payment that no lookup finds',
  WHY_EARLIER_COMPLETED: 'an earlier payment of the row is completed',
  WHY_EARLIER_ARRIVED: 'the service says {service_status} of the payment of generation {generation}, which had failed',
  WHY_EARLIER_SAYS: 'the service says {service_status} of its payment of generation {generation}',
  // A batch.
  WHY_FUNDED: 'the balance is back',
  WHY_ROW_CHANGED: 'the state of 1 row has changed',
  WHY_ROWS_CHANGED: 'the state of {rows} rows has changed',
  WHY_READING_STOPPED: 'reading the file was interrupted',
  WHY_RETENTION: 'retention',
};

const patterns = Object.entries(whySentences).map(([code, sentence]) => ({ code, pattern: patternOf(sentence) }));

function patternOf(sentence: string): RegExp {
  const escaped = sentence.replaceAll(/[()]/g, '\\$&');
  const value = (_: string, name: string) => `(?<${name}>${name.endsWith('cost') ? '[0-9.]+' : '.+'})`;
  return new RegExp(`^${escaped.replaceAll(/\{(\w+)\}/g, value)}$`);
}

/** The reason of an event in the reader's language; null if it is none that airbatch writes. */
export function whyText(said: string): string | null {
  const problem = `problem.${said.toUpperCase()}`;
  if (hasText(problem)) return t(problem);
  for (const { code, pattern } of patterns) {
    const found = pattern.exec(said);
    if (found === null) continue;
    const values: Record<string, string> = { ...found.groups };
    // The cases of a text are single words: `phone_number`.
    if (values.difference !== undefined) values.difference = values.difference.replaceAll(/\W/g, '_');
    return reasonText({ code, values });
  }
  return null;
}
