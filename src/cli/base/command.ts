import type { Terminal } from './terminal.ts';

/** What every command is given besides its own options. */
export interface CommandContext {
  terminal: Terminal;
  /** Where the log goes, a JSON object a line, while no person watches. */
  stderr: NodeJS.WritableStream;
  cwd: string;
  env: Record<string, string | undefined>;
  configPath: string | undefined;
  ledgerPath: string | undefined;
  json: boolean;
}

/** What a command's module offers: each is loaded only when it is called, so that `--help` starts at once. */
export interface CommandModule {
  execute(context: CommandContext, args: string[], options: Record<string, unknown>): Promise<number>;
}
