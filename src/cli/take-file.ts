import { resolve } from 'node:path';
import { AirbatchError } from '../core/errors.ts';
import { isRunId } from '../core/ids.ts';
import type { Preflight } from '../engine/preflight.ts';
import type { IntakeResult } from '../intake/intake.ts';
import type { Priority } from '../ledger/batches.ts';
import type { OpenAccount } from '../runtime/account.ts';
import { sandboxAccountName } from '../runtime/config.ts';
import type { Session } from '../runtime/session.ts';
import { planOf, takeIn } from '../runtime/take-in.ts';
import type { CommandContext } from './command.ts';
import { intakeSettingsWith, understoodLines } from './intake-options.ts';
import { planLines } from './plan-lines.ts';
import type { Reading } from './reading.ts';

export interface FileOptions {
  account?: string;
  runId?: string;
  priority: Priority;
}

export function checkFileOptions({ runId }: FileOptions): void {
  if (runId !== undefined && !isRunId(runId)) throw new AirbatchError('RUN_ID_INVALID', `"${runId}" is not a run id`);
}

/** Takes the file of a command into the ledger, and shows what it would do. */
export async function takeFile(
  context: CommandContext,
  session: Session,
  account: OpenAccount,
  { file, options, reading }: { file: string; options: FileOptions; reading: Reading },
): Promise<{ intake: IntakeResult; plan: Preflight }> {
  const { terminal, cwd } = context;
  if (account.isSandbox) {
    terminal.error(
      `${terminal.paint('yellow', 'Rehearsal')} at the embedded sandbox: no money moves (account "${sandboxAccountName}").\n`,
    );
  }
  const intake = await takeIn(session, account, {
    file: file === '-' ? '-' : resolve(cwd, file),
    runId: options.runId ?? null,
    priority: options.priority,
    settings: intakeSettingsWith(session.config.intake, { ...options }),
    policy: session.config.policy,
    onProgress: reading.onProgress,
    signal: reading.signal,
  });
  const plan = await planOf(session, account, intake.batch);
  if (!context.json) terminal.error(planLines(plan, intake.batch, understoodLines(intake)));
  return { intake, plan };
}
