import type { CommandContext } from '../../src/cli/base/command.ts';
import type { Terminal } from '../../src/cli/base/terminal.ts';
import { madeLedgerEnv } from './folder-ledger.ts';

/** Who sits at the terminal: whether they can be asked, what they answer (no, unless said), and their environment. */
export interface Person {
  json?: boolean;
  /** Whether they watch the screen. */
  isInteractive?: boolean;
  answer?: boolean;
  canAsk?: boolean;
  env?: Record<string, string>;
}

/** A command's context with a person at its terminal: what they are told, and what they are asked. */
export function askedTerminal(cwd: string, person: Person) {
  const { json = false, isInteractive = false, answer = false, canAsk = true, env = {} } = person;
  const said: string[] = [];
  const asked: string[] = [];
  const terminal = {
    isInteractive,
    canAsk,
    print: (text: string) => said.push(text),
    error: (text: string) => said.push(text),
    confirm: async (question: string) => {
      asked.push(question);
      return answer;
    },
  } as unknown as Terminal;
  const context: CommandContext = {
    terminal,
    stderr: process.stderr,
    cwd,
    env: { ...madeLedgerEnv([], { cwd, env }), ...env },
    configPath: undefined,
    ledgerPath: undefined,
    json,
  };
  return { context, said: () => said.join(''), asked };
}
