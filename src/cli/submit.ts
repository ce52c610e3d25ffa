import { jsonLine } from '../core/given-json.ts';
import { approve, askApproval } from '../engine/acts.ts';
import type { CommandContext } from './command.ts';
import { type FileOptions, withFile } from './take-file.ts';
import { submittedJson, tellWaiting } from './waiting.ts';

/** `airbatch submit FILE`: takes a file in, for another person to approve where the policy asks for one, and for whoever runs it. */
export function execute(
  context: CommandContext,
  [file = '']: string[],
  given: Record<string, unknown>,
): Promise<number> {
  const options = given as unknown as FileOptions;
  return withFile(context, { file, options, roles: ['submit'] }, async ({ actor, batch, plan, reason }) => {
    const batchId = batch.batch_id;
    if (reason !== null) {
      tellWaiting(context, await askApproval(actor, batchId, reason), reason);
      return 0;
    }
    const approved = await approve(actor, batchId, { balance: plan.balance, plan });
    if (context.json) context.terminal.print(jsonLine(submittedJson(approved, null)));
    else
      context.terminal.error(
        `Approved: the policy asks for no second person. Nothing was sent. Next: airbatch resume ${batchId}, or "airbatch serve".\n`,
      );
    return 0;
  });
}
