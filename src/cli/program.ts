import { Command, Option } from 'commander';
import { program as version } from '../runtime/settings/version.ts';
import { addIntakeOptions } from './base/intake-options.ts';
import type { CommandName } from './commands.ts';

/** What commander calls when a command is given. */
export type Call = (name: CommandName) => (...params: unknown[]) => Promise<void>;

/**
 * What the command line understands; no command's own code is loaded for it. `outputError` gets what is wrong with the
 * arguments.
 */
export function buildProgram(call: Call, outputError: (text: string) => void): Command {
  const program = new Command('airbatch')
    .description('Pays out airtime in bulk: every row of a CSV file once, and a report that adds up.')
    .version(version, '--version', 'print the version')
    .option('--config <file>', 'configuration (default: airbatch.config.json or .ts in this folder)')
    .option('--ledger <path>', 'ledger (default: .airbatch/ledger.db)')
    .option('--json', 'print JSON on stdout, and nothing else there')
    .configureOutput({ outputError })
    .configureHelp({ subcommandTerm: termOf })
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
  addSandbox(program, call);
  for (const command of program.commands)
    command.exitOverride().showHelpAfterError(`(see "airbatch ${command.name()} --help")`);
  return program;
}

const trying = 'Try and learn:';

/** A command in the list of all: its name and what it takes. That it has options is not worth the width. */
function termOf(command: Command): string {
  const args = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...args].join(' ');
}

function example(command: Command, text: string): Command {
  return command.addHelpText('after', `\nExample:\n  $ ${text}`);
}

const priorities = ['urgent', 'normal', 'bulk'];
const finishBy = [
  '--finish-by <time>',
  'when every row should have ended (2026-11-20T17:00:00+03:00): it goes first as soon as it must',
] as const;
const theFile = 'the CSV file or workbook; "-" for standard input';

/**
 * Refuses an option together with its own opposite: to commander they are one option, of which the last would silently
 * count.
 */
function refuseTogether(command: Command, options: readonly [string, string]): void {
  const said = new Set<string>();
  for (const option of options)
    command.on(`option:${option.slice(2)}`, () => {
      said.add(option);
      if (said.size === options.length)
        command.error(`error: option '${options[0]}' cannot be used with option '${options[1]}'`);
    });
}

/** Adds the options of every command that makes a batch of a file. */
function addBatchOptions(command: Command): Command {
  return addIntakeOptions(command)
    .option('--account <name>', 'the account that pays (default: the only one, "default", or the embedded sandbox)')
    .option('--run-id <id>', 'the name within which a row is paid once (default: derived from the file)')
    .addOption(
      new Option('--priority <priority>', 'its place among the batches of the account')
        .choices(priorities)
        .default('normal'),
    )
    .option(...finishBy);
}

const restored = [
  '--restored',
  'the ledger came from a backup: look every row up before it is sent (say it once)',
] as const;
const serviceMoved = [
  '--service-moved',
  'the same service, which knows what was sent, has moved to another address: go on there',
] as const;
const out = ['--out <dir>', 'where the reports go (default: reports)'] as const;
const account = ['--account <name>', 'the account to ask (default: as for "run")'] as const;

function addWork(program: Command, call: Call): void {
  program.commandsGroup('Pay a file:');
  example(
    addBatchOptions(program.command('run').argument('<file>', theFile)),
    'airbatch run payroll.csv --run-id payroll-2026-11',
  )
    .description('pay a file: check it, ask, send each row once, follow it to the end, report')
    .option(...out)
    .option('-y, --yes', 'send without asking')
    .option(...restored)
    .action(call('run'));
  example(
    addIntakeOptions(program.command('validate').argument('<file>', theFile)),
    'airbatch validate payroll.csv --errors to-correct.csv',
  )
    .description('check a file and say what is wrong with it; nothing is stored or sent')
    .option(...account)
    .option('--errors <file>', 'write the rows to correct to this file, with what is wrong with each')
    .action(call('validate'));
  program.commandsGroup('Follow and control batches:');
  example(program.command('status').argument('[batch]', 'one batch (default: all)'), 'airbatch status')
    .description('show where the batches of this ledger stand')
    .option(
      '-w, --watch',
      'repeat until all have ended: the rate used and allowed, when all will be sent, what it waits for',
    )
    .action(call('status'));
  example(
    program.command('resume').argument('[batch]', 'one batch (default: all that are unfinished)'),
    'airbatch resume',
  )
    .description('continue batches that were interrupted or paused')
    .option(...restored)
    .option(...serviceMoved)
    .option(
      '--unlisted <why>',
      "after a restore: go on without the service's list if it cannot be read, and hold what may repeat a payment",
    )
    .option(...out)
    .action(call('resume'));
  example(program.command('pause').argument('<batch>'), 'airbatch pause 20261120-093000-4f2a --why "the wrong month"')
    .description('stop sending a batch until it is resumed, whichever program works on it')
    .requiredOption('--why <text>', 'the reason, for the audit log')
    .action(call('pause'));
  const reorder = program.command('reorder').argument('<batch>');
  example(reorder, 'airbatch reorder 20261120-093000-4f2a --finish-by 2026-11-20T17:00:00+03:00')
    .description('send a batch earlier or later than the others of its account')
    .addOption(new Option('--priority <priority>', 'its place among them').choices(priorities))
    .option(...finishBy)
    .option('--no-finish-by', 'it has no time to finish by any more')
    .action(call('reorder'));
  refuseTogether(reorder, ['--finish-by', '--no-finish-by']);
  example(
    program.command('report').argument('<batch>', 'the batch'),
    'airbatch report 20261120-093000-4f2a --out reports',
  )
    .description('write the reports of a batch again')
    .option(...out)
    .option('--mask', 'make phone numbers unreadable')
    .action(call('report'));
}

function addPeople(program: Command, call: Call): void {
  program.commandsGroup('Have a second person approve:');
  example(
    addBatchOptions(program.command('submit').argument('<file>', theFile)),
    'airbatch submit payroll.csv --run-id payroll-2026-11',
  )
    .description(
      'check a file and leave it for another person to approve; if no policy asks for one, it is approved at once',
    )
    .action(call('submit'));
  example(program.command('approve').argument('<batch>'), 'airbatch approve 20261120-093000-4f2a')
    .description('see what a submitted batch would pay, and allow it to be sent')
    .option('-y, --yes', 'approve without being asked')
    .action(call('approve'));
  example(program.command('reject').argument('<batch>'), 'airbatch reject 20261120-093000-4f2a --why "October\'s file"')
    .description('refuse a submitted batch: nothing of it is sent')
    .requiredOption('--why <text>', 'the reason, for the audit log')
    .action(call('reject'));
  program.commandsGroup('Decide about rows:');
  example(
    program.command('release').argument('<batch>').argument('[rows...]', 'row numbers (default: all held rows)'),
    'airbatch release 20261120-093000-4f2a 17 18',
  )
    .description('see why rows are held, and allow them to be sent; "airbatch resume" then sends them')
    .option('-y, --yes', 'release without being asked; without a terminal, nobody is asked anyway')
    .action(call('release'));
  example(
    program.command('skip').argument('<batch>').argument('[rows...]', 'row numbers (default: all such rows)'),
    'airbatch skip 20261120-093000-4f2a 17 --why "paid in cash"',
  )
    .description('do not pay held rows, or (--unsent) rows that are not sent yet')
    .requiredOption('--why <text>', 'the reason, for the audit log')
    .option('--unsent', 'rows that were not sent yet, of a batch that a person has paused')
    .action(call('skip'));
}

function addDecisions(program: Command, call: Call): void {
  const resolve = program.command('resolve').argument('<batch>').argument('<row>', 'row number');
  example(resolve, 'airbatch resolve 20261120-093000-4f2a 17 --as paid --evidence "operator receipt 8841"')
    .description('decide by evidence whether a row was paid, where the service does not say')
    .addOption(
      new Option('--as <decision>', 'what the evidence shows').choices(['paid', 'not-paid']).makeOptionMandatory(),
    )
    .requiredOption(
      '--evidence <text>',
      'what shows it, for the audit log (phone numbers, and what looks like one, are left out)',
    )
    .action(call('resolve'));
  const collect = (code: string, codes: string[] = []) => [...codes, code];
  example(program.command('retry').argument('<batch>'), 'airbatch retry 20261120-093000-4f2a --code 234')
    .description('pay failed rows again, after checking at the service that they were not paid')
    .option(...restored)
    .option(...serviceMoved)
    .option('--code <code>', 'only rows that failed with this code (may be given several times)', collect)
    .option(...out)
    .action(call('retry'));
}

function addProof(program: Command, call: Call): void {
  program.commandsGroup('Prove and compare:');
  example(program.command('reconcile'), 'airbatch reconcile --from 2026-11-01 --to 2026-11-30')
    .description("compare the ledger with the service's own list and with the wallets")
    .option(...account)
    .option('--from <date>', 'the first day (UTC), or a time with its zone')
    .option('--to <date>', 'the last day, or a time (default: now)')
    .option('--batch <batch>', 'one batch only')
    .option(...out)
    .action(call('reconcile'));
  example(
    program.command('verify').argument('<dir>', 'a folder of reports'),
    'airbatch verify reports/20261120-093000-4f2a --key airbatch-key.pem',
  )
    .description('check reports offline: complete, unchanged and consistent')
    .option('--key <file>', 'the public key (PEM) that must have signed them')
    .option('--service-list <file>', "the service's own list of top-ups, one JSON object a line")
    .option('--anchor <file>', 'heads of audit chains as "anchors" put them outside, one JSON object a line')
    .action(call('verify'));
  example(program.command('audit'), 'airbatch audit --batch 20261120-093000-4f2a --row 17')
    .description('show what happened, who did it and why, and check the audit chain')
    .option('--batch <batch>', 'one batch (default: the last events of all batches, and all chains)')
    .option('--row <n>', 'one row of the batch')
    .action(call('audit'));
  example(
    program.command('forget').argument('[batch]', 'one batch (default: as --before or the configuration says)'),
    'airbatch forget --before 2026-01-01 --why "retention of one year"',
  )
    .description('remove personal data from finished batches; sums, states and the audit chain stay')
    .option('--before <date>', 'batches that ended before this day')
    .option('--why <text>', 'the reason, for the audit log (default: retention)')
    .option('-y, --yes', 'forget without being asked; without a terminal, nobody is asked anyway')
    .action(call('forget'));
  example(program.command('key'), 'airbatch key > airbatch-key.pem')
    .description("print the public key of this installation's reports")
    .action(call('key'));
}

function addService(program: Command, call: Call): void {
  program.commandsGroup('Ask the service:');
  example(program.command('balance'), 'airbatch balance')
    .description('show what the account has to spend')
    .option(...account)
    .action(call('balance'));
  const networks = program.command('networks').argument('[query]', 'a country code, a phone number, or part of a name');
  example(networks, 'airbatch networks KE')
    .description('list the networks that can be paid')
    .option(...account)
    .action(call('networks'));
  example(program.command('products'), 'airbatch products --network 1')
    .description('list the fixed products that can be bought')
    .option('--network <id>', 'only those of this network')
    .option(...account)
    .action(call('products'));
  const migrate = program
    .command('migrate-check')
    .argument('<file>', 'a CSV file or workbook with the columns of POST /adp; "-" for standard input');
  example(migrate, 'airbatch migrate-check september.csv --from v1 --to v2')
    .description('show what changes for a Version 1 file under Version 2; nothing is sent')
    .addOption(new Option('--from <version>', 'the version it was made for').choices(['v1']).default('v1'))
    .addOption(new Option('--to <version>', 'the version it will be sent through').choices(['v2']).default('v2'))
    .option('--account <name>', 'the v2 account that will pay (default: the only one)')
    .option('--old-account <name>', 'the v1 account that knows what its products were (default: the only one)')
    .option('--sheet <name>', 'the sheet of a workbook (default: the first)')
    .action(call('migrateCheck'));
}

function addServer(program: Command, call: Call): void {
  program.commandsGroup('Run without people:');
  example(
    program
      .command('jobs')
      .argument('[action]', 'list, check, run or new', 'list')
      .argument('[name]', 'the job, for "run" and "new"'),
    'airbatch jobs run monthly-payroll --slot 2026-11-25T09:00:00+03:00',
  )
    .description('list jobs and their next runs, check them, run one by hand, or write a new one')
    .option(
      '--slot <time>',
      'with "run": the due time, with its zone (default: the last one if it was missed or failed, else now)',
    )
    .option(...restored)
    .action(call('jobs'));
  example(program.command('serve'), 'airbatch serve --host 0.0.0.0 --port 8787')
    .description(
      'work for every account until stopped: send what is approved, run the jobs, receive webhooks, write reports',
    )
    .option('--port <n>', 'port (default: 8787)')
    .option(...restored)
    .option('--host <address>', 'address to listen at (default: 127.0.0.1, behind a proxy that speaks https)')
    .option('--metrics-port <n>', 'serve Prometheus metrics at this port')
    .option('--metrics-host <address>', 'address for the metrics (default: 127.0.0.1)')
    .option('--grace <seconds>', 'how long requests in flight may take to end when it is stopped (default: 25)')
    .action(call('serve'));
}

function addSandbox(program: Command, call: Call): void {
  program.commandsGroup(trying);
  example(program.command('sandbox'), 'airbatch sandbox --port 8080')
    .description('simulate the airtime service on this machine, for tests and rehearsals')
    .option('--port <n>', 'port (default: any free one)')
    .option('--host <address>', 'address to listen at (default: 127.0.0.1; in a container: 0.0.0.0)')
    .option('--data <path>', 'keep its data in this file (default: .airbatch/sandbox.db)')
    .option('--ephemeral', 'keep its data in memory only')
    .option('--rate <n>', 'creations allowed in a window (default: 60); the other limits follow in proportion')
    .option('--window-ms <n>', 'length of the window in milliseconds (default: 60000)')
    .option('--settle-ms <n>', 'how long an ordinary top-up takes at most (default: 1500)')
    .option('--balances <list>', 'what wallets hold, as wallet-usd=50,wallet-kes=0 (see docs/sandbox.md)')
    .option('--allow-http-callbacks', 'send webhooks in plain http also to private names, as those of containers are')
    .option('--faults <file>', 'what goes wrong by chance, as JSON (see docs/sandbox.md)')
    .option('--seed <n>', 'makes ids and chance repeatable')
    .option('--instant', 'every top-up ends at once')
    .action(call('sandbox'));
}
