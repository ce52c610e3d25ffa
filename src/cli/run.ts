import { resolve } from 'node:path';
import { storedPolicy } from '../core/batch-policy.ts';
import { AirbatchError } from '../core/errors.ts';
import { approve, askApproval, cancelUnsent } from '../engine/acts.ts';
import { approvalReason } from '../engine/approval.ts';
import { counted } from '../reports/words.ts';
import { openAccount } from '../runtime/account.ts';
import { chooseAccount } from '../runtime/config.ts';
import { requireRole } from '../runtime/people.ts';
import { closingLines, jsonResult } from './closing.ts';
import type { CommandContext } from './command.ts';
import { startReading } from './reading.ts';
import { openSession } from './session.ts';
import { checkFileOptions, type FileOptions, takeFile } from './take-file.ts';
import { tellWaiting } from './waiting.ts';
import { interruptedExitCode, workOn } from './work.ts';

interface RunOptions extends FileOptions {
  out?: string;
  yes?: boolean;
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
  checkFileOptions(options);
  const session = await openSession(context);
  const actor = { ...session, name: session.person };
  requireRole(session, 'submit');
  requireRole(session, 'run');
  const account = await openAccount(chooseAccount(session.config, options.account), session);
  const reading = startReading(terminal);
  try {
    const { intake, plan } = await takeFile(context, session, account, { file, options, reading });
    const batchId = intake.batch.batch_id;
    const reason = approvalReason(storedPolicy(intake.batch.policy), plan);
    if (reason !== null && plan.toSend > 0) {
      return tellWaiting(context, await askApproval(actor, batchId, reason), reason);
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
    const out = options.out ? resolve(context.cwd, options.out) : session.config.out;
    const restored = options.restored === true;
    const [result] = await workOn(context, session, account, { batchIds: [batchId], out, restored });
    if (!result) return interruptedExitCode;
    if (context.json) terminal.print(`${JSON.stringify(jsonResult(result))}\n`);
    else terminal.error(closingLines(terminal, result, context.cwd));
    return result.exitCode;
  } catch (error) {
    if (reading.signal.aborted) return interruptedExitCode;
    throw error;
  } finally {
    reading.dispose();
    await account.close();
    await session.db.close();
  }
}
