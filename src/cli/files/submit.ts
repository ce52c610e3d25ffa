import { jsonLine } from '../../core/text/json-output.ts';
import { approve, askApproval } from '../../engine/batches/batch-commands.ts';
import type { Preflight } from '../../engine/plan/preflight.ts';
import { hasWorker } from '../../operations/base/account-now.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { sendsText } from '../session/after-decision.ts';
import { type FileOptions, withFile } from './file-for-batch.ts';
import { printWaiting, submittedJson } from './waiting.ts';

/**
 * `airbatch submit FILE`: imports a file and sends nothing. A second person approves it where the policy asks for one;
 * `airbatch resume` or `airbatch serve` sends it.
 */
export function execute(
  context: CommandContext,
  [file = '']: string[],
  given: Record<string, unknown>,
): Promise<number> {
  const options = given as unknown as FileOptions;
  return withFile(context, { file, options, roles: ['prepare'] }, async ({ session, actor, batch, plan, reason }) => {
    const batchId = batch.batch_id;
    // What pays nobody needs nobody's approval.
    if (reason !== null && plan.toSend > 0) {
      printWaiting(context, { batch: await askApproval(actor, batchId, reason), plan, reason });
      return 0;
    }
    const approved = await approve(actor, batchId, { balance: plan.balance, plan });
    if (context.json) context.terminal.print(jsonLine(submittedJson(approved, plan, null)));
    else if (plan.toSend > 0) {
      const is_worked_on = await hasWorker(session, approved.account);
      context.terminal.error(
        `Approved: the policy asks for no second person. ${sendsText({ ...approved, is_worked_on })}\n`,
      );
    } else context.terminal.error(`${unsentSentence(batchId, plan)}\n`);
    return 0;
  });
}

/** Says why the batch sends nothing, and which command goes on with it. */
function unsentSentence(batchId: string, { counts: { held = 0 } }: Preflight): string {
  if (held === 0)
    return `It has nothing to pay. To finish it and write its reports: airbatch resume ${batchId}, or "airbatch serve".`;
  return `Nothing is sent while ${counted(held, 'row')} ${held === 1 ? 'is' : 'are'} held. Next: airbatch status ${batchId}, then airbatch release or airbatch skip.`;
}
