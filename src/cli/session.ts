import { openSession as open, type Session } from '../runtime/session.ts';
import type { CommandContext } from './command.ts';

/** Opens what most commands need, as the command line says. */
export function openSession({ cwd, env, configPath, ledgerPath, terminal }: CommandContext): Promise<Session> {
  return open({ cwd, env, configPath, ledgerPath, isInteractive: terminal.isInteractive });
}
