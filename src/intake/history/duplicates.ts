import { asksFile } from '../../core/duplicates/comparison.ts';
import { type DuplicateDecision, decideByOwner, decideDuplicate } from '../../core/duplicates/decision-table.ts';
import type { EarlierPayment } from '../../core/duplicates/earlier-payments.ts';
import { countedSince, duplicateRules, type KeyOwner, type MayGoOn } from '../../core/duplicates/question.ts';
import { contentRefParts, idempotencyKey, otherContentRef } from '../../core/identity/ids.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { generationsMax } from '../../core/state/earlier-payment.ts';
import { type BatchRecord, runSoFar } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { anySentSince, earlierPaymentsTo, keyOwnerOf } from '../../ledger/rows/earlier-payments.ts';
import { failedOccurrences, makeFileRefs } from '../../ledger/rows/file-refs.ts';
import type { Judgement } from '../../ledger/rows/insert-rows.ts';
import { anyLost } from '../../ledger/rows/lost-payments.ts';
import { findPayment, type PaymentRecord } from '../../ledger/rows/payments.ts';
import type { FileRow } from '../rows/file-rows.ts';

/**
 * A row compared with earlier batches, with what follows from that. Fields that are left out mean the first generation
 * and no known payment.
 */
export type JudgedRow = FileRow & Partial<Judgement>;

/** Skips or holds the rows of a batch that earlier batches have paid, or may have paid. */
export type DuplicateJudge = (tx: Queryable, rows: readonly JudgedRow[]) => Promise<JudgedRow[]>;

/**
 * Compares the rows of a batch with what the account has sent before, so that a person sees duplicates before they
 * approve. Null if no earlier payment can hold a row. The engine finds payments that are sent later, before the row's
 * turn.
 */
export async function findDuplicateJudge(db: Queryable, batch: BatchRecord): Promise<DuplicateJudge | null> {
  const { account, batch_id, run_id, created_at } = batch;
  const rules = duplicateRules(storedPolicy(batch.policy), batch, created_at);
  const run = await runSoFar(db, account, run_id);
  const withLost = await anyLost(db, account);
  const since = Math.min(countedSince(rules), run.firstAt ?? created_at);
  const isAnyEarlier = withLost || (await anySentSince(db, batch, since));
  if (!run.hasBegun && !isAnyEarlier && rules.maximum === null) return null;
  const file = makeFileRefs(batch_id);
  const mayGoOn = batch.job === null ? 'if_unpaid' : 'if_skipped';
  const failedInstead = makeFailedInstead(batch, mayGoOn);
  return async (tx, rows) => {
    const numbers = rows.flatMap((row) => (mayBePaid(row) && row.phone_number !== null ? [row.phone_number] : []));
    const earlierTo = isAnyEarlier
      ? await earlierPaymentsTo(tx, { account, since, runId: null, withLost }, [...new Set(numbers)])
      : new Map<string, EarlierPayment[]>();
    const judged: JudgedRow[] = [];
    for (const row of rows) {
      if (!mayBePaid(row)) {
        judged.push(row);
        continue;
      }
      const taken = run.hasBegun ? await failedInstead(tx, row) : { row, owner: null };
      const asking = { ...taken.row, batch_id, run_id, known_until: null, maximumKnownUntil: null };
      const earlier = earlierTo.get(row.phone_number ?? '') ?? [];
      const isInFile = asksFile(asking, earlier) ? await file.read(tx) : () => false;
      const decision = decideDuplicate(asking, { owner: taken.owner, mayGoOn, earlier, isInFile }, rules);
      judged.push(judgedRow(taken.row, decision));
    }
    return judged;
  };
}

/** A row that is held for another reason is compared too: the person who releases it must know both reasons. */
function mayBePaid({ status }: JudgedRow): boolean {
  return status === 'ready' || status === 'held';
}

function judgedRow(row: JudgedRow, { outcome, problems, generation, knownUntil }: DuplicateDecision): JudgedRow {
  const goingOn = generation === null ? row : { ...row, generation };
  if (outcome === 'pay') return goingOn;
  const found = problems.map((problem) => ({ ...problem, line: row.line, column: null, value: null }));
  if (outcome === 'skip') return { ...row, status: 'skipped', problems: found };
  return { ...goingOn, status: 'held', problems: [...row.problems, ...found], known_until: knownUntil };
}

/** A row, possibly under another ref than its place in the file gives it, and the owner of its key. */
interface OwnedRow {
  row: JudgedRow;
  owner: KeyOwner | null;
}

/**
 * Finds the owner of a row's key. Rows without references that ask for the same payment are numbered by their
 * occurrence in the file. In a file of only the failed rows, these numbers start again at 1 and may belong to rows that
 * were paid. So a row that would be skipped as paid takes the ref of a failed row that the file does not contain
 * otherwise. Each such row takes another ref.
 */
function makeFailedInstead(batch: BatchRecord, mayGoOn: MayGoOn) {
  const file = makeFileRefs(batch.batch_id);
  let failed: Map<string, number[]> | null = null;
  return async (tx: Queryable, row: JudgedRow): Promise<OwnedRow> => {
    const { row_ref, has_reference } = row;
    const own = { row, owner: await ownerOf(tx, batch, row_ref) };
    const parts = row_ref === null || has_reference ? null : contentRefParts(row_ref);
    if (row_ref === null || parts === null || !isSkipped(own, mayGoOn)) return own;
    failed ??= await failedOccurrences(tx, batch);
    const occurrences = failed.get(parts.digest) ?? [];
    const refOf = (occurrence: number) => otherContentRef(row_ref, occurrence);
    const ownedAs = async (occurrence: number) => {
      const otherRef = refOf(occurrence);
      return { row: { ...row, row_ref: otherRef }, owner: await ownerOf(tx, batch, otherRef) };
    };
    const last = occurrences.at(-1);
    if (last === undefined) return own;
    const isInFile = await file.read(tx);
    // In nearly every case the whole file is run again.
    if (isInFile(refOf(last))) return own;
    let place = 0;
    let next = parts.occurrence + 1;
    for (; isInFile(refOf(next)); next++) if (isSkipped(await ownedAs(next), mayGoOn)) place += 1;
    for (const occurrence of occurrences) {
      const other = occurrence < next ? null : await ownedAs(occurrence);
      if (other === null || isSkipped(other, mayGoOn)) continue;
      if (place === 0) return other;
      place -= 1;
    }
    return own;
  };
}

function isSkipped({ row, owner }: OwnedRow, mayGoOn: MayGoOn): boolean {
  return owner !== null && decideByOwner(row, owner, mayGoOn).outcome === 'skip';
}

/**
 * The row, in any batch, to which the key of the last sent generation of a run's row is bound; null if none was sent.
 */
async function ownerOf(
  tx: Queryable,
  { account, run_id: runId }: BatchRecord,
  rowRef: string | null,
): Promise<KeyOwner | null> {
  if (rowRef === null) return null;
  let last: PaymentRecord | null = null;
  for (let generation = 1; generation <= generationsMax; generation++) {
    const payment = await findPayment(tx, idempotencyKey({ account, runId, rowRef, generation }));
    if (!payment) break;
    last = payment;
  }
  return last && keyOwnerOf(tx, last);
}
