import { jsonLine } from '../../core/text/json-output.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import type { UnsentBatch } from '../../operations/files/batch-of-file.ts';
import { submitFile } from '../../operations/files/submit-file.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { callLong } from '../running/call-long.ts';
import { sendsText } from '../session/after-decision.ts';
import { type BatchOptions, batchInputOf } from './file-options.ts';
import { printWaiting, showPlan } from './plan-screen.ts';

/**
 * `airbatch submit FILE`: imports a file as a batch. `airbatch resume` or `airbatch serve` sends it, once a second
 * person has approved it if the policy asks for that.
 */
export async function execute(context: CommandContext, [file = '']: string[], options: BatchOptions): Promise<number> {
  const emit = showPlan(context, file, options);
  const batch = await callLong(context, submitFile, batchInputOf(context, file, options), { emit });
  if (batch === null) return interruptedExitCode;
  if (context.json) context.terminal.print(jsonLine(batch));
  else if (batch.status === 'awaiting_approval') printWaiting(context, batch);
  else context.terminal.error(`${approvedSentence(batch)}\n`);
  return 0;
}

/** Says how an approved batch goes on. */
function approvedSentence(batch: UnsentBatch): string {
  const { batch_id: id, to_send, held } = batch;
  if (to_send > 0) return `Approved: the policy needs no second person. ${sendsText(batch)}`;
  if (held === 0)
    return `It has nothing to pay. To finish it and write its reports: airbatch resume ${id}, or "airbatch serve".`;
  return `Nothing is sent while ${counted(held, 'row')} ${held === 1 ? 'is' : 'are'} held. Next: airbatch status ${id}, then airbatch release or airbatch skip.`;
}
