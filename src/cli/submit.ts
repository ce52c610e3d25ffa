import { jsonLine } from '../core/given-json.ts';
import { approve, askApproval } from '../engine/acts.ts';
import type { Preflight } from '../engine/preflight.ts';
import { counted } from '../reports/words.ts';
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
    // What pays nobody needs nobody's approval.
    if (reason !== null && plan.toSend > 0) {
      tellWaiting(context, { batch: await askApproval(actor, batchId, reason), plan, reason });
      return 0;
    }
    const approved = await approve(actor, batchId, { balance: plan.balance, plan });
    if (context.json) context.terminal.print(jsonLine(submittedJson(approved, plan, null)));
    else context.terminal.error(`${nextSentence(batchId, plan)}\n`);
    return 0;
  });
}

/** What the batch waits for. One that sends nothing is ended by whoever works on the account, with its reports. */
function nextSentence(batchId: string, { toSend, counts: { held = 0 } }: Preflight): string {
  const ends = `airbatch resume ${batchId}, or "airbatch serve"`;
  if (toSend > 0) return `Approved: the policy asks for no second person. Nothing was sent. Next: ${ends}.`;
  if (held === 0) return `Nothing of it is to be paid. What ends it, and writes its reports: ${ends}.`;
  return `Nothing of it is to be paid as long as ${counted(held, 'row')} ${held === 1 ? 'is' : 'are'} held. Next: airbatch status ${batchId}, then airbatch release or airbatch skip.`;
}
