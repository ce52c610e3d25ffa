import { type Config, loadConfig } from '../../runtime/settings/config.ts';
import type { CommandContext } from '../base/command.ts';

/**
 * The configuration, for a command that opens no ledger (`openSession` warns in its log). What is wrong with it is
 * said, if it can be used.
 */
export async function configOf(context: CommandContext): Promise<Config> {
  const config = await loadConfig(context);
  for (const warning of config.warnings) context.terminal.error(`Note: ${warning}\n`);
  return config;
}
