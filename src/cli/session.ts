import { resolve } from 'node:path';
import { openSession, type Session } from '../runtime/session.ts';
import type { CommandContext } from './command.ts';

/** Opens what most commands need as the command line says, does the command's work with it, and closes it again. `open`: in which way. */
export async function withSession<Result>(
  context: CommandContext,
  work: (session: Session) => Promise<Result>,
  open: (context: CommandContext) => Promise<Session> = sessionOf,
): Promise<Result> {
  const session = await open(context);
  try {
    return await work(session);
  } finally {
    await session.db.close();
  }
}

/** What most commands need, as the command line says; whoever asks for it closes its ledger. */
export function sessionOf({ cwd, env, configPath, ledgerPath, terminal }: CommandContext): Promise<Session> {
  const screen = terminal.isInteractive ? terminal.error : null;
  return openSession({ cwd, env, configPath, ledgerPath, screen });
}

/** The folder of a command's reports: the one that `--out` names, else that of the configuration. */
export function outOf({ cwd }: CommandContext, { config }: Session, out: unknown): string {
  return out ? resolve(cwd, String(out)) : config.out;
}
