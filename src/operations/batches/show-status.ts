import { z } from 'zod';
import { batchActions, possibleActions } from '../../core/state/batch-actions.ts';
import { maySend } from '../../core/state/batch-state.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import { lastEvidence } from '../../engine/doubts/in-doubt.ts';
import { paymentNames } from '../../engine/payments/payment-request.ts';
import { requestedNow } from '../../engine/plan/preflight.ts';
import { isSubmitter } from '../../engine/plan/same-human.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { areFilesKept, draftOfBatch } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { contradictedRows } from '../../ledger/reporting/contradictions.ts';
import { paidSince } from '../../ledger/reporting/shared-rows.ts';
import { countOverdue, dueByClock, firstOverdue } from '../../ledger/rows/in-flight-rows.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { pageRowsInState, type RowRecord } from '../../ledger/rows/rows.ts';
import { expectedCost } from '../../reports/sentences/expected-cost.ts';
import { personOf } from '../../reports/summary/stored.ts';
import type { Session } from '../../runtime/session/session.ts';
import { accountNow } from '../base/account-now.ts';
import { waitIn } from '../base/blockers.ts';
import { batchId, problems, rowNo, rowStatus, sums, time, waysOn } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { rowTextFor, shownProblems } from '../base/row-texts.ts';
import { situationJson, situationNow, situation as situationShape } from '../base/situation-now.ts';
import { type Status, statusOf, statusShape } from './batch-status.ts';

/** How many rows of each kind are listed. */
const rowsMax = 20;

const text = z.string().nullable();

/** A row that needs a person's attention. */
const attention = z.strictObject({
  row: rowNo,
  status: rowStatus,
  why: z.string(),
  sent_at: time.nullable(),
  /** When it is looked up next. */
  next: time.nullable(),
  line: z.int(),
  /** The name in the file; null if the file has none. */
  person: text,
  /** Why it is held, and what a person can do about it. */
  problems,
  /** The service's last answer to the request of a row in doubt. */
  last_answer: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  /** The service's last status of its payment. */
  service_status: text,
});

/** Shows what one batch is doing, what it waits for, and which rows need a person's attention. */
export const showStatus = defineOperation({
  name: 'show-status',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId }),
  result: statusShape.extend({
    /** The draft in which people corrected its file, as long as that is kept. */
    draft_id: text,
    situation: situationShape,
    waits_for: text,
    waits_ways: waysOn,
    /** What a person with the role for it can do with the batch now. `withdraw`: only if the caller submitted it. */
    actions: z.array(z.enum(batchActions)),
    attention: z.array(attention),
    /** How many more rows need a person's attention. */
    attention_more: z.int(),
    /** Rows that failed at first but that the service no longer calls failed: the first 20. */
    contradicted_rows: z.array(z.strictObject({ row: rowNo, line: z.int(), service_status: z.string() })),
    /** Later batches of the run that have paid failed and invalid rows of this one. */
    paid_since: z.array(z.strictObject({ batch_id: batchId, rows: z.int() })),
    /** Before anything is sent: what the batch will cost, from the rates of recent payments. */
    expected_cost: z
      .strictObject({
        cost: sums,
        /** Currencies without a rate. */
        unknown: z.array(z.string()),
        /** Rows that buy a product: no sum includes them. */
        products: z.int(),
      })
      .nullable(),
  }),
  async run({ session }, { batch_id }) {
    const { db } = session;
    const batch = await requireBatch(db, batch_id);
    const account = await accountNow(session, batch.account);
    const status = await statusOf(session, batch, account);
    const { counts } = status;
    const rowCounts = new Map(Object.entries(counts));
    const paid_since = counts.failed || counts.invalid ? await paidSince(db, batch) : [];
    const paidRows = paid_since.reduce((sum, one) => sum + one.rows, 0);
    const situation = await situationNow(session, batch, { counts: rowCounts, account, paidSince: paidRows });
    const wait = await waitIn(session, batch, { counts: rowCounts, account, situation });
    const rows = [
      ...(await pageRowsInState(db, batch_id, 'held', 0, rowsMax)),
      ...(await pageRowsInState(db, batch_id, 'in_doubt', 0, rowsMax)),
      ...(await firstOverdue(db, batch_id, rowsMax)),
    ];
    // Who is whom is read only where it decides: the status is asked for every few seconds.
    const mayWithdraw = batch.status === 'awaiting_approval' && (await isSubmitter(db, batch, session));
    const all = (counts.held ?? 0) + (counts.in_doubt ?? 0) + (await countOverdue(db, batch_id));
    return {
      ...status,
      draft_id: await keptDraftOf(db, batch_id),
      situation: situationJson(situation),
      waits_for: wait?.text ?? null,
      waits_ways: [...(wait?.ways ?? [])],
      actions: possibleActions({ ...batch, isSubmitter: mayWithdraw }, counts, status.pauses),
      attention: await Promise.all(rows.map((row) => attentionOf(session, batch, row))),
      attention_more: Math.max(0, all - rows.length),
      contradicted_rows: (await contradictedRows(db, batch_id, rowsMax)).map(({ row_no, line, contradicted }) => ({
        ...{ row: row_no, line, service_status: contradicted ?? '' },
      })),
      paid_since,
      expected_cost: await expectedCostOf(session, batch, status),
    };
  },
});

async function keptDraftOf(db: Queryable, batchId: string): Promise<string | null> {
  const draft = await draftOfBatch(db, batchId);
  return draft === null || !areFilesKept(draft) ? null : draft.draft_id;
}

async function attentionOf(session: Session, batch: BatchRecord, row: RowRecord): Promise<z.output<typeof attention>> {
  const { db, clock } = session;
  const shown = rowTextFor(session);
  const { row_no, line, status, failure_reason, service_status } = row;
  const problems = shownProblems(session, row).map(({ values: _, ...problem }) => problem);
  const person = personOf(batch, row, { mask: false });
  const ofProblems = problems.flatMap(({ message, suggestion }) => [message, suggestion]).join(' ');
  return {
    row: row_no,
    status,
    why: status === 'held' ? ofProblems : shown(failure_reason ?? ''),
    sent_at: isoOrNull(row.first_sent_at),
    next: isoOrNull(await dueByClock(db, row.next_action_at, clock.now())),
    line,
    person: person && shown(person),
    problems,
    last_answer: status === 'in_doubt' ? await lastAnswer(db, batch, row, shown) : null,
    service_status,
  };
}

async function lastAnswer(db: Queryable, batch: BatchRecord, row: RowRecord, shown: (text: string) => string) {
  const payment = await findPayment(db, paymentNames(batch, row, row.generation).key);
  const evidence = payment && lastEvidence(payment);
  return evidence ? { code: evidence.code, message: shown(evidence.message) } : null;
}

/** The expected cost of a batch in the wallets' currencies, if none of it was sent yet. */
async function expectedCostOf({ db }: Session, batch: BatchRecord, { charged }: Status) {
  if (Object.keys(charged).length > 0 || batch.started_at !== null || !maySend(batch.status)) return null;
  const { toSend, sums, products } = await requestedNow(db, batch.batch_id);
  return toSend === 0 ? null : { ...(await expectedCost(db, batch, sums)), products };
}
