import { AirbatchError } from '../../core/basics/errors.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { approve, requireBatch, requireWaiting } from '../../engine/batches/batch-commands.ts';
import { requireService } from '../../engine/batches/moved-service.ts';
import { requireSecondPerson } from '../../engine/plan/approval.ts';
import { expectedCost } from '../../reports/sentences/expected-cost.ts';
import { peopleOf, reviewOf } from '../../reports/summary/review.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { withAccount } from '../../runtime/accounts/with-account.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import { planOf } from '../../runtime/upkeep/import-file.ts';
import type { CommandContext } from '../base/command.ts';
import { sendsText } from '../session/after-decision.ts';
import { withLedger } from '../session/session.ts';
import { planJson, planLines } from '../text/plan-lines.ts';
import { askedWithProducts, reviewLines } from '../text/review-lines.ts';
import { submittedLines } from '../text/submitted.ts';

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
        terminal.error(reviewLines(review, await peopleOf(session.db, batch, review), plan, expected));
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
