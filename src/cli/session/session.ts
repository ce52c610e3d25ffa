import { openSession, type Session, type SessionOptions } from '../../runtime/session/session.ts';
import type { CommandContext } from '../base/command.ts';

/**
 * Opens what most commands need as the command line says, does the command's work with it, and closes it again.
 * `open`: in which way.
 */
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
function sessionOf(context: CommandContext): Promise<Session> {
  return openSession(placeOf(context));
}

export function placeOf({ cwd, env, configPath, ledgerPath, terminal, stderr }: CommandContext): SessionOptions {
  const screen = terminal.isInteractive ? terminal.error : null;
  return { cwd, env, configPath, ledgerPath, screen, stderr, through: 'cli' };
}
