import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import { checkMigration } from '../../operations/migration/check-migration.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { callLong } from '../running/call-long.ts';
import { migrationLines } from './migration-lines.ts';

interface MigrationOptions {
  account?: string;
  oldAccount?: string;
  sheet?: string;
}

/**
 * `airbatch migrate-check FILE`: shows what happens to a Version 1 file when it is sent through Version 2. Sends
 * nothing.
 */
export async function execute(
  context: CommandContext,
  [file = '']: string[],
  { account, oldAccount, sheet }: MigrationOptions,
): Promise<number> {
  const path = file === '-' ? file : (pathOf(context, file) ?? context.cwd);
  const checked = await callLong(context, checkMigration, { file: path, account, old_account: oldAccount, sheet });
  if (checked === null) return interruptedExitCode;
  answer(context, checked, migrationLines(context.terminal, checked).join('\n'));
  return checked.exit_code;
}
