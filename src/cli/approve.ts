import { storedPolicy } from '../core/batch-policy.ts';
import { AirbatchError } from '../core/errors.ts';
import { jsonLine } from '../core/given-json.ts';
import { approve, requireBatch, requireWaiting } from '../engine/acts.ts';
import { requireSecondPerson } from '../engine/approval.ts';
import { requireService } from '../engine/elsewhere.ts';
import { expectedCost } from '../reports/expected-cost.ts';
import { reviewOf } from '../reports/review.ts';
import { counted } from '../reports/words.ts';
import { requireRole } from '../runtime/people.ts';
import { planOf } from '../runtime/take-in.ts';
import { withAccount } from './account.ts';
import { sendsText } from './after-decision.ts';
import type { CommandContext } from './command.ts';
import { planJson, planLines } from './plan-lines.ts';
import { askedWithProducts, reviewLines } from './review-lines.ts';
import { withLedger } from './session.ts';
import { submittedLines } from './submitted.ts';

/** `airbatch approve BATCH`: shows what the batch would do and what is unusual about it, asks, and lets it be sent. */
export function execute(
  context: CommandContext,
  [batchId = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const { terminal } = context;
  return withLedger(context, async (session) => {
    requireRole(session, 'approve');
    const batch = await requireBatch(session.db, batchId);
    requireWaiting(batch);
    requireSecondPerson(storedPolicy(batch.policy), batch, session.person, 'approve it');
    return withAccount(session, batch.account, async (account) => {
      requireService(batch, account.service, 'Point the account back, or reject the batch and submit the file again.');
      const plan = await planOf(session, account, batch);
      const { changedPercent } = storedPolicy(batch.policy).approval;
      const review = await reviewOf(session.db, batch, changedPercent);
      const expected = await expectedCost(session.db, batch, askedWithProducts(plan));
      if (!context.json) {
        terminal.error(planLines(plan, batch, submittedLines(batch)));
        terminal.error(reviewLines(review, plan, expected));
      }
      if (options.yes !== true) {
        if (!terminal.canAsk)
          throw new AirbatchError('CONFIRMATION_NEEDED', 'there is no terminal on which to ask whether to approve', {
            hint: 'Add --yes to approve without being asked.',
          });
        if (!(await terminal.confirm(`Approve ${counted(plan.toSend, 'row')}? [y/N] `))) {
          terminal.error(`Not approved. It still waits; "airbatch reject ${batchId} --why TEXT" ends it.\n`);
          return 5;
        }
      }
      const actor = { ...session, name: session.person };
      const seenDigest = batch.content_sha256;
      const approved = await approve(actor, batchId, { balance: plan.balance, plan, seenDigest });
      if (context.json) {
        const { status, approved_by, content_sha256 } = approved;
        const shown = { plan: planJson(plan), review, expected_cost: expected };
        terminal.print(jsonLine({ batch_id: batchId, status, approved_by, content_sha256, ...shown }));
      } else terminal.error(`Approved. ${await sendsText(session, approved)}\n`);
      return 0;
    });
  });
}
