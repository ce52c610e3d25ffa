import { jsonLine } from '../../core/text/json-output.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import type { Door } from '../../operations/base/operation.ts';
import { runFile } from '../../operations/files/run-file.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { callLong } from '../running/call-long.ts';
import { closingLines } from '../running/closing.ts';
import { type BatchOptions, batchInputOf } from './file-options.ts';
import { printWaiting, showPlan } from './plan-screen.ts';

interface RunOptions extends BatchOptions {
  yes?: boolean;
  out?: string;
  restored?: boolean;
}

/** The batch waits for a person. Every command that leaves something open exits with this code. */
const waitsExitCode = 5;

/** `airbatch run FILE`: pays a file, from reading it to the reconciled result. */
export async function execute(context: CommandContext, [file = '']: string[], options: RunOptions): Promise<number> {
  const { terminal, json, cwd } = context;
  const { yes, out, restored } = options;
  const ask: Door['ask'] = ({ plan }) => terminal.confirm(`Send ${counted(plan.to_send, 'row')}? [y/N] `);
  const result = await callLong(
    context,
    runFile,
    { ...batchInputOf(context, file, options), yes, restored, out: pathOf(context, out) },
    { emit: showPlan(context, file, options), ...(terminal.canAsk ? { ask } : {}) },
  );
  if (result === null) return interruptedExitCode;
  if (json) terminal.print(jsonLine(result));
  if ('summary' in result) {
    if (!json) terminal.error(closingLines(terminal, result, cwd));
    return result.exit_code;
  }
  if (result.status === 'awaiting_approval') {
    if (!json) printWaiting(context, result);
    return waitsExitCode;
  }
  if (!json) terminal.error('Nothing was sent.\n');
  return interruptedExitCode;
}
