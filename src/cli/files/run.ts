import { AirbatchError } from '../../core/basics/errors.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { approve, askApproval, cancelUnsent } from '../../engine/batches/batch-commands.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { interruptedExitCode } from '../base/exit-codes.ts';
import { saysRestored } from '../base/restored.ts';
import { closingLines, jsonResult } from '../running/closing.ts';
import { writeEarlierReports } from '../running/missing-reports.ts';
import { workOn } from '../running/work.ts';
import { outOf } from '../session/session.ts';
import { type FileOptions, withFile } from './file-for-batch.ts';
import { printWaiting } from './waiting.ts';

interface RunOptions extends FileOptions {
  out?: string;
  restored?: boolean;
}

/** `airbatch run FILE`: from a file to a reconciled result. */
export async function execute(
  context: CommandContext,
  [file = '']: string[],
  given: Record<string, unknown>,
): Promise<number> {
  const options = given as unknown as RunOptions;
  const { terminal } = context;
  if (options.yes !== true && !terminal.canAsk) {
    throw new AirbatchError('CONFIRMATION_NEEDED', 'there is no terminal on which to ask whether to send');
  }
  return withFile(context, { file, options, roles: ['prepare', 'operate'] }, async (taken) => {
    const { session, account, actor, reading, plan, reason } = taken;
    const batchId = taken.batch.batch_id;
    if (reason !== null && plan.toSend > 0) {
      return printWaiting(context, { batch: await askApproval(actor, batchId, reason), plan, reason });
    }
    if (
      plan.toSend > 0 &&
      options.yes !== true &&
      !(await terminal.confirm(`Send ${counted(plan.toSend, 'row')}? [y/N] `))
    ) {
      await cancelUnsent(actor, batchId, 'declined at the question');
      terminal.error('Nothing was sent.\n');
      return interruptedExitCode;
    }
    await approve(actor, batchId, { balance: plan.balance, plan });
    if (reading.signal.aborted) {
      await cancelUnsent(actor, batchId, 'interrupted before anything was sent');
      return interruptedExitCode;
    }
    reading.end();
    const out = outOf(context, session, options.out);
    const restored = await saysRestored(session, options.restored);
    const [result] = await workOn(context, session, account, { batchIds: [batchId], out, restored });
    if (!result) return interruptedExitCode;
    if (result.exitCode !== interruptedExitCode) await writeEarlierReports(context, session);
    if (context.json) terminal.print(jsonLine(jsonResult(result)));
    else terminal.error(closingLines(terminal, result, context.cwd));
    return result.exitCode;
  });
}
