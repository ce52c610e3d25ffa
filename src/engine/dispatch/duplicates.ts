import { asksFile, isReadBefore } from '../../core/duplicates/comparison.ts';
import { type DuplicateDecision, decideDuplicate, findDuplicate } from '../../core/duplicates/decision-table.ts';
import { type EarlierPayment, isLost, isSent } from '../../core/duplicates/earlier-payments.ts';
import {
  type AskingRow,
  countedSince,
  type DuplicateRules,
  duplicateRules,
  type KeyOwner,
} from '../../core/duplicates/question.ts';
import { type DoubtWhy, doubtWhy } from '../../core/state/doubt-texts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { earlierPaymentsTo } from '../../ledger/rows/earlier-payments.ts';
import { maximumKnownUntil, saveMaximumKnownUntil } from '../../ledger/rows/row-decisions.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import type { ConfirmedFailures } from '../doubts/failed-before.ts';
import { rowName } from '../doubts/lookup-retry.ts';
import type { OpenBatch } from '../runner/open-batches.ts';

/** The earlier payments with which rows of one batch are compared right before they are sent. */
export interface EarlierToRows {
  open: OpenBatch;
  rules: DuplicateRules;
  /** What the account has sent to the rows' numbers, by number. */
  earlier: Map<string, EarlierPayment[]>;
}

/** Reads the earlier payments for all of the rows at once. `withLost`: also the lost payments of a restored ledger. */
export async function findEarlier(
  unit: Unit,
  open: OpenBatch,
  rows: readonly RowRecord[],
  withLost: boolean,
): Promise<EarlierToRows> {
  const { batch, policy } = open;
  const rules = duplicateRules(policy, batch, unit.at);
  const numbers = new Set(rows.flatMap(({ phone_number }) => (phone_number === null ? [] : [phone_number])));
  const query = { account: batch.account, since: countedSince(rules), runId: batch.run_id, withLost };
  return { open, rules, earlier: await earlierPaymentsTo(unit.tx, query, [...numbers]) };
}

function paymentsTo({ earlier }: EarlierToRows, { phone_number }: RowRecord): EarlierPayment[] {
  return earlier.get(phone_number ?? '') ?? [];
}

function askingRow({ batch }: OpenBatch, row: RowRecord, maximumKnownUntil: number | null): AskingRow {
  return { ...row, run_id: batch.run_id, maximumKnownUntil };
}

/**
 * Decides whether a row whose turn has come may be sent. Since its file was read, another batch may have paid the row
 * or the same person. `owner`: the row of another batch that has bound the row's key.
 */
export async function decideRow(
  unit: Unit,
  before: EarlierToRows,
  row: RowRecord,
  owner: KeyOwner | null,
): Promise<DuplicateDecision> {
  const { open, rules } = before;
  const earlier = paymentsTo(before, row);
  const isMaximumKnown = rules.maximum !== null && row.known_until !== null;
  const asking = askingRow(open, row, isMaximumKnown ? await maximumKnownUntil(unit.tx, row) : null);
  const isInFile = asksFile(asking, earlier) ? await open.file.read(unit.tx) : () => false;
  return decideDuplicate(asking, { owner, mayGoOn: 'never', earlier, isInFile }, rules);
}

/** Skips or holds a row that must not be sent. */
export async function holdOrSkip(unit: Unit, row: RowRecord, decision: DuplicateDecision): Promise<void> {
  const { outcome, problems, other, knownUntil } = decision;
  if (outcome === 'pay') return;
  const code = problems[0]?.code ?? '';
  const known_until = knownUntil === null ? row.known_until : Math.max(row.known_until ?? 0, knownUntil);
  await unit.changeRow(
    row,
    outcome,
    {
      problems: JSON.stringify(problems.map((problem) => ({ ...problem, column: null }))),
      ...(outcome === 'hold' ? { known_until, next_action_at: null } : {}),
    },
    { why: outcome === 'skip' ? code.toLowerCase() : code, ...other },
  );
}

/** Whether a failed payment, which would hold the row if it had arrived, was not read again before this row. */
export function isAnyUnread(before: EarlierToRows, row: RowRecord, confirmed: ConfirmedFailures): boolean {
  const payments = paymentsTo(before, row);
  if (payments.length === 0) return false;
  const asking = askingRow(before.open, row, null);
  return payments.some(
    (one) =>
      isSent(one) &&
      one.status === 'failed' &&
      one.contradicted === null &&
      !confirmed.has(rowName(one)) &&
      isReadBefore(asking, one, before.rules),
  );
}

/**
 * Why a row in doubt is not sent again: since it was first sent, the service has withdrawn the failure of an earlier
 * payment of the same amount to the same person. Null if it may be sent.
 */
export function whyNotAgain(before: EarlierToRows, row: RowRecord): DoubtWhy | null {
  const earlier = paymentsTo(before, row).filter(
    (one) => !isLost(one) && (one.contradicted_at ?? 0) > (row.first_sent_at ?? 0),
  );
  const known = { owner: null, mayGoOn: 'never', earlier, isInFile: () => true } as const;
  const found = findDuplicate(askingRow(before.open, row, null), known, before.rules);
  if (found === null || !('other_batch' in found.other)) return null;
  const { other_batch, other_row } = found.other;
  const text = `batch ${other_batch}, row ${other_row} may have paid the same, as the service now says`;
  return doubtWhy('DOUBT_PAID_BEFORE', { batch: other_batch, row: other_row }, text);
}

/**
 * Records that a person released a row that was held because its number would receive too much. These earlier payments
 * do not hold it again. Nothing is recorded if the row was held for another reason, because the person has not seen
 * this one.
 */
export async function noteMaximumReleased(tx: Queryable, row: RowRecord): Promise<void> {
  const problems = JSON.parse(row.problems ?? '[]') as { code: string }[];
  if (problems.some(({ code }) => code === 'RECIPIENT_MAXIMUM'))
    await saveMaximumKnownUntil(tx, row, row.known_until ?? 0);
}

/**
 * Counts a ready row that is sent now as an earlier payment for the rows after it in the same unit. It replaces the
 * earlier payment that the row carried, which has not arrived. A row in doubt already counts as one.
 */
export function noteSent({ open, earlier }: EarlierToRows, row: RowRecord, at: number): void {
  if (row.phone_number === null) return;
  const others = (earlier.get(row.phone_number) ?? []).filter(
    (one) => isLost(one) || one.batch_id !== row.batch_id || one.row_no !== row.row_no,
  );
  earlier.set(row.phone_number, [...others, { ...row, run_id: open.batch.run_id, first_sent_at: at }]);
}
