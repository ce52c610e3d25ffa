import { assert } from '../../core/basics/assert.ts';
import { contentRefParts, idempotencyKey, otherContentRef } from '../../core/identity/ids.ts';
import { eachPaidOnce } from '../../core/identity/same-rows.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { maySend } from '../../core/state/batch-state.ts';
import { earlierVerdict, generationsMax, goesOn } from '../../core/state/earlier-payment.ts';
import { batchLabel, batchStateTexts } from '../../core/state/state-words.ts';
import { isoTime } from '../../core/time/clock.ts';
import { countRows } from '../../ledger/batches/batch-counts.ts';
import {
  type BatchRecord,
  batchesOfRun,
  batchesWithContent,
  embeddedSandboxService,
  runSoFar,
} from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { sharedRows } from '../../ledger/reporting/shared-rows.ts';
import { failedOccurrences, makeFileRefs } from '../../ledger/rows/file-refs.ts';
import type { Judgement } from '../../ledger/rows/insert-rows.ts';
import { findPayment, type PaymentRecord } from '../../ledger/rows/payments.ts';
import { findRow } from '../../ledger/rows/rows.ts';
import type { FileRow } from '../rows/file-rows.ts';

/**
 * A row with the verdict of earlier batches, and what they make of it besides: the first generation, and no payment,
 * where not named.
 */
export type JudgedRow = FileRow & Partial<Judgement>;

/** Gives the rows of a batch the verdict that earlier batches of its run make necessary. */
export type RepeatJudge = (tx: Queryable, rows: readonly JudgedRow[]) => Promise<JudgedRow[]>;

/**
 * Looks up what earlier batches of the run have paid, so that a person sees it before approving; null where the run
 * has no earlier batch. What is sent between now and the sending of a row is found by the engine when its turn comes.
 */
export async function findRepeatJudge(db: Queryable, batch: BatchRecord): Promise<RepeatJudge | null> {
  // One that is being read has not begun itself.
  if (!(await runSoFar(db, batch.account, batch.run_id)).hasBegun) return null;
  const failedInstead = makeFailedInstead(batch);
  return async (tx, rows) => {
    const judged: JudgedRow[] = [];
    for (const row of rows) {
      const verdict = await judge(tx, batch, row);
      judged.push((verdict.status === 'skipped' ? await failedInstead(tx, row) : null) ?? verdict);
    }
    return judged;
  };
}

/**
 * Rows without references that ask for the same are told apart by which occurrence in the file they are, and the first
 * of a file of those that failed is not the first of all. So one that would be skipped as paid is taken for one that
 * failed and that the file does not name otherwise: its verdict, or null where there is none. Of several, each stands
 * for another.
 */
function makeFailedInstead(batch: BatchRecord) {
  const file = makeFileRefs(batch.batch_id);
  let failed: Map<string, number[]> | null = null;
  return async (tx: Queryable, row: JudgedRow): Promise<JudgedRow | null> => {
    const { row_ref, has_reference } = row;
    const parts = row_ref === null || has_reference ? null : contentRefParts(row_ref);
    if (row_ref === null || parts === null) return null;
    failed ??= await failedOccurrences(tx, batch);
    const occurrences = failed.get(parts.digest) ?? [];
    const refOf = (occurrence: number) => otherContentRef(row_ref, occurrence);
    const judgeAs = (occurrence: number) => judge(tx, batch, { ...row, row_ref: refOf(occurrence) });
    const isInFile = (occurrence: number) => file.has(tx, refOf(occurrence));
    // Nearly always the whole file comes again.
    const last = occurrences.at(-1);
    if (last === undefined || (await isInFile(last))) return null;
    let place = 0;
    let next = parts.occurrence + 1;
    for (; await isInFile(next); next++) if ((await judgeAs(next)).status === 'skipped') place += 1;
    for (const occurrence of occurrences) {
      const verdict = occurrence < next ? null : await judgeAs(occurrence);
      if (verdict === null || verdict.status === 'skipped') continue;
      if (place === 0) return verdict;
      place -= 1;
    }
    return null;
  };
}

async function judge(tx: Queryable, batch: BatchRecord, row: JudgedRow): Promise<JudgedRow> {
  if (row.status === 'invalid' || row.row_ref === null) return row;
  const payment = await lastPayment(tx, batch, row.row_ref);
  if (!payment) return row;
  const owner = await findRow(tx, payment.batch_id, payment.row_no);
  assert(owner, 'a bound key has its row');
  const { generation } = payment;
  if (goesOn(owner, { generation, job: batch.job })) return { ...row, generation: generation + 1 };
  const { event, problem } = earlierVerdict(row, owner, generation);
  const found = { ...problem, line: row.line, column: null, value: null };
  if (event === 'skip') return { ...row, status: 'skipped', problems: [found] };
  return { ...row, status: 'held', problems: [...row.problems, found] };
}

/** The payment of the last generation of a run's row that was sent, whichever batch sent it; null where none was. */
async function lastPayment(
  tx: Queryable,
  { account, run_id: runId }: BatchRecord,
  rowRef: string,
): Promise<PaymentRecord | null> {
  let last: PaymentRecord | null = null;
  for (let generation = 1; generation <= generationsMax; generation++) {
    const payment = await findPayment(tx, idempotencyKey({ account, runId, rowRef, generation }));
    if (!payment) break;
    last = payment;
  }
  return last;
}

/** How many batches are named: one is enough to look closer. */
const namedMax = 3;
/** Of a run of thousands of files, the newest batches are looked at. */
const batchesLookedAt = 100;

async function paidOf(db: Queryable, { batch_id }: BatchRecord): Promise<number> {
  return (await countRows(db, batch_id)).get('completed') ?? 0;
}

function paidText(paid: number): string {
  return paid === 0 ? '' : ', which has paid some of them';
}

/**
 * Says where the same rows, understood alike, are already: a file saved again in another form has other bytes, and so
 * another run id by default, under which all of it would be paid a second time. Nothing else tells that another
 * account has paid them, as where its money ran out and the file is given to the next one; a rehearsal has paid
 * nobody.
 */
export async function sameContentWarnings(db: Queryable, batch: BatchRecord): Promise<string[]> {
  if (batch.content_sha256 === null) return [];
  const alike = await batchesWithContent(db, batch.content_sha256);
  const others = alike.filter(
    ({ account, service, started_at }) =>
      account !== batch.account && service !== embeddedSandboxService && started_at !== null,
  );
  const own = alike.filter(
    ({ account, run_id, status }) =>
      account === batch.account && run_id !== batch.run_id && status !== 'cancelled' && status !== 'rejected',
  );
  const waiting = (await sharedRows(db, batch)).filter(({ status }) => maySend(status));
  // Of many reruns whose rows were all held, none is to keep the one that has paid from being named.
  const counted = await Promise.all(own.map(async (one) => ({ one, paid: await paidOf(db, one) })));
  const byPaid = counted.sort((a, b) => b.paid - a.paid);
  const { repeatWithinDays } = storedPolicy(batch.policy);
  const then =
    repeatWithinDays === 0
      ? 'With another run id they are paid again.'
      : `Rows sent in the last ${repeatWithinDays} days are held; older ones are paid again.`;
  const place = ({ batch_id, created_at }: BatchRecord) =>
    `The same rows are in batch ${batch_id} of ${isoTime(created_at).slice(0, 10)}`;
  const otherwise = await readOtherwise(db, batch);
  return [
    ...otherwise.map(
      ({ batch_id, created_at }) =>
        `Batch ${batch_id} of ${isoTime(created_at).slice(0, 10)} has read the same file with other settings (such as another sheet or column), under the same run id. Rows that it paid are not paid again. To pay both, give this file another run id (--run-id).`,
    ),
    ...others.map(
      (one) =>
        `${place(one)} (account ${one.account}, run ${one.run_id}, ${batchLabel(one)}). What another account has sent is not held: it is paid again.`,
    ),
    ...waiting.map(
      ({ batch_id, status, rows }) =>
        `${rows === 1 ? '1 row of this file is' : `${rows.toLocaleString('en-US')} rows of this file are`} also in batch ${batch_id} of this run (${batchStateTexts[status].label}), which may still send ${rows === 1 ? 'it' : 'them'}: ${eachPaidOnce}.`,
    ),
    ...byPaid.map(({ one, paid }) => `${place(one)} (run ${one.run_id}, ${batchLabel(one)}${paidText(paid)}). ${then}`),
  ].slice(0, namedMax);
}

/**
 * The last batch of the run that has understood other rows of the very same bytes, as those of another sheet: a run id
 * that is made of the bytes is the same, and whoever gets the same by both is paid once. None where nothing of the
 * batch is left out.
 */
async function readOtherwise(
  db: Queryable,
  { batch_id, account, run_id, file_sha256, content_sha256 }: BatchRecord,
): Promise<BatchRecord[]> {
  if (!(await countRows(db, batch_id)).has('skipped')) return [];
  const ofRun = await batchesOfRun(db, run_id, batchesLookedAt);
  const otherwise = ofRun.find(
    (one) =>
      one.account === account &&
      one.started_at !== null &&
      one.file_sha256 === file_sha256 &&
      one.content_sha256 !== content_sha256,
  );
  return otherwise ? [otherwise] : [];
}
