import type { Answer } from '../api/client.ts';
import { formatAmount, formatCount, formatDuration, formatTime } from '../texts/format.ts';
import { hasText, t } from '../texts/i18n.ts';
import { answerText, named, type Reason, reasonText } from '../texts/reason-text.ts';

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

/** The same for one event: a rejection or a withdrawal is kept as a cancellation of the batch. */
export function eventName({ kind, body }: Pick<ChainEvent, 'kind' | 'body'>): string {
  const { rejected, withdrawn } = kind === 'batch.cancel' ? dataIn(body) : {};
  return rejected ? t('state.rejected') : withdrawn ? t('state.withdrawn') : eventText(kind);
}

/** Members without meaning for a person: keys, digests, codes, states that the kind already says; and times. */
const hidden = new Set([
  ...['from', 'to', 'key', 'reference', 'through', 'why_reason', 'detail_reason'],
  // These repeat other details, for those who compare the row with the chain.
  ...['contradicted', 'second_topup_id'],
  // The name of the event says these.
  ...['rejected', 'withdrawn'],
]);
const hiddenEnds = ['_at', '_sha256'];

/** Counts that say something only from the second one on. */
const fromTwo = new Set(['attempt', 'generation']);
/** Amounts, with the members that have their currencies. */
const currencyOf: Readonly<Record<string, string>> = { cost: 'cost_currency', amount: 'currency' };
const currencies = new Set(Object.values(currencyOf));

function isShown(name: string, value: unknown, data: Readonly<Record<string, unknown>>): boolean {
  if (value === null || value === '' || (fromTwo.has(name) && value === 1)) return false;
  // A whole line has no column.
  if (columns.has(name) && Number(value) < 0) return false;
  const isWithAmount =
    currencies.has(name) && Object.keys(currencyOf).some((one) => currencyOf[one] === name && data[one]);
  // What such a code means stands in the message.
  const isOwnCode = name === 'code' && (value === 'ok' || answerText(String(value)) !== null);
  return !isWithAmount && !isOwnCode && !hidden.has(name) && !hiddenEnds.some((end) => name.endsWith(end));
}

/** The parts of the program. No person has such a name. */
const programs = new Set(['engine', 'intake', 'reconcile', 'retention', 'notify', 'scheduler']);

/** Who did something; what the program did by itself has the names of its parts. */
export function actorName(actor: string): string {
  return programs.has(actor) ? 'airbatch' : actor;
}

/** The rest of an event: `reason: wrong month · evidence: ...`. A member of a later version keeps its own name. */
export function detailOf({ body, why_reason }: Pick<ChainEvent, 'body' | 'why_reason'>): string {
  const data = dataIn(body);
  const why = whyText(why_reason);
  return Object.entries(data)
    .filter(([name, value]) => isShown(name, value, data))
    .map(([name, value]) =>
      why !== null && whys.has(name)
        ? why
        : t('base.labelled', { label: memberName(name), value: shownValue(name, value, data) }),
    )
    .join(' · ');
}

/** The members of an event's body. None if somebody has damaged it: the rest of the event can still be shown. */
export function dataIn(json: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(json));
  } catch {
    return {};
  }
}

/** Members with a reason: in the reader's language if airbatch has given it, else in a person's own words. */
const whys = new Set(['why', 'detail']);

/** Why something happened, in the reader's language; null if there is no text for it. */
export function whyText(reason: Reason | null): string | null {
  const problem = `problem.${reason?.code}`;
  return reasonText(reason) ?? (hasText(problem) ? t(problem) : null);
}

/** Also the two values of a member that is true or false. */
export function memberName(name: string): string {
  const id = `member.${name}`;
  return hasText(id) ? t(id) : name;
}

/** The texts of values that are codes. */
const textIds: Readonly<Record<string, (code: string) => string>> = {
  reason: (code) => `hold.${code}`,
  priority: (code) => `priority.${code}`,
  before_priority: (code) => `priority.${code}`,
  status: (code) => `state.row.${code}`,
  as: (code) => `resolve.${code}`,
  bucket: (code) => `bucket.${code}`,
  outcome: (code) => `outcome.${code}`,
  look_up: (code) => `outcome.${code}`,
  step: (code) => `step.${code}`,
  what: (code) => `seen.${code}`,
  how: (code) => `how.${code}`,
  kind: (code) => `people.factor.${code}`,
};
const counts = new Set(['rows', 'valid', 'invalid', 'held', 'skipped', 'steps', 'undone', 'cells']);
/** Places among the columns of the file, which the chain counts from 0. */
const columns = new Set(['column', 'amount_column']);
const times = new Set(['finish_by', 'before_finish_by', 'charged_from']);

function shownValue(name: string, value: unknown, data: Readonly<Record<string, unknown>>): string {
  const currency = data[currencyOf[name] ?? ''];
  if (typeof currency === 'string') return `${formatAmount(String(value), currency)} ${currency}`;
  if (typeof value === 'number' && times.has(name)) return formatTime(value);
  if (typeof value === 'number' && counts.has(name)) return formatCount(value);
  if (typeof value === 'number' && columns.has(name)) return formatCount(value + 1);
  if (name === 'sums') return sumsText(value);
  if (name === 'message') return answerText(String(data.code)) ?? String(value);
  if (name === 'age_ms') return formatDuration(Number(value));
  if (name.endsWith('roles'))
    return String(value)
      .split(',')
      .map((role) => named('role', role))
      .join(', ');
  if (typeof value === 'boolean') return memberName(String(value));
  const text = textOf(value);
  const id = textIds[name]?.(text.replaceAll(/\W+/g, '_')) ?? '';
  return hasText(id) ? t(id) : text;
}

/** `500.00 KES, 2.00 USD`, from the JSON of an object. */
function sumsText(value: unknown): string {
  return Object.entries(dataIn(String(value)))
    .map(([currency, sum]) => `${formatAmount(String(sum), currency)} ${currency}`)
    .join(', ');
}

/** Balances are JSON of an object in a text. */
function textOf(value: unknown): string {
  if (typeof value === 'string' && value.startsWith('{"')) return textOf(JSON.parse(value));
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${textOf(one)}`)
    .join(', ');
}
