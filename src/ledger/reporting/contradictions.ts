import type { EventWhy } from '../../core/state/event-whys.ts';
import { pauseWhy, type Why } from '../../core/state/pause-texts.ts';
import { sentStates } from '../../core/state/row-state.ts';
import type { ExplainedData } from '../audit/events.ts';
import { findBatch } from '../batches/batches.ts';
import { haltAccount } from '../batches/pauses.ts';
import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';
import type { RowRecord } from '../rows/rows.ts';
import type { Unit } from '../unit-of-work.ts';
import { type LatePayment, noteLateCharge, otherCharge } from './late-charges.ts';

/** What the service says about a payment of a row, if the ledger says otherwise. */
export interface Contradiction extends LatePayment {
  why: EventWhy;
  /** The service's own status of the payment. */
  serviceStatus: string;
  /** When the payment was first sent (epoch ms), if known. */
  firstSentAt: number | null;
}

/** Whether the row counts as not paid, so that a payment of it that has not failed contradicts the row. */
export function countsAsUnpaid({ status }: Pick<RowRecord, 'status'>): boolean {
  return status === 'failed' || !sentStates.includes(status);
}

/**
 * Records that the service has a payment of a row that counts as not paid, and what it charged for it. The row keeps
 * its state, and counts as paid from now on wherever money is decided. Returns null if that was known, or if another
 * writer changed the row first.
 */
export async function noteContradiction(
  unit: Unit,
  row: RowRecord,
  contradiction: Contradiction,
  kind: 'row.contradicted' | 'row.changed_late' = 'row.contradicted',
): Promise<RowRecord | null> {
  const noted = await writeContradiction(unit, row, contradiction, kind);
  await noteLateCharge(unit, row, contradiction);
  return noted;
}

async function writeContradiction(
  unit: Unit,
  row: RowRecord,
  { why, serviceStatus, topupId, firstSentAt }: Contradiction,
  kind: 'row.contradicted' | 'row.changed_late',
): Promise<RowRecord | null> {
  const data = { why, service_status: serviceStatus, topup_id: topupId };
  const known = await knownPayment(unit, row, topupId);
  if (known !== null && topupId !== null && topupId !== known)
    return notePaidTwice(unit, row, { known, topupId }, kind, data);
  if (row.contradicted === serviceStatus) return null;
  // A person marked the payment as not paid although the service said this about it: that person knew.
  const isOwn = topupId === null || row.topup_id === null || topupId === row.topup_id;
  const isKnown = isOwn && row.status === 'failed' && row.service_status === serviceStatus;
  if (isKnown) return unit.noteRow(row, {}, kind, data);
  const fields = {
    contradicted: serviceStatus,
    contradicted_at: unit.at,
    contradicted_by: topupId,
    first_sent_at: row.first_sent_at ?? firstSentAt ?? unit.at,
  };
  return unit.noteRow(row, fields, kind, { ...data, contradicted: serviceStatus });
}

/**
 * The payment that contradicts the row already; null for none. A row that is held for one (`holdMayBePaid`) does not
 * name it, but its charge does.
 */
async function knownPayment(unit: Unit, row: RowRecord, topupId: string | null): Promise<string | null> {
  const { contradicted, contradicted_by: known } = row;
  if (known !== null || contradicted === null || topupId === null) return known;
  return (await otherCharge(unit.tx, { ...row, topup_id: topupId }))?.topup_id ?? null;
}

/**
 * Records that the service has two payments of a row that counts as not paid. The recipient may have been paid twice,
 * so the account is halted. Returns null if that was known.
 */
async function notePaidTwice(
  unit: Unit,
  row: RowRecord,
  { known, topupId }: { known: string; topupId: string },
  kind: 'row.contradicted' | 'row.changed_late',
  data: ExplainedData,
): Promise<RowRecord | null> {
  // Store the payment that is not the row's own, whichever was seen first.
  const second = topupId === row.topup_id ? known : topupId;
  if (row.second_topup_id === second) return null;
  await noteHaltOfRow(unit, { ...row, contradicted_by: known }, topupId);
  return unit.noteRow(row, { second_topup_id: second }, kind, { ...data, second_topup_id: second });
}

/** A payment that the service has of a row besides the row's own. */
export type SecondPayment = Omit<Contradiction, 'firstSentAt' | 'why'> & { topupId: string };

export function secondPaymentText({ serviceStatus, topupId }: SecondPayment): EventWhy {
  return `the service says ${serviceStatus} of another payment of the row (${topupId})`;
}

/**
 * Records a second payment of a row that counts as paid, and what it cost. The recipient may have been paid twice, so
 * the account is halted, even if no batch of it is open.
 */
export async function noteSecondPayment(
  unit: Unit,
  row: RowRecord,
  second: SecondPayment,
  why = secondPaymentText(second),
): Promise<void> {
  const { serviceStatus, topupId } = second;
  const data = { why, service_status: serviceStatus, topup_id: topupId };
  const fields = { second_topup_id: topupId };
  const noted = await unit.noteRow(row, fields, 'row.contradicted', { ...data, ...fields });
  if (noted === null) await unit.append(row.batch_id, 'row.contradicted', data, row.row_no);
  await noteLateCharge(unit, row, second);
  await noteHaltOfRow(unit, row, topupId);
}

async function noteHaltOfRow(unit: Unit, row: RowRecord, secondTopupId: string): Promise<void> {
  const batch = await findBatch(unit.tx, row.batch_id);
  if (batch) await haltAccount(unit, batch.account, paidTwice(row, secondTopupId));
}

/** The reason of the halt: a row has two payments. */
export function paidTwice({ batch_id, row_no, topup_id, contradicted_by }: RowRecord, secondTopupId: string): Why {
  const first = contradicted_by ?? topup_id ?? 'the payment that its lookup finds';
  const text = `row ${row_no} of batch ${batch_id} may have been paid twice, by ${first} and ${secondTopupId}`;
  return pauseWhy('PAUSE_PAID_TWICE', { row: row_no, batch: batch_id, topup_id: secondTopupId }, text);
}

/** How many failed rows of a batch the service contradicts. */
export async function countContradicted(db: Queryable, batchId: string): Promise<number> {
  const sql = `SELECT COUNT(*) FROM rows WHERE batch_id = ? AND contradicted IS NOT NULL AND status = 'failed'`;
  return (await readValue<number>(db, sql, [batchId])) ?? 0;
}

/**
 * How many rows of a batch were skipped or cancelled before the service was found to have paid them. A person who skips
 * a row that is held because it may be paid knows that already: such a row names no payment.
 */
export async function countPaidUnsent(db: Queryable, batchId: string): Promise<number> {
  const sql = `SELECT COUNT(*) FROM rows WHERE batch_id = ? AND contradicted IS NOT NULL AND contradicted_by IS NOT NULL
    AND status IN ('skipped', 'cancelled')`;
  return (await readValue<number>(db, sql, [batchId])) ?? 0;
}

/** Contradicted rows of a batch, in file order. */
export function contradictedRows(db: Queryable, batchId: string, limit: number): Promise<RowRecord[]> {
  return db.query(
    `SELECT * FROM rows WHERE batch_id = ? AND contradicted IS NOT NULL AND status = 'failed' ORDER BY +row_no LIMIT ?`,
    [batchId, limit],
  );
}

/** How many rows of a batch may have been paid twice. */
export async function countPaidTwice(db: Queryable, batchId: string): Promise<number> {
  const sql = 'SELECT COUNT(*) FROM rows WHERE batch_id = ? AND second_topup_id IS NOT NULL';
  return (await readValue<number>(db, sql, [batchId])) ?? 0;
}
