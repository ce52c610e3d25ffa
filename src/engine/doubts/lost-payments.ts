import { AirbatchError } from '../../core/basics/errors.ts';
import { isExplainedBy } from '../../core/duplicates/comparison.ts';
import { unreadSinceName } from '../../core/duplicates/duplicate-problems.ts';
import { idempotencyKey, parseReference } from '../../core/identity/ids.ts';
import { paymentMayHaveArrived } from '../../core/state/earlier-payment.ts';
import { wasSent } from '../../core/state/row-state.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { Gateway, ServicePayment } from '../../gateway/contract/gateway.ts';
import { makeListReader, type ReadPage } from '../../gateway/contract/list-pages.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import { openBatches } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { insertLost, type LostRecord } from '../../ledger/rows/lost-payments.ts';
import { findPayments, type PaymentRecord } from '../../ledger/rows/payments.ts';
import { findRow, findRowByTopup } from '../../ledger/rows/rows.ts';
import { accountState } from '../../ledger/schema/state-columns.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { unansweredWaitMs } from '../pacing/read-trouble.ts';
import type { Asks, Parts, Writes } from '../runner/context.ts';

export type LostPaymentsNeeds = Parts<Asks | Writes | 'account' | 'stopping'>;

/** The list may round times to seconds, so reading continues this much before the last entry (ms). */
const secondMs = 1_000;

/** When all requests of the program before the restore have certainly ended (epoch ms). */
export function nothingUnderWayAt({ gateway }: Parts<'gateway'>, restoredAtMs: number): number {
  return restoredAtMs + (gateway.policy.lookupDelaysMs[0] ?? 0);
}

/**
 * Reads the payments of the lost part of a restored ledger from the service's list, so that new rows are compared with
 * them. Resolves when the list was read to its end, or when the runner stops. It reads the oldest first: new payments
 * then never shift a page, and an interrupted reading continues from the last entry. Version 1 has no list.
 */
export async function readLostPayments(context: LostPaymentsNeeds, restoredAtMs: number): Promise<void> {
  const { account, clock, db, gateway, log, stopping } = context;
  const wait = nothingUnderWayAt(context, restoredAtMs) - clock.now();
  if (wait > 0)
    log.warn(
      'the ledger was restored: airbatch sends nothing yet, because requests of the earlier program may still arrive',
      {
        wait_s: Math.ceil(wait / 1_000),
      },
    );
  const fromMs = await accountState.lostFrom.read(db, account);
  if (fromMs === null) return;
  if (gateway.list === null) {
    await context.committer.commit((unit) => accountState.lostFrom.write(unit.tx, account, null));
    return;
  }
  if (wait > 0) await clock.sleep(wait, stopping);
  const kept = await readList(context, gateway.list, fromMs);
  if (kept !== null) log.info('the service has listed payments that the ledger no longer has', { payments: kept });
  else if ((await accountState.lostFrom.read(db, account)) === null)
    log.warn('a person continues without the service’s list; rows that may repeat a payment are held');
}

/** Returns how many payments were stored; null if the list was not read to its end. */
async function readList(
  context: LostPaymentsNeeds,
  list: NonNullable<Gateway['list']>,
  fromMs: number,
): Promise<number | null> {
  const { account, clock, db, limiter, stopping } = context;
  const readOn = makeListReader(list, { fromMs, toMs: null });
  let kept = 0;
  let troubleSince: number | null = null;
  let isEndless = false;
  while (!stopping.aborted) {
    const page = await limiter.admit('read', readOn);
    if (page.kind !== 'page') {
      const retryMs = await context.readTrouble(page);
      if (troubleSince === null) logListDelay(context, { code: page.evidence.code });
      troubleSince ??= clock.now();
      await clock.sleep(unansweredWaitMs(clock.now() - troubleSince, retryMs), stopping);
      if ((await accountState.lostFrom.read(db, account)) === null) return null;
      continue;
    }
    troubleSince = null;
    const some = await keepLost(context, page, fromMs);
    if (some === null) return null;
    kept += some;
    if (page.isLast) return kept;
    // The list may still end later. If it never does, a person may continue without it (`--unlisted`).
    if (page.shown > page.total && !isEndless) logListDelay(context, { code: 'list_goes_on', total: page.total });
    isEndless ||= page.shown > page.total;
  }
  return null;
}

function logListDelay({ log }: Parts<'log'>, why: { code: string; total?: number }): void {
  log.warn(
    'the ledger was restored: airbatch sends nothing before the service has listed the payments made since the backup',
    {
      ...why,
      without_it: 'airbatch resume BATCH --unlisted WHY',
    },
  );
}

/** Returns how many payments of the page were stored; null if a person has continued without the list. */
async function keepLost(
  { account, committer, log }: Parts<'account' | 'committer' | 'log'>,
  { payments, unreadable, isLast }: ReadPage,
  fromMs: number,
): Promise<number | null> {
  const unread = unreadable.filter(({ hasFailed }) => !hasFailed);
  if (unread.length > 0)
    log.warn('entries of the service’s list cannot be read; rows that may repeat them are held for a person', {
      entries: unread.length,
    });
  const last = payments.at(-1)?.createdAt ?? null;
  return committer.commit(async (unit) => {
    if ((await accountState.lostFrom.read(unit.tx, account)) === null) return null;
    await accountState.lostFrom.write(unit.tx, account, isLast ? null : Math.max(fromMs, (last ?? fromMs) - secondMs));
    // Unreadable entries may be payments of ours, of any amount.
    const listed = [...payments.filter(paymentMayHaveArrived), ...unread.map((entry) => ({ ...entry, amount: null }))];
    return storeLost(unit, account, listed);
  });
}

/** Stores those of the payments that match no row of the ledger. Returns how many were new. */
export async function storeLost(unit: Unit, account: string, payments: readonly Listed[]): Promise<number> {
  return insertLost(unit.tx, await lostAmong(unit, account, payments));
}

/**
 * Continues after a restore without the rest of a list that cannot be read; until then nothing is sent. An unread
 * payment may have gone to anyone, so every row that may repeat one is held for a person. Appends an event to every
 * open batch of the account. Throws `BATCH_UNKNOWN`, or `BATCH_STATE` if nothing of the list is left to read.
 */
export function continueUnlisted(actor: Actor, batchId: string, why: string): Promise<void> {
  return inUnitOf(actor, async (unit) => {
    const { account } = await requireBatch(unit.tx, batchId);
    const fromMs = await accountState.lostFrom.read(unit.tx, account);
    if (fromMs === null)
      throw new AirbatchError(
        'BATCH_STATE',
        `nothing is left to be read of what the service has paid for account ${account}`,
        {
          hint: 'Leave --unlisted out.',
        },
      );
    const unread = { topup_id: unreadSinceName(fromMs, unit.at), phone_number: '', amount: null, currency: null };
    const { runId: run_id, rowRef: row_ref, generation } = nobodys;
    await insertLost(unit.tx, [{ ...unread, account, run_id, row_ref, generation, first_sent_at: unit.at }]);
    await accountState.lostFrom.write(unit.tx, account, null);
    const data = { from: isoTime(fromMs), why: withoutNumbers(why) };
    for (const { batch_id } of await openBatches(unit.tx, account)) await unit.append(batch_id, 'batch.unlisted', data);
  });
}

/** A listed payment that may have arrived, with the fields of its entry that could be read. */
type Listed = Pick<ServicePayment, 'topupId' | 'reference' | 'phoneNumber' | 'amount' | 'createdAt'>;

/** Stands for the names of a payment whose reference is unreadable: no row has such a row ref. */
const nobodys = { runId: '', rowRef: '', generation: 1 };

/**
 * The listed payments that match no row of the ledger. References of other programs have another format, so their
 * payments are left out.
 */
async function lostAmong(unit: Unit, account: string, payments: readonly Listed[]): Promise<LostRecord[]> {
  const named = payments.flatMap((payment) => {
    const name = payment.reference === null ? nobodys : parseReference(payment.reference);
    return name === null ? [] : [{ payment, ...name, key: idempotencyKey({ account, ...name }) }];
  });
  const bound = await findPayments(
    unit.tx,
    named.map(({ key }) => key),
  );
  const lost: LostRecord[] = [];
  for (const { payment, key, runId, rowRef, generation } of named) {
    const known = bound.get(key);
    const record = {
      account,
      topup_id: payment.topupId,
      run_id: runId,
      row_ref: rowRef,
      generation,
      phone_number: payment.phoneNumber ?? '',
      amount: payment.amount?.value ?? null,
      currency: payment.amount?.currency ?? null,
      first_sent_at: Math.min(payment.createdAt ?? unit.at, unit.at),
    };
    if (known && (await isRowOfPayment(unit.tx, known, record))) continue;
    if (payment.reference === null && (await findRowByTopup(unit.tx, account, payment.topupId))) continue;
    lost.push(record);
  }
  return lost;
}

/** Whether the row that has this key stands for the payment. A row that was not sent does not. */
async function isRowOfPayment(
  db: Queryable,
  { batch_id, row_no, generation }: PaymentRecord,
  payment: LostRecord,
): Promise<boolean> {
  const row = await findRow(db, batch_id, row_no);
  return row !== null && (row.generation > generation || wasSent(row.status)) && isExplainedBy(row, payment);
}
