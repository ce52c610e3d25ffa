import { type ErrorReason, reasonOf } from '../basics/errors.ts';

/**
 * Why something happened, as airbatch itself writes it into the audit chain, by stable code: `{name}` stands for a
 * value. `reasonOfWhy` finds the code by the sentence, also in older chains. So a sentence may get a successor, but it
 * never leaves this table. The console has a text for each code in the reader's language.
 */
export const eventWhys = {
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
} as const;

type Filled<Sentence extends string> = Sentence extends `${infer Head}{${string}}${infer Tail}`
  ? `${Head}${string}${Filled<Tail>}`
  : Sentence;

/** A sentence of the table, with its values. */
export type EventWhy = Filled<(typeof eventWhys)[keyof typeof eventWhys]>;

/** A sentence of the table up to its first value that is not given here. */
export function beginningOf(code: keyof typeof eventWhys, values: Readonly<Record<string, string>> = {}): string {
  const filled = eventWhys[code].replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
  return filled.replace(/\{.*$/, '');
}

const patterns = Object.entries(eventWhys).map(([code, sentence]) => ({ code, pattern: patternOf(sentence) }));

function patternOf(sentence: string): RegExp {
  const escaped = sentence.replaceAll(/[()]/g, '\\$&');
  const value = (_: string, name: string) => `(?<${name}>${name.endsWith('cost') ? '[0-9.]+' : '.+'})`;
  return new RegExp(`^${escaped.replaceAll(/\{(\w+)\}/g, value)}$`);
}

/** What a sentence of the table says, in a form that other languages can tell; null if it is in no line of it. */
export function reasonOfWhy(sentence: string): ErrorReason | null {
  for (const { code, pattern } of patterns) {
    const found = pattern.exec(sentence);
    if (found === null) continue;
    const values: Record<string, string> = { ...found.groups };
    // It chooses a case of the text: `phone_number`.
    if (values.difference !== undefined) values.difference = values.difference.replaceAll(/\W/g, '_');
    return reasonOf(code, values);
  }
  return null;
}
