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
import { runSoFar } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { earlierPaymentsTo } from '../../ledger/rows/earlier-payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { readFact, writeFact } from '../../ledger/schema/facts.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { type ConfirmedFailures, failureName } from '../doubts/failed-before.ts';
import type { OpenBatch } from '../runner/open-batches.ts';

/** What rows of one batch that are about to be sent are compared with. */
export interface EarlierToRows {
  open: OpenBatch;
  rules: DuplicateRules;
  /** What was sent to their numbers, by number. */
  earlier: Map<string, EarlierPayment[]>;
}

/** Asks for all of the rows at once; `withLost`: also for what a restored ledger has lost. */
export async function findEarlier(
  unit: Unit,
  open: OpenBatch,
  rows: readonly RowRecord[],
  withLost: boolean,
): Promise<EarlierToRows> {
  const { batch, policy } = open;
  const rules = duplicateRules(policy, batch, unit.at);
  const { firstAt } = await runSoFar(unit.tx, batch.account, batch.run_id);
  const since = Math.min(countedSince(rules), firstAt ?? batch.created_at);
  const numbers = new Set(rows.flatMap(({ phone_number }) => (phone_number === null ? [] : [phone_number])));
  const query = { account: batch.account, since, withLost };
  return { open, rules, earlier: await earlierPaymentsTo(unit.tx, query, [...numbers]) };
}

function paymentsTo({ earlier }: EarlierToRows, { phone_number }: RowRecord): EarlierPayment[] {
  return earlier.get(phone_number ?? '') ?? [];
}

function askingRow({ batch }: OpenBatch, row: RowRecord): AskingRow {
  return { ...row, run_id: batch.run_id, maximumKnownUntil: null };
}

/**
 * Decides whether a row whose turn has come is sent: perhaps another batch has paid it, or its person, since its file
 * was read. `owner`: the row of another batch that has bound its key.
 */
export async function decideRow(
  unit: Unit,
  before: EarlierToRows,
  row: RowRecord,
  owner: KeyOwner | null,
): Promise<DuplicateDecision> {
  const { open, rules } = before;
  const earlier = paymentsTo(before, row);
  const maximumKnownUntil = rules.maximum && (await readMaximumKnownUntil(unit.tx, row));
  const asking = { ...askingRow(open, row), maximumKnownUntil };
  const isInFile = asksFile(asking, earlier) ? await open.file.read(unit.tx) : () => false;
  return decideDuplicate(asking, { owner, mayGoOn: 'never', earlier, isInFile }, rules);
}

/** Skips or holds a row that is not to be sent. */
export async function keepBack(unit: Unit, row: RowRecord, decision: DuplicateDecision): Promise<void> {
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

/** Whether a failed payment that would hold the row had it arrived was not read again for it. */
export function isAnyUnread(before: EarlierToRows, row: RowRecord, confirmed: ConfirmedFailures): boolean {
  const asking = askingRow(before.open, row);
  return paymentsTo(before, row).some(
    (one) =>
      isSent(one) &&
      one.status === 'failed' &&
      one.contradicted === null &&
      !confirmed.has(failureName(one)) &&
      isReadBefore(asking, one, before.rules),
  );
}

/**
 * Why a row in doubt is not sent again: since it was first sent, the service has said of a payment that had failed,
 * and that pays the same, that it has not. Null where it may be sent.
 */
export function whyNotAgain(before: EarlierToRows, row: RowRecord): string | null {
  const earlier = paymentsTo(before, row).filter(
    (one) => !isLost(one) && (one.contradicted_at ?? 0) > (row.first_sent_at ?? 0),
  );
  const known = { owner: null, mayGoOn: 'never', earlier, isInFile: () => true } as const;
  const found = findDuplicate(askingRow(before.open, row), known, before.rules);
  if (found === null || !('other_batch' in found.other)) return null;
  const { other_batch, other_row } = found.other;
  return `batch ${other_batch}, row ${other_row} may have paid the same, as the service now says`;
}

/**
 * A person has released a row that was held because its number gets too much: it is not held for these payments
 * again. A person who releases a row that was held for another reason has not seen that.
 */
export async function saveMaximumKnownUntil(tx: Queryable, row: RowRecord): Promise<void> {
  const problems = JSON.parse(row.problems ?? '[]') as { code: string }[];
  if (problems.some(({ code }) => code === 'RECIPIENT_MAXIMUM'))
    await writeFact(tx, maximumKnownUntilOf(row), String(row.known_until ?? 0));
}

async function readMaximumKnownUntil(db: Queryable, row: RowRecord): Promise<number | null> {
  if (row.known_until === null) return null;
  const until = await readFact(db, maximumKnownUntilOf(row));
  return until === null ? null : Number(until);
}

function maximumKnownUntilOf({ batch_id, row_no }: RowRecord): string {
  return `let_go_until:${batch_id}:${row_no}`;
}

/**
 * A row that was ready and is sent now counts for those that come after it in the same unit, in place of an earlier
 * payment that it bore and that has not arrived. A row in doubt is among the earlier payments already.
 */
export function noteSent({ open, earlier }: EarlierToRows, row: RowRecord, at: number): void {
  if (row.phone_number === null) return;
  const others = (earlier.get(row.phone_number) ?? []).filter(
    (one) => isLost(one) || one.batch_id !== row.batch_id || one.row_no !== row.row_no,
  );
  earlier.set(row.phone_number, [...others, { ...row, run_id: open.batch.run_id, first_sent_at: at }]);
}
