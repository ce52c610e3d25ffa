import { jsonLine } from '../../core/text/json-output.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import { retryFailed } from '../../operations/batches/retry-failed.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { callLong } from '../running/call-long.ts';
import { closingLines } from '../running/closing.ts';

interface RetryOptions {
  code?: string[];
  serviceMoved?: boolean;
  restored?: boolean;
  out?: string;
}

/** `airbatch retry BATCH [--code CODE]...`. */
export async function execute(
  context: CommandContext,
  [batch_id = '']: string[],
  { code: codes, serviceMoved: service_moved, restored, out }: RetryOptions,
): Promise<number> {
  const { terminal, cwd } = context;
  const result = await callLong(context, retryFailed, {
    ...{ batch_id, codes, service_moved, restored },
    out: pathOf(context, out),
  });
  if (result === null) return interruptedExitCode;
  if (context.json) terminal.print(jsonLine(result));
  else terminal.error(closingLines(terminal, result, cwd));
  return result.exit_code;
}
