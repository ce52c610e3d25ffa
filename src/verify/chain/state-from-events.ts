import type { Act, BatchFacts } from './chain-facts.ts';

/**
 * What the events of a batch say about it, by the field of summary.json. Times are ISO 8601 with milliseconds. Null: it
 * has no value. Undefined: the events do not say, so nothing is compared.
 */
export function stateFromEvents({
  received,
  validated,
  approved,
  started,
  completed,
  reordered,
  moved,
  forgotten,
  status,
}: BatchFacts) {
  const time = (act: Act | null) => act && new Date(act.at).toISOString();
  return {
    'the run': received?.data.run_id,
    'the account': received?.data.account,
    'the service': moved?.data.to ?? received?.data.service,
    'the digest of the file': received?.data.file_sha256,
    'who submitted it': received?.data.created_by,
    'when it was submitted': time(received),
    'the digest of the rows': validated ? validated.data.content_sha256 : null,
    'who approved it': approved === null ? null : approved.actor,
    'when it was approved': time(approved),
    'when it was due': statedTime((reordered ?? received)?.data.finish_by),
    'when it began': time(started),
    'when it ended': status === 'completed' ? time(completed) : null,
    'the balance before it': approved?.data.balance,
    'the balance after it': completed?.data.balance,
    'when the balance before it was read': statedTime(approved?.data.balance_read_at),
    'when the balance after it was read': statedTime(completed?.data.balance_read_at),
    'when its people were forgotten': time(forgotten),
    'its state': status,
  };
}

/** A time that an event gives as epoch milliseconds: see `stateFromEvents`. */
function statedTime(at: unknown): string | null | undefined {
  return typeof at === 'number' ? new Date(at).toISOString() : at === null ? null : undefined;
}
