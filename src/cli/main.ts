import { type Command, CommanderError } from 'commander';
import { AirbatchError, errorMessage } from '../core/basics/errors.ts';
import { jsonLine } from '../core/text/json-output.ts';
import { visible } from '../core/text/visible.ts';
import type { CommandContext } from './base/command.ts';
import { sourceStack } from './base/source-stack.ts';
import { type Streams, systemTerminal } from './base/terminal.ts';
import { buildProgram } from './program.ts';
import type { Call } from './program-options.ts';

/** What the command line needs from its process. */
export interface Host extends Streams {
  cwd(): string;
  env: Record<string, string | undefined>;
}

/** Runs the command line. Resolves with the exit code. Writes what went wrong and how to fix it to stderr. */
export async function main(argv: readonly string[], host: Host = process): Promise<number> {
  const json = argv.includes('--json');
  const terminal = systemTerminal({ json }, host);
  let exitCode = 0;
  let batch: string | undefined;
  const call: Call =
    (load) =>
    async (...params) => {
      const command = params.at(-1) as Command;
      const options = command.optsWithGlobals<Record<string, unknown>>();
      const args = command.args;
      if (command.registeredArguments[0]?.name() === 'batch') batch = args[0];
      const context: CommandContext = {
        terminal,
        stderr: host.stderr,
        cwd: host.cwd(),
        env: host.env,
        configPath: options.config as string | undefined,
        ledgerPath: options.ledger as string | undefined,
        json: options.json === true,
      };
      const { execute } = await load();
      exitCode = await execute(context, args, options);
    };
  try {
    const program = buildProgram(call, {
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      outputError: (text) => terminal.error(withVisible(text, argv)),
    });
    await program.parseAsync(argv as string[]);
    return exitCode;
  } catch (error) {
    return report(error, { terminal, json, batch });
  }
}

/** The messages of commander repeat the arguments without escaping them. */
function withVisible(text: string, argv: readonly string[]): string {
  return argv.reduce((said, argument) => (argument === '' ? said : said.replaceAll(argument, visible(argument))), text);
}

/** `batch`: the one that the command was given. Hints name it, so that their commands can be copied. */
function report(
  error: unknown,
  { terminal, json, batch = 'BATCH' }: Pick<CommandContext, 'terminal' | 'json'> & { batch: string | undefined },
): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    const message = error.message.replace(/^error: /, '');
    // The shell has split one name into several arguments.
    if (error.code === 'commander.excessArguments' && !message.includes('Expected 0 arguments'))
      terminal.error('Put a name with spaces in quotation marks: airbatch run "my file.csv"\n');
    if (json) terminal.print(jsonLine({ error: { code: 'USAGE', message, hint: 'See "airbatch --help".' } }));
    return 2;
  }
  if (!(error instanceof AirbatchError)) {
    terminal.error(`airbatch has an internal error: ${visible(errorMessage(error))}\n`);
    if (error instanceof Error && error.stack) terminal.error(`${sourceStack(error.stack)}\n`);
    return 1;
  }
  const { code, message, faults, exitCode } = error;
  const hint = error.hint.replaceAll(/\bBATCH\b/g, () => batch);
  const said = faults.map(visible).join('\n  ');
  terminal.error(`${terminal.paint('red', 'Error:')} ${said} [${code}]\n${visible(hint)}\n`);
  if (json) terminal.print(jsonLine({ error: { code, message, hint } }));
  return exitCode;
}
