import { storedPolicy } from '../core/batch-policy.ts';
import { approve, askApproval } from '../engine/acts.ts';
import { approvalReason } from '../engine/approval.ts';
import { openAccount } from '../runtime/account.ts';
import { chooseAccount } from '../runtime/config.ts';
import { requireRole } from '../runtime/people.ts';
import type { CommandContext } from './command.ts';
import { startReading } from './reading.ts';
import { openSession } from './session.ts';
import { checkFileOptions, type FileOptions, takeFile } from './take-file.ts';
import { submittedJson, tellWaiting } from './waiting.ts';
import { interruptedExitCode } from './work.ts';

/** `airbatch submit FILE`: takes a file in, for another person to approve and for whoever runs it to send. */
export async function execute(
  context: CommandContext,
  [file = '']: string[],
  given: Record<string, unknown>,
): Promise<number> {
  const options = given as unknown as FileOptions;
  checkFileOptions(options);
  const session = await openSession(context);
  requireRole(session, 'submit');
  const actor = { ...session, name: session.person };
  const account = await openAccount(chooseAccount(session.config, options.account), session);
  const reading = startReading(context.terminal);
  try {
    const { intake, plan } = await takeFile(context, session, account, { file, options, reading });
    const batchId = intake.batch.batch_id;
    const reason = approvalReason(storedPolicy(intake.batch.policy), plan);
    if (reason !== null) {
      tellWaiting(context, await askApproval(actor, batchId, reason), reason);
      return 0;
    }
    const batch = await approve(actor, batchId, { balance: plan.balance, plan });
    if (context.json) context.terminal.print(`${JSON.stringify(submittedJson(batch, null))}\n`);
    else context.terminal.error(`No second person is needed. Next: airbatch resume ${batchId}, or "airbatch serve".\n`);
    return 0;
  } catch (error) {
    if (reading.signal.aborted) return interruptedExitCode;
    throw error;
  } finally {
    reading.dispose();
    await account.close();
    await session.db.close();
  }
}
