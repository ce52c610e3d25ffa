import { jsonLine } from '../../core/text/json-output.ts';
import { interruptedExitCode, worstExitCode } from '../../operations/base/exit-codes.ts';
import { resumeBatches } from '../../operations/batches/resume-batches.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { callLong } from '../running/call-long.ts';
import { closingLines } from '../running/closing.ts';

interface ResumeOptions {
  serviceMoved?: boolean;
  unlisted?: string;
  restored?: boolean;
  out?: string;
}

/** `airbatch resume [BATCH]`. */
export async function execute(
  context: CommandContext,
  [batch_id]: string[],
  { serviceMoved: service_moved, unlisted, restored, out }: ResumeOptions,
): Promise<number> {
  const { terminal, cwd } = context;
  const say = (text: string) => terminal.error(`${text}\n`);
  const result = await callLong(context, resumeBatches, {
    ...{ batch_id, service_moved, unlisted, restored },
    out: pathOf(context, out),
  });
  if (result === null) return interruptedExitCode;
  const { batches, left_paused, is_idle } = result;
  for (const id of left_paused)
    say(`Batch ${id} stays paused, as a person decided: "airbatch resume ${id}" continues it.`);
  if (context.json) terminal.print(jsonLine(result));
  else if (is_idle) {
    say('Nothing to resume: no batch is approved, interrupted or paused ("airbatch status").');
    if (restored)
      say('Recorded that the ledger was restored: every row is looked up at the service before it is sent.');
  } else
    for (const one of batches) {
      if (batches.length > 1) say(`\nBatch      ${one.summary.batch_id}`);
      terminal.error(closingLines(terminal, one, cwd));
    }
  return worstExitCode(batches.map(({ exit_code }) => exit_code));
}
