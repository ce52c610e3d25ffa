import { beyondMaximum } from '../../core/repeats/recipient-maximum.ts';
import { isReadBefore, repeatProblem } from '../../core/repeats/repeated-payment.ts';
import { dayMs } from '../../core/time/clock.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { unreadTo } from '../../ledger/rows/lost-payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { contradictedOfRun, type Sent, type SentRow, sentLately } from '../../ledger/rows/sent-lately.ts';
import { readFact, writeFact } from '../../ledger/schema/facts.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { type ConfirmedFailures, failureName } from '../doubts/failed-before.ts';
import type { OpenBatch } from '../runner/context.ts';

/** What was sent to the numbers of some rows that are about to be sent, as far as it may speak against them. */
export interface AlreadySent {
  /** By other batches, within `days` of `asOf` (epoch ms). */
  byOthers: readonly Sent[];
  days: number;
  asOf: number;
  /** By any batch, this one too, from `since` (epoch ms) on; null where the policy has no maximum for a recipient. */
  received: Sent[] | null;
  since: number;
}

/**
 * Asks for all of the rows at once; `withLost`: also for what a restored ledger has lost. Null where nothing can speak
 * against any of them.
 */
export async function alreadySent(
  unit: Unit,
  { batch, policy }: OpenBatch,
  rows: readonly RowRecord[],
  withLost: boolean,
): Promise<AlreadySent | null> {
  const { repeatWithinDays: days, recipientMaximum } = policy;
  const asOf = Math.min(batch.created_at, unit.at);
  const numbers = new Set<string>();
  for (const { phone_number } of rows) if (phone_number !== null) numbers.add(phone_number);
  const { account, batch_id: batchId } = batch;
  const sentTo = (since: number, butBy: string) =>
    sentLately(unit.tx, { account, batchId: butBy, since, withLost }, [...numbers]);
  const lost = () => (withLost ? unreadTo(unit.tx, account, [...numbers]) : []);
  const byOthers = [
    ...(days === 0 ? await lost() : await sentTo(asOf - days * dayMs, batchId)),
    ...(await contradictedOfRun(unit.tx, batch, [...numbers])),
  ];
  if (recipientMaximum === null)
    return byOthers.length === 0 ? null : { byOthers, days, asOf, received: null, since: asOf };
  const since = unit.at - recipientMaximum.days * dayMs;
  return { byOthers, days, asOf, received: await sentTo(since, anyBatch), since };
}

/** No batch is named so: what is asked for but for its rows is asked for of all. */
const anyBatch = '';

/**
 * Holds a row for a person, unless one has let it go since: another batch has sent the same to the same number, or its
 * run something else that the row may correct, perhaps since this file was taken in; or the number gets more than is
 * allowed. Returns whether it is held.
 */
export async function holdForPerson(
  unit: Unit,
  { batch: { run_id }, file, policy }: OpenBatch,
  row: RowRecord,
  { byOthers, days, asOf, received, since }: AlreadySent,
): Promise<boolean> {
  const isToNumber = ({ phone_number }: Sent) => phone_number === row.phone_number;
  const toNumber = byOthers.filter(isToNumber);
  const asking = { ...row, run_id };
  const repeat =
    toNumber.length === 0
      ? null
      : await repeatProblem({ ...asking, days, asOf }, toNumber, (rowRef) => file.has(unit.tx, rowRef));
  const beyond =
    policy.recipientMaximum &&
    received &&
    beyondMaximum({ ...asking, told_until: await releasedUntil(unit.tx, row) }, received.filter(isToNumber), {
      ...policy.recipientMaximum,
      since,
    });
  const found = [repeat, beyond].filter((one) => one !== null);
  const [first] = found;
  if (first === undefined) return false;
  const problems = JSON.stringify(found.map(({ problem }) => ({ ...problem, column: null })));
  const told_until = Math.max(row.told_until ?? 0, ...found.map(({ until }) => until));
  await unit.changeRow(
    row,
    'hold',
    { problems, told_until, next_action_at: null },
    { why: first.problem.code, ...repeat?.other },
  );
  return true;
}

/**
 * Whether a payment of another batch has failed that would speak against the row had it arrived, and was not read
 * again for it.
 */
export function isAnyUnread(
  { batch: { run_id } }: OpenBatch,
  row: RowRecord,
  { byOthers, days, asOf }: AlreadySent,
  confirmed: ConfirmedFailures,
): boolean {
  const asking = { ...row, run_id, days, asOf };
  return byOthers.some(
    (one) =>
      isOfRow(one) &&
      one.phone_number === row.phone_number &&
      one.status === 'failed' &&
      one.contradicted === null &&
      !confirmed.has(failureName(one)) &&
      isReadBefore(asking, one),
  );
}

function isOfRow(one: Sent): one is SentRow {
  return 'batch_id' in one;
}

/**
 * Why a row in doubt is not sent again: since it was first sent, the service has said of a payment that had failed,
 * and that pays the same, that it has not. Null where it may be sent.
 */
export async function whyNotAgain(
  { batch: { run_id } }: OpenBatch,
  row: RowRecord,
  { byOthers, days, asOf }: AlreadySent,
): Promise<string | null> {
  const isNews = (one: Sent) =>
    isOfRow(one) && one.phone_number === row.phone_number && (one.contradicted_at ?? 0) > (row.first_sent_at ?? 0);
  const news = byOthers.filter(isNews);
  if (news.length === 0) return null;
  const found = await repeatProblem({ ...row, run_id, days, asOf }, news, async () => true);
  if (found === null || !('other_batch' in found.other)) return null;
  const { other_batch, other_row } = found.other;
  return `batch ${other_batch}, row ${other_row} may have paid the same, as the service now says`;
}

/**
 * A person lets a held row go: where it was held because its number gets too much, that holds it no more. Who lets it
 * go for another reason was not told of that.
 */
export async function saveReleasedUntil(tx: Queryable, row: RowRecord): Promise<void> {
  const problems = JSON.parse(row.problems ?? '[]') as { code: string }[];
  if (problems.some(({ code }) => code === 'RECIPIENT_MAXIMUM'))
    await writeFact(tx, releasedUntilName(row), String(row.told_until ?? 0));
}

/**
 * Until when (epoch ms) what the number of a row was sent is known to a person who has let it go all the same; null
 * where nobody has.
 */
async function releasedUntil(db: Queryable, row: RowRecord): Promise<number | null> {
  if (row.told_until === null) return null;
  const until = await readFact(db, releasedUntilName(row));
  return until === null ? null : Number(until);
}

function releasedUntilName({ batch_id, row_no }: RowRecord): string {
  return `let_go_until:${batch_id}:${row_no}`;
}

/**
 * A row that was ready and goes now counts for those that come after it, in place of an earlier payment that it bore
 * and that has not arrived; one in doubt is among what was sent before.
 */
export function noteSent(
  { received }: AlreadySent,
  { batch: { run_id } }: OpenBatch,
  { phone_number, ...sent }: RowRecord,
  at: number,
): void {
  if (received === null || phone_number === null) return;
  const isOwn = (one: Sent) => 'batch_id' in one && one.batch_id === sent.batch_id && one.row_no === sent.row_no;
  const borne = received.findIndex(isOwn);
  if (borne >= 0) received.splice(borne, 1);
  received.push({ ...sent, run_id, phone_number, first_sent_at: at });
}
