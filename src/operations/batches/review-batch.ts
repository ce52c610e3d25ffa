import { z } from 'zod';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { isoTime } from '../../core/time/clock.ts';
import { requireWaiting } from '../../engine/batches/batch-commands.ts';
import { requireService } from '../../engine/batches/moved-service.ts';
import { requireSecondPerson, requireUnexpired } from '../../engine/plan/approval.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import {
  type Review,
  type ReviewedRow,
  review,
  reviewedRow,
  reviewOf,
  sinceEarlier,
} from '../../reports/summary/review.ts';
import { peopleOf } from '../../reports/summary/stored.ts';
import { planOf } from '../../runtime/upkeep/plan-batch.ts';
import { approvals, approvalsNow } from '../base/approvals-now.ts';
import { batchId, batchStatus, time } from '../base/fields.ts';
import { moneyOfPlan, planMoney } from '../base/money-needs.ts';
import { defineOperation, type OperationContext } from '../base/operation.ts';
import { plan, planJson } from '../base/plan.ts';

/** `person`: the name in the file; null if the file has none. */
const row = reviewedRow.extend({ person: z.string().nullable() });

const withPersons = review.extend({
  largest: z.array(row),
  since: sinceEarlier
    .extend({
      new_examples: z.array(row),
      missing_examples: z.array(row),
      changed_examples: z.array(row.extend({ before: z.string() })),
    })
    .nullable(),
});

/** Shows what a batch that waits for approval would do, what is unusual about it, and what it will cost. */
export const reviewBatch = defineOperation({
  name: 'review-batch',
  role: 'approve',
  ledger: 'change',
  showsNumbers: { of: 'plan', role: 'approve' },
  input: z.strictObject({ batch_id: batchId }),
  result: z.strictObject({
    batch_id: batchId,
    run_id: z.string(),
    account: z.string(),
    service: z.string(),
    status: batchStatus,
    created_by: z.string(),
    created_at: time,
    approvals,
    /** The digest of its rows, for `approve-batch`. */
    content_sha256: z.string().nullable(),
    plan,
    review: withPersons,
    ...planMoney.shape,
  }),
  async run({ withAccount, session, actor }, { batch_id }) {
    const batch = await requireApprovable(actor, batch_id);
    const { run_id, account: name, service, status, created_by, created_at, content_sha256 } = batch;
    return withAccount(name, async (account) => {
      requireService(batch, account.service, whereMoved);
      const plan = await planOf(session, account, batch);
      const { changedPercent } = storedPolicy(batch.policy).approval;
      const found = await reviewOf(session.db, batch, changedPercent);
      const about = { batch_id, run_id, account: name, service, status, created_by, created_at: isoTime(created_at) };
      return {
        ...about,
        approvals: await approvalsNow(session, batch),
        content_sha256,
        plan: planJson(plan),
        review: withPeople(found, {
          people: await peopleOf(session.db, batch, shownRows(found)),
          before: await peopleBefore(session.db, found),
        }),
        ...(await moneyOfPlan(session, account, batch, plan)),
      };
    });
  },
});

/** What to do if the account uses another service than the batch was made for. */
export const whereMoved = 'Set the address of the account back, or reject the batch and submit the file again.';

/** The batch, if it waits for approval and this person may approve it. */
export async function requireApprovable(actor: OperationContext['actor'], id: string): Promise<BatchRecord> {
  const { db, clock } = actor;
  const batch = await requireBatch(db, id);
  requireWaiting(batch);
  requireUnexpired(batch, clock.now());
  await requireSecondPerson(db, batch, actor, 'approve it');
  return batch;
}

function shownRows({ largest, since }: Review): number[] {
  return [...largest, ...(since?.new_examples ?? []), ...(since?.changed_examples ?? [])].map(({ row }) => row);
}

/** The people of the earlier batch who are missing in this one, by its rows. */
async function peopleBefore(db: Queryable, { since }: Review): Promise<ReadonlyMap<number, string>> {
  if (since === null) return new Map();
  const batch = await requireBatch(db, since.batch_id);
  return peopleOf(
    db,
    batch,
    since.missing_examples.map((one) => one.row),
  );
}

function withPeople(
  { largest, held, same_rows, since }: Review,
  { people, before }: Record<'people' | 'before', ReadonlyMap<number, string>>,
) {
  const named = <Row extends ReviewedRow>(rows: readonly Row[], names = people) =>
    rows.map((row) => ({ ...row, person: names.get(row.row) ?? null }));
  return {
    largest: named(largest),
    held,
    same_rows,
    since: since && {
      ...since,
      new_examples: named(since.new_examples),
      missing_examples: named(since.missing_examples, before),
      changed_examples: named(since.changed_examples),
    },
  };
}
