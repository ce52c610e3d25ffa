import { doubtWhy } from '../../core/state/doubt-texts.ts';
import { generationsMax, isDoubtfulEnd, samePayment } from '../../core/state/earlier-payment.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import { type Clock, dayMs } from '../../core/time/clock.ts';
import type { Gateway, LookupOutcome, ServicePayment } from '../../gateway/contract/gateway.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { noteContradiction } from '../../ledger/reporting/contradictions.ts';
import { type LatePayment, noteLateCharge } from '../../ledger/reporting/late-charges.ts';
import { holdMayBePaid } from '../../ledger/reporting/may-be-paid.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { namedEnds, saveNamedEnds } from '../../ledger/rows/row-decisions.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import { type PayingBatch, paymentNames, referenceOf } from '../payments/payment-request.ts';
import type { Asks, Parts } from '../runner/context.ts';
import { logEscalation, writeEscalation } from './doubts.ts';
import { type LookupRetry, scheduleLookupRetry } from './lookup-retry.ts';

type EarlierGenerationsNeeds = Parts<Asks | 'batches' | 'clock' | 'committer' | 'db' | 'log' | 'picker'>;

/**
 * The service's answers about all earlier payments of a row. In the ledger, each of these payments has failed.
 */
export type EarlierGenerations =
  /** All have failed. `last`: the service's payments of the last generation. */
  | { kind: 'failed'; last: readonly ServicePayment[] }
  /**
   * One has failed with a status after which it may still have arrived, and no person has confirmed that it did not.
   */
  | ({ kind: 'doubtful' } & EarlierPayment)
  /** The service no longer calls one of them failed: another payment could be a second one. */
  | ({ kind: 'live' } & EarlierPayment)
  | LookupRetry;

/** What the service reports of the payment of an earlier generation. */
type EarlierPayment = { generation: number; reference: string } & Pick<ServicePayment, 'serviceStatus'> & LatePayment;

export interface LookupDeps {
  db: Queryable;
  clock: Pick<Clock, 'now'>;
  gateway: Gateway;
  /** Asks the service one question as soon as the account's limits allow. */
  ask: (question: () => Promise<LookupOutcome>) => Promise<LookupOutcome>;
}

/**
 * Looks up a row's generations up to this one by their references, whichever batch sent them (reliability.md, V2 step
 * 7). A doubtful end counts as a failure only if a person has `named` it for this row.
 */
export async function lookupGenerations(
  deps: LookupDeps,
  batch: PayingBatch,
  row: RowRecord,
  { lastGeneration, named }: { lastGeneration: number; named: readonly string[] },
): Promise<EarlierGenerations> {
  let last: readonly ServicePayment[] = [];
  for (let generation = 1; generation <= lastGeneration; generation++) {
    const reference = referenceOf(batch, row, generation);
    const { outcome, contradiction } = await lookupGeneration(deps, batch, row, generation);
    if (contradiction !== null) return { ...contradiction, kind: 'live', generation, reference };
    last = outcome.kind === 'found' ? outcome.payments : [];
    if (outcome.kind === 'not_found') continue;
    if (outcome.kind !== 'found') return { kind: 'unread', reference, problem: outcome };
    const live = outcome.payments.find(({ state }) => state !== 'failed');
    if (live) return { ...live, kind: 'live', generation, reference };
    const doubtful = outcome.payments.find(
      ({ serviceStatus }) => isDoubtfulEnd(serviceStatus) && !named.includes(serviceStatus),
    );
    if (doubtful) return { ...doubtful, kind: 'doubtful', generation, reference };
  }
  return { kind: 'failed', last };
}

/** The payments that the service has of one generation of a row. */
export interface FoundGeneration {
  generation: number;
  reference: string;
  payments: readonly ServicePayment[];
}

/**
 * Looks up a row's generations from `first` to the last possible one, by their references: a lost part of the ledger
 * may have sent any of them. Returns those that the service has, or the lookup that was not answered.
 */
export async function lookupFrom(
  { gateway, limiter }: Parts<'gateway' | 'limiter'>,
  batch: PayingBatch,
  row: RowRecord,
  first: number,
): Promise<FoundGeneration[] | LookupRetry> {
  const found: FoundGeneration[] = [];
  for (let generation = first; generation <= generationsMax; generation++) {
    const reference = referenceOf(batch, row, generation);
    const outcome = await limiter.admit('read', () => gateway.lookup(reference));
    if (outcome.kind === 'not_found') continue;
    if (outcome.kind !== 'found') return { kind: 'unread', reference, problem: outcome };
    found.push({ generation, reference, payments: outcome.payments });
  }
  return found;
}

/**
 * Looks up a generation by its reference, and also by the payment's id, if a row has that: if the reference shows
 * nothing, or if the service has contradicted the failure before. A person may have marked a payment as not paid that
 * the service had. `contradiction`: what the service said before, if it contradicted the failure within the last day
 * and now shows no payment that has not failed. Its reads may lag behind what it said.
 */
async function lookupGeneration(
  { db, clock, gateway, ask }: LookupDeps,
  batch: PayingBatch,
  row: RowRecord,
  generation: number,
): Promise<{ outcome: LookupOutcome; contradiction: (LatePayment & { serviceStatus: string }) | null }> {
  const { key, reference } = paymentNames(batch, row, generation);
  const first = await ask(() => gateway.lookup(reference));
  if (isLive(first) || (first.kind !== 'not_found' && first.kind !== 'found'))
    return { outcome: first, contradiction: null };
  const payment = await findPayment(db, key);
  const owner = payment && (await findRow(db, payment.batch_id, payment.row_no));
  const own = owner?.generation === generation ? owner : null;
  const { contradicted = null, contradicted_at, contradicted_by: topupId = null } = own ?? {};
  // The list may be older than an answer that the service has already given.
  const isEnough = (first.kind === 'found' && contradicted === null) || own?.topup_id == null;
  const outcome = isEnough ? first : await ask(() => gateway.read({ topupId: own.topup_id ?? '', reference }));
  const isRecent = contradicted !== null && clock.now() - (contradicted_at ?? 0) < dayMs;
  if (!isRecent || isLive(outcome) || isReleased(row, owner)) return { outcome, contradiction: null };
  return { outcome, contradiction: { serviceStatus: contradicted, topupId, cost: null, completedAt: null } };
}

/** Whether a person has released the row, which was held because of what the service said of another row's payment. */
function isReleased(row: RowRecord, owner: RowRecord | null): boolean {
  const isOwn = owner?.batch_id === row.batch_id && owner.row_no === row.row_no;
  return !isOwn && row.contradicted !== null && (row.contradicted_at ?? 0) >= (owner?.contradicted_at ?? 0);
}

function isLive(outcome: LookupOutcome): boolean {
  return outcome.kind === 'found' && outcome.payments.some(({ state }) => state !== 'failed');
}

/**
 * Stores the named ends for as long as the row may be sent: its earlier payments are looked up again when its turn
 * comes.
 */
export async function nameEnds(tx: Queryable, row: RowRecord, codes: readonly string[]): Promise<void> {
  const ends = codes.filter(isDoubtfulEnd);
  if (ends.length === 0) return;
  const named = new Set([...(await namedEnds(tx, row)), ...ends]);
  await saveNamedEnds(tx, row, [...named]);
}

/**
 * Returns those of the rows that may be sent. A row that was tried before, perhaps by another batch and long ago, is
 * looked up once more. If the service no longer calls an earlier payment failed, the row is left to a person. This
 * includes rows in doubt whose key is about to be sent again: an earlier payment may have changed since they were first
 * sent.
 */
export async function withoutLiveEarlier(
  context: EarlierGenerationsNeeds,
  rows: readonly RowRecord[],
): Promise<RowRecord[]> {
  const mayBeSent = await Promise.all(rows.map((row) => row.generation === 1 || confirmFailed(context, row)));
  return rows.filter((_, index) => mayBeSent[index]);
}

async function confirmFailed(context: EarlierGenerationsNeeds, row: RowRecord): Promise<boolean> {
  const open = context.batches.get(row.batch_id);
  if (!open) return false;
  const { clock, db, gateway, limiter } = context;
  const named = await namedEnds(db, row);
  const deps: LookupDeps = { db, clock, gateway, ask: (question) => limiter.admit('read', question) };
  const earlier = await lookupGenerations(deps, open.batch, row, { lastGeneration: row.generation - 1, named });
  if (earlier.kind === 'failed') return true;
  if (earlier.kind === 'unread') {
    await scheduleLookupRetry(context, row, earlier);
    return false;
  }
  const { generation, reference, serviceStatus } = earlier;
  // The text leaves out the reference, which may be a phone number: the audit chain keeps it for ever.
  const why: EventWhy = `the service says ${serviceStatus} of its payment of generation ${generation}`;
  const isDoubt = row.status === 'in_doubt';
  const isWritten = await context.committer.commit(async (unit) => {
    const payment = await findPayment(unit.tx, paymentNames(open.batch, row, generation).key);
    const owner = payment && (await findRow(unit.tx, payment.batch_id, payment.row_no));
    // A row that was corrected since asks for something else than the payment that may have arrived. A different
    // network alone does not make it another payment, as between runs.
    const isSame = owner !== null && samePayment(row, { ...owner, network_id: row.network_id });
    const firstSentAt = payment && isSame ? payment.first_intent_at : null;
    const written = isDoubt
      ? await writeEscalation(
          unit,
          row,
          doubtWhy('DOUBT_EARLIER', { service_status: serviceStatus, generation }, why),
          {},
        )
      : (await holdMayBePaid(unit, row, { reference, serviceStatus, firstSentAt })) !== null;
    if (owner === null) return written;
    // If the row of another batch sent the payment, that row counts as paid from now on.
    const isOwn = owner.batch_id === row.batch_id && owner.row_no === row.row_no;
    if (isOwn) await noteLateCharge(unit, row, earlier);
    else await noteContradiction(unit, owner, { ...earlier, why, firstSentAt: payment?.first_intent_at ?? null });
    return written;
  });
  if (isDoubt && isWritten) logEscalation(context, row, why);
  return false;
}
