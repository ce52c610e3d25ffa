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
 * A row with the verdict of earlier batches, and what they make of it: the first generation, and no known payment,
 * where not named.
 */
export type JudgedRow = FileRow & Partial<Judgement>;

/** Skips or holds the rows of a batch that earlier batches have paid, or may have paid. */
export type DuplicateJudge = (tx: Queryable, rows: readonly JudgedRow[]) => Promise<JudgedRow[]>;

/**
 * Compares the rows of a batch with what the account has sent before, so that a person sees it before approving; null
 * where nothing can speak against any row. What is sent before a row's turn comes, the engine finds.
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
      ? await earlierPaymentsTo(tx, { account, since, withLost }, [...new Set(numbers)])
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

/** A row that is held for another reason is compared as well: the person who releases it must know of both. */
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

/** A row, perhaps under another ref than the file's order gives it, and the row that has bound its key. */
interface OwnedRow {
  row: JudgedRow;
  owner: KeyOwner | null;
}

/**
 * Finds the owner of a row's key. Rows without references that ask for the same are told apart by which occurrence in
 * the file they are, and the first of a file of those that failed is not the first of all. So a row that would be
 * skipped as paid is taken for one that failed and that the file does not name otherwise. Of several, each stands for
 * another.
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
    // Nearly always the whole file comes again.
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

/** The row that has bound the last key of a run's row that was sent, in whichever batch; null where none was. */
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
