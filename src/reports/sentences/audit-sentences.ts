import { moneyText } from '../../core/money/money.ts';
import { visible } from '../../core/text/visible.ts';
import { isoTime } from '../../core/time/clock.ts';
import { presentKind } from '../../ledger/audit/event-kinds.ts';
import { type AuditEvent, readData } from '../../ledger/audit/events.ts';
import { timeText } from './format.ts';

type Data = Record<string, string | number | boolean | null | undefined>;

const text = (value: unknown) => (value === null || value === undefined || value === '' ? '' : String(value));
const because = (value: unknown) => (text(value) ? `: ${text(value)}` : '');
const quoted = (value: unknown) => (text(value) ? ` ("${text(value)}")` : '');
const count = (value: unknown, one: string) => `${text(value)} ${one}${Number(value) === 1 ? '' : 's'}`;

const byText = (at: unknown) => (at ? `by ${timeText(isoTime(Number(at)))}` : 'at no set time');

/** The service's answer, if it adds anything to the sentence. */
function answer({ http_status, code, message }: Data): string {
  const parts = [http_status ? `HTTP ${http_status}` : '', text(code), text(message)].filter(Boolean);
  return parts.length === 0 ? '' : ` (${[...new Set(parts)].join(', ')})`;
}

/** What the service charges for a payment that failed. */
function kept({ cost, cost_currency }: Data): string {
  return Number(cost ?? 0) === 0 ? '' : `, and ${moneyText(text(cost_currency), text(cost))} stays charged`;
}

/** What happened to a batch, by the kind of its event. */
const batchSentences: Record<string, (data: Data) => string> = {
  'batch.received': ({ run_id, file_sha256, finish_by }) =>
    `received the file with SHA-256 ${text(file_sha256).slice(0, 12)}… as run ${text(run_id)}${finish_by ? `, to finish ${byText(finish_by)}` : ''}`,
  'batch.validate': ({ rows, valid, invalid, held, skipped }) =>
    `read ${count(rows, 'row')}: ${text(valid)} to pay, ${text(invalid)} wrong, ${text(held)} held, ${text(skipped)} skipped (paid before, in progress, or a total)`,
  'batch.draft': ({ original_sha256, cells, steps, undone }) =>
    `made its file from the one with SHA-256 ${text(original_sha256).slice(0, 12)}…, with ${count(cells, 'changed cell')} in ${count(steps, 'step')} (${text(undone)} undone)`,
  'batch.exclude_row': ({ line, by }) => `${text(by)} left out line ${text(line)} of the original file`,
  'batch.reject': ({ code }) => `could not read the file${quoted(code)}`,
  'batch.request_approval': ({ why }) => `submitted it for approval by a second person${because(why)}`,
  'batch.give_approval': ({ approvals_needed, content_sha256 }) =>
    `approved it as one of ${text(approvals_needed)} people, with the digest ${text(content_sha256).slice(0, 12)}…`,
  'batch.void_approvals': ({ why }) => `voided the approvals so far${because(why)}`,
  'batch.approve': ({ content_sha256, rows }) =>
    `approved ${rows === undefined ? 'it' : count(rows, 'row')}, with the digest ${text(content_sha256).slice(0, 12)}…`,
  'batch.start': () => 'started to send',
  'batch.pause': ({ reason, detail, why }) =>
    `paused it (${text(reason ?? 'by_person').replaceAll('_', ' ')})${because(detail ?? why)}`,
  'batch.pause_cleared': ({ reason, why }) => `cleared its pause (${text(reason).replaceAll('_', ' ')})${because(why)}`,
  'batch.pause_added': ({ why }) => `also paused it (by person)${because(why)}`,
  'batch.resume': ({ why }) => `resumed it${because(why)}`,
  'batch.complete': () => 'finished: every row has ended',
  'batch.cancel': ({ why, rejected, withdrawn }) =>
    `${rejected ? 'rejected' : withdrawn ? 'withdrew' : 'cancelled'} it${because(why)}`,
  'batch.reopen': () => 'reopened for a retry of failed rows',
  'batch.service_moved': ({ from, to }) => `said that its service has moved from ${text(from)} to ${text(to)}`,
  'batch.unlisted': ({ from, why }) =>
    `continued without the service's list of what was paid since ${text(from)}, which could not be read${because(why)}`,
  'batch.boost': ({ finish_by }) => `sent it before the others, to finish ${byText(finish_by)}`,
  'batch.reorder': ({ priority, finish_by, before_priority, before_finish_by }) => {
    const was = priority === before_priority ? '' : ` instead of ${text(before_priority)}`;
    const by = finish_by === before_finish_by ? '' : ` instead of ${byText(before_finish_by)}`;
    return `changed its order: ${text(priority)}${was}, to finish ${byText(finish_by)}${by}`;
  },
  'batch.canary_passed': () => 'the first rows (canary) ended well; the other rows can be sent',
  'batch.report': ({ version }) => `published version ${text(version)} of its reports`,
  'batch.forget': ({ rows, why }) => `erased the personal data of ${count(rows, 'row')}${because(why)}`,
};

/** What happened to a row. */
const rowSentences: Record<string, (data: Data) => string> = {
  'row.release': () => 'released it',
  'row.hold': ({ why, other_batch, other_row, other_payment }) =>
    `held it for a person${because(why)}${other_batch ? ` (see batch ${text(other_batch)}, row ${text(other_row)})` : ''}${other_payment ? ` (see payment ${text(other_payment)} of the service)` : ''}`,
  'row.mend': ({ by, column }) =>
    `${text(by)} changed its cell in column ${Number(column) + 1} before the file was submitted`,
  'row.skip': ({ why, other_batch, other_row }) =>
    `skipped it${because(why)}${other_batch ? ` (batch ${text(other_batch)}, row ${text(other_row)} has it)` : ''}`,
  'row.cancel': () => 'cancelled it',
  'row.send': ({ attempt, generation, key }) =>
    `recorded before sending: attempt ${text(attempt)}${Number(generation) > 1 ? ` of retry ${Number(generation) - 1}` : ''}, key ${text(key).slice(0, 8)}…`,
  'row.unsent': ({ why, ...data }) =>
    why
      ? `it was not sent${because(why)}; it is ready to be sent`
      : `the service did not accept it; it is ready to be sent again${answer(data)}`,
  'row.doubt': ({ why, ...data }) => `the result is not known${because(text(why).replaceAll('_', ' '))}${answer(data)}`,
  'row.accept': ({ service_status, topup_id }) =>
    `accepted by the service: ${text(service_status)}, payment ${text(topup_id)}`,
  'row.complete': ({ cost, cost_currency, as, evidence, look_up, topup_id }) =>
    as
      ? `decided that it was paid${because(evidence)}${afterLookup(look_up)}`
      : `paid${cost ? `, ${moneyText(text(cost_currency), text(cost))} charged` : ''}, payment ${text(topup_id)}`,
  'row.fail': ({ as, evidence, look_up, failure_code, failure_reason, ...data }) =>
    as
      ? `decided that it was not paid${because(evidence)}${afterLookup(look_up)}`
      : `failed${because(failure_code)}${because(failure_reason)}${kept(data)}${answer(data)}`,
  'row.retry': ({ next_generation, failure_code, by }) =>
    `retry${next_generation ? ` ${Number(next_generation) - 1}` : ''} started${failure_code ? ` after ${text(failure_code)}` : ''}${by ? ` (by the ${text(by)})` : ''}`,
  'row.look_up': ({ step, look_up, look_ups, ...data }) =>
    step === undefined
      ? `looked it up, as asked: ${text(look_up).replace('_', ' ')}${answer(data)}`
      : `looked it up (${text(look_ups)}): ${text(look_up).replace('_', ' ')}; next: ${text(step).replaceAll('_', ' ')}${answer(data)}`,
  'row.adopt': ({ look_ups, ...data }) =>
    `found it at the service${look_ups === undefined ? '' : ` at look-up ${text(look_ups)}`}, and follows it${answer(data)}`,
  'row.assign': ({ owner, before }) =>
    owner
      ? `made ${text(owner)} its owner${before ? ` instead of ${text(before)}` : ''}`
      : `removed its owner${before ? ` (${text(before)})` : ''}`,
  'row.escalate': ({ why }) => `left it for a person to decide${because(why)}`,
  'row.overdue': ({ age_ms }) =>
    `has waited ${Math.round(Number(age_ms) / 60_000)} minutes for a final status, and keeps waiting`,
  'row.unknown_status': ({ service_status }) =>
    `the service gave a status that its specification does not list${quoted(service_status)}; it is still followed`,
  'row.refund': ({ amount, currency }) =>
    `the service refunded money${amount ? `: ${moneyText(text(currency), text(amount))}` : ''}`,
  'row.contradicted': ({ why }) => `the service contradicts the ledger${because(why)}`,
  'row.late_charge': ({ cost, cost_currency }) =>
    `the service charged ${moneyText(text(cost_currency), text(cost))} for a payment that had failed, for a second one, or as the new cost of a paid row`,
  'row.changed_late': ({ why }) => `read the payment again, and found a change${because(why)}`,
};

/** The service's last answer before a person ended a row that it had accepted. */
function afterLookup(lookup: unknown): string {
  return lookup === undefined ? '' : ` (the service was asked before: ${text(lookup).replace('_', ' ')})`;
}

/** Every event kind with a sentence. */
export const auditKinds: readonly string[] = [...Object.keys(batchSentences), ...Object.keys(rowSentences)];

/** What happened, as a sentence: "row 17: paid, KES 10.00 charged, payment 8f…". Always one line. */
export function eventSentence({ kind, row_no, body }: Pick<AuditEvent, 'kind' | 'row_no' | 'body'>): string {
  const data = readData(body) as Data;
  const present = presentKind(kind);
  const say = batchSentences[present] ?? rowSentences[present];
  const what = say ? say(data) : kind.replace('.', ' ').replaceAll('_', ' ');
  return visible(`${row_no === null ? 'batch' : `row ${row_no}`}: ${what}`);
}

/**
 * The sentence with its time, its author and the interface: "2026-11-20 09:30:12 UTC  ann (cli)  row 17: skipped
 * it: left the company".
 */
export function auditSentence(event: AuditEvent): string {
  const { through } = readData(event.body);
  const who = visible(typeof through === 'string' ? `${event.actor} (${through})` : event.actor);
  return `${timeText(new Date(event.at).toISOString())}  ${who}  ${eventSentence(event)}`;
}
