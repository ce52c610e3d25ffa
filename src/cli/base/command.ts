import type { Terminal } from './terminal.ts';

/** What every command gets in addition to its own options. */
export interface CommandContext {
  terminal: Terminal;
  /** Where the log goes, one JSON object a line, if no person watches. */
  stderr: NodeJS.WritableStream;
  cwd: string;
  env: Record<string, string | undefined>;
  configPath: string | undefined;
  ledgerPath: string | undefined;
  json: boolean;
}

/** What the module of a command exports. */
export interface CommandModule {
  execute(context: CommandContext, args: string[], options: Record<string, unknown>): Promise<number>;
}
