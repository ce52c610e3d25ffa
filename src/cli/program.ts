import { Command, type OutputConfiguration } from 'commander';
import { program as version } from '../runtime/settings/version.ts';
import { type Call, trying } from './program-options.ts';
import { addDecisions, addPeople, addWork } from './program-payouts.ts';
import { addProof } from './program-proof.ts';
import { addBackup, addSandbox, addServer, addService } from './program-serving.ts';

/**
 * Defines the command line for commander without loading any command's code. `output` gets the help texts and the
 * errors about arguments.
 */
export function buildProgram(call: Call, output: OutputConfiguration): Command {
  const program = new Command('airbatch')
    .description('Pays out airtime in bulk: each row of a CSV file once, with a report that adds up.')
    .version(version, '--version', 'print the version')
    .option('--config <file>', 'configuration (default: airbatch.config.json or .ts in this folder)')
    .option('--ledger <path>', 'ledger, a file or postgres://... (default: .airbatch/ledger.db)')
    .option('--json', 'print JSON on stdout, and nothing else there')
    .configureOutput(output)
    .configureHelp({ subcommandTerm: termOf, showGlobalOptions: true })
    .addHelpCommand(
      new Command('help').argument('[command]').description('show the help of a command').helpGroup(trying),
    )
    .exitOverride()
    .showHelpAfterError('(see "airbatch --help")');
  addWork(program, call);
  addPeople(program, call);
  addDecisions(program, call);
  addService(program, call);
  addProof(program, call);
  addServer(program, call);
  addBackup(program, call);
  addSandbox(program, call);
  for (const command of program.commands)
    command.exitOverride().showHelpAfterError(`(see "airbatch ${command.name()} --help")`);
  return program;
}

/** A command in the list of all commands: its name and its arguments. "[options]" is left out to save width. */
function termOf(command: Command): string {
  const args = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...args].join(' ');
}
