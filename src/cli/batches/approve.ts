import type { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { approvalsText } from '../../operations/base/approvals-now.ts';
import { approveBatch } from '../../operations/batches/approve-batch.ts';
import { reviewBatch } from '../../operations/batches/review-batch.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { sendsText } from '../session/after-decision.ts';
import { call } from '../session/call.ts';
import { planLines } from '../text/plan-lines.ts';
import { reviewLines } from '../text/review-lines.ts';
import { submittedLines } from '../text/submitted.ts';

/**
 * `airbatch approve BATCH`: shows what the batch would do and what is unusual about it, asks for confirmation, and
 * approves the batch.
 */
export async function execute(
  context: CommandContext,
  [batch_id = '']: string[],
  { yes = false }: { yes?: boolean | undefined },
): Promise<number> {
  const { terminal, json } = context;
  const reviewed = await call(context, reviewBatch, { batch_id });
  const { plan, review, expected_cost, content_sha256 } = reviewed;
  const { to_send, products, sums } = plan;
  if (!json) {
    terminal.error(planLines(plan, reviewed, submittedLines(reviewed)));
    terminal.error(reviewLines(reviewed));
    const approvals = approvalsText(reviewed.approvals);
    if (approvals !== null) terminal.error(`Approvals  ${approvals}\n`);
  }
  if (!yes && !terminal.canAsk)
    throw new AirbatchError('CONFIRMATION_NEEDED', 'there is no terminal to ask for your approval', {
      hint: 'Add --yes to approve without being asked.',
    });
  if (!yes && !(await terminal.confirm(`Approve ${counted(to_send, 'row')}? [y/N] `))) {
    terminal.error(
      `Not approved: the batch still waits for approval. "airbatch reject ${batch_id} --why TEXT" rejects it.\n`,
    );
    return 5;
  }
  const approved = await call(context, approveBatch, { batch_id, seen: { content_sha256, to_send, products, sums } });
  if (json) terminal.print(jsonLine({ ...approved, plan, review, expected_cost }));
  else terminal.error(`${approvedText(approved)}\n`);
  return 0;
}

function approvedText(approved: z.output<typeof approveBatch.result>): string {
  if (approved.status === 'awaiting_approval')
    return `Approved by you. Nothing is sent yet: ${approvalsText(approved.approvals)}.`;
  return `Approved. ${sendsText(approved)}`;
}
