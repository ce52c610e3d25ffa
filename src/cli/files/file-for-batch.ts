import { resolve } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { isRunId } from '../../core/identity/ids.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { approvalReason } from '../../engine/plan/approval.ts';
import type { Preflight } from '../../engine/plan/preflight.ts';
import type { Actor } from '../../ledger/actor.ts';
import type { BatchRecord, Priority } from '../../ledger/batches/batches.ts';
import { planJson } from '../../operations/base/plan.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { withAccount } from '../../runtime/accounts/with-account.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import type { Role } from '../../runtime/settings/config-shape.ts';
import { importFile, planOf } from '../../runtime/upkeep/import-file.ts';
import type { CommandContext } from '../base/command.ts';
import { comingMomentOf } from '../base/dates.ts';
import { readWithOf } from '../base/options-text.ts';
import { type Reading, whileReading } from '../running/reading.ts';
import { printRehearsal } from '../session/rehearsal.ts';
import { withSession } from '../session/session.ts';
import { problemLines, understoodLines } from '../text/file-lines.ts';
import { planLines } from '../text/plan-lines.ts';
import { intakeSettingsWith } from './intake-settings.ts';

export interface FileOptions {
  account?: string;
  runId?: string;
  priority: Priority;
  finishBy?: string;
  /** Nobody is asked: what is right with the file is sent at once. */
  yes?: boolean;
}

/** A file that was taken in as a batch, with what was opened for it. */
export interface TakenFile {
  session: Session;
  account: OpenAccount;
  /** The person at the terminal, for what is decided about the batch. */
  actor: Actor;
  reading: Reading;
  batch: BatchRecord;
  plan: Preflight;
  /** Why a second person has to approve it, or null. */
  reason: string | null;
}

/**
 * Takes the file of a command into the ledger for a person who may do so, shows what it would do, and goes on with
 * `work`.
 */
export async function withFile(
  context: CommandContext,
  { file, options, roles }: { file: string; options: FileOptions; roles: readonly Role[] },
  work: (taken: TakenFile) => Promise<number>,
): Promise<number> {
  const { runId } = options;
  if (runId !== undefined && !isRunId(runId)) throw new AirbatchError('RUN_ID_INVALID', `"${runId}" is not a run id`);
  return withSession(context, (session) => {
    for (const role of roles) requireRole(session, role);
    return withAccount(session, options.account, (account) =>
      whileReading(context.terminal, async (reading) => {
        const { batch, plan } = await takeFile(context, session, account, { file, options, reading });
        const reason = approvalReason(storedPolicy(batch.policy), plan);
        return work({ session, account, actor: session, reading, batch, plan, reason });
      }),
    );
  });
}

async function takeFile(
  context: CommandContext,
  session: Session,
  account: OpenAccount,
  { file, options, reading }: { file: string; options: FileOptions; reading: Reading },
): Promise<{ batch: BatchRecord; plan: Preflight }> {
  const { terminal, cwd } = context;
  printRehearsal(terminal, account.isSandbox);
  const intake = await importFile(session, account, {
    file: file === '-' ? '-' : resolve(cwd, file),
    runId: options.runId ?? null,
    priority: options.priority,
    finishBy:
      options.finishBy === undefined ? null : comingMomentOf('--finish-by', options.finishBy, session.clock.now()),
    isUnseen: options.yes === true,
    sheetIsNamed: 'sheet' in options,
    settings: intakeSettingsWith(session.config.intake, { ...options }),
    policy: session.config.policy,
    readWith: readWithOf({ ...options }),
    onProgress: reading.onProgress,
    signal: reading.signal,
  });
  const plan = await planOf(session, account, intake.batch);
  if (!context.json)
    terminal.error(
      planLines(planJson(plan), intake.batch, [
        ...understoodLines(intake),
        ...problemLines(intake, file, { ...options }),
      ]),
    );
  return { batch: intake.batch, plan };
}
