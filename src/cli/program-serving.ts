import { type Command, Option } from 'commander';
import { collect } from './base/intake-options.ts';
import { account, type Call, example, restored, trying } from './program-options.ts';

export function addService(program: Command, call: Call): void {
  program.commandsGroup('Ask the service:');
  example(program.command('accounts'), 'airbatch accounts')
    .description('list the accounts: whether each may send now, and its last known balance')
    .action(call(() => import('./service/accounts.ts')));
  example(program.command('workers'), 'airbatch workers')
    .description('list which program works for which account, on all machines, since when, and how far it is behind')
    .action(call(() => import('./service/workers.ts')));
  example(program.command('balance'), 'airbatch balance')
    .description('show the balance of the account')
    .option(...account)
    .action(call(() => import('./service/balance.ts')));
  example(program.command('forecast'), 'airbatch forecast')
    .description('show when the wallets of the account will be empty')
    .option(...account)
    .action(call(() => import('./service/forecast.ts')));
  example(program.command('plan').argument('<rows>', 'how many rows'), 'airbatch plan 40000 --sum KES=4000000')
    .description('show how much time, money and approvals a payout of this size needs; nothing is stored or sent')
    .option(...account)
    .option(
      '--sum <sum>',
      'the total of all rows, once for each currency (default: estimated from the latest payouts)',
      collect,
    )
    .action(call(() => import('./service/plan.ts')));
  const networks = program.command('networks').argument('[query]', 'a country code, a phone number, or part of a name');
  example(networks, 'airbatch networks KE')
    .description('list the networks that can be paid')
    .option(...account)
    .action(call(() => import('./service/networks.ts')));
  example(program.command('products'), 'airbatch products --network 1')
    .description('list the fixed products that can be bought')
    .option('--network <id>', 'only those of this network')
    .option(...account)
    .action(call(() => import('./service/products.ts')));
  const migrate = program
    .command('migrate-check')
    .argument('<file>', 'a CSV file or workbook with the columns of POST /adp; "-" for standard input');
  example(migrate, 'airbatch migrate-check september.csv --from v1 --to v2')
    .description('show what changes for a Version 1 file under Version 2; nothing is sent')
    .addOption(new Option('--from <version>', 'the version it was made for').choices(['v1']).default('v1'))
    .addOption(new Option('--to <version>', 'the version it will be sent through').choices(['v2']).default('v2'))
    .option('--account <name>', 'the v2 account that will pay (default: the only one)')
    .option('--old-account <name>', 'the v1 account whose products the file names (default: the only one)')
    .option('--sheet <name>', 'the sheet of a workbook (default: the first)')
    .action(call(() => import('./migration/migrate-check.ts')));
}

export function addServer(program: Command, call: Call): void {
  program.commandsGroup('Run automatically:');
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
    .action(call(() => import('./serving/jobs.ts')));
  example(program.command('serve'), 'airbatch serve --host 0.0.0.0 --port 8787')
    .description(
      'work for every account until stopped: send what is approved, run the jobs, receive webhooks, write reports',
    )
    .option('--port <n>', 'port (default: 8787)')
    .option(...restored)
    .option('--host <address>', 'address to listen at (default: 127.0.0.1, behind a proxy that speaks https)')
    .option('--metrics-port <n>', 'serve Prometheus metrics at this port')
    .option('--metrics-host <address>', 'address for the metrics (default: 127.0.0.1)')
    .option('--api-port <n>', 'serve the HTTP API and the console at this port (see docs/api.md and docs/console.md)')
    .option('--api-host <address>', 'address for the API (default: 127.0.0.1, behind a proxy that speaks https)')
    .option(
      '--grace <seconds>',
      'when it is stopped: how long to wait for answers to requests already sent (default: 25)',
    )
    .action(call(() => import('./serving/serve.ts')));
  example(program.command('console'), 'airbatch console --sandbox')
    .description('like "serve", with the console for people in a browser; prints the link of the first administrator')
    .option('--port <n>', 'port (default: 8788)')
    .option('--host <address>', 'address to listen at (default: 127.0.0.1; see "console" in docs/configuration.md)')
    .option('--sandbox', 'work with the embedded sandbox, where no money moves, whatever accounts are configured')
    .option('--admin <name>', 'make a link by which this person becomes an administrator, with a new password')
    .action(call(() => import('./serving/console.ts')));
  example(
    program
      .command('api-keys')
      .argument('[action]', 'list, create or revoke', 'list')
      .argument('[name]', 'the name of the program that uses the key, for "create" and "revoke"'),
    'airbatch api-keys create payroll-system --roles prepare,audit --accounts main',
  )
    .description('list the keys of the HTTP API, make one, or revoke one')
    .option('--roles <roles>', 'with "create": what the program may do, as in "people" of the configuration')
    .option('--accounts <names>', 'with "create": the accounts that the program sees (default: all)')
    .option('--expires <time>', 'with "create": when the key expires (2027-01-01T00:00:00Z; default: never)')
    .action(call(() => import('./serving/api-keys.ts')));
  example(
    program
      .command('webhooks')
      .argument('[action]', 'list, create, enable, disable, rotate, delete, log or redeliver', 'list')
      .argument('[endpoint]', 'the id of the endpoint; for "create" its URL')
      .argument('[delivery]', 'for "redeliver": the number of the delivery'),
    'airbatch webhooks create https://payroll.example.com/airbatch --events batch.completed,row.in_doubt',
  )
    .description('send events to other programs: list the endpoints, change them, show what was sent')
    .option('--events <events>', 'with "create": the kinds of events, with commas (default: all)')
    .option('--accounts <names>', 'with "create": only events of these accounts (default: all)')
    .option('--after <n>', 'with "log": only deliveries that are older than this one')
    .action(call(() => import('./serving/webhooks.ts')));
}

export function addBackup(program: Command, call: Call): void {
  program.commandsGroup('Back up and restore:');
  example(
    program
      .command('backup')
      .argument('[target]', 'the folder of the backups (default: "backup" of the configuration)'),
    'airbatch backup /mnt/backup --encrypt --keep 14',
  )
    .description('back up the ledger with its keys and configuration, also while programs pay')
    .option('--encrypt', 'encrypt it with the passphrase in AIRBATCH_BACKUP_PASSPHRASE')
    .option(
      '--keep <n>',
      'remove older backups of this ledger until n are left (default: as configured, else keep all)',
    )
    .option('--drill', 'make no backup: restore the newest one into a temporary folder, and audit it')
    .action(call(() => import('./backup/backup.ts')));
  example(
    program.command('restore').argument('<backup>', 'the folder of one backup'),
    'airbatch restore /mnt/backup/airbatch-20261120T093000000Z',
  )
    .description('restore a backup where the ledger was; every row is then looked up before it is sent')
    .action(call(() => import('./backup/restore.ts')));
  example(
    program.command('ledger').argument('[action]', 'check, migrate or copy', 'check'),
    'airbatch ledger copy --from .airbatch/ledger.db --to postgres://localhost/airbatch',
  )
    .description("check the ledger, bring it to this version's schema, or move it to an empty database or file")
    .option('--from <place>', 'with "copy": the path or the URL of the ledger (default: the configured one)')
    .option('--to <place>', 'with "copy": the path or the URL of its new place (default: the configured one)')
    .action(call(() => import('./backup/ledger.ts')));
}

export function addSandbox(program: Command, call: Call): void {
  program.commandsGroup(trying);
  example(program.command('sandbox'), 'airbatch sandbox --port 8080')
    .description('simulate the airtime service on this machine, for tests and rehearsals')
    .option('--port <n>', 'port (default: any free one)')
    .option('--host <address>', 'address to listen at (default: 127.0.0.1; in a container: 0.0.0.0)')
    .option('--data <path>', 'keep its data in this file (default: .airbatch/sandbox.db)')
    .option('--ephemeral', 'keep its data only in memory')
    .option('--rate <n>', 'creations allowed in a window (default: 60); the other limits follow in proportion')
    .option('--window-ms <n>', 'length of the window in milliseconds (default: 60000)')
    .option('--settle-ms <n>', 'how long an ordinary top-up takes at most (default: 1500)')
    .option('--balances <list>', 'wallet balances, such as wallet-usd=50,wallet-kes=0 (see docs/sandbox.md)')
    .option(
      '--allow-http-callbacks',
      'send webhooks over plain http also to private host names, such as those of containers',
    )
    .option('--faults <file>', 'random faults to simulate, as JSON (see docs/sandbox.md)')
    .option('--seed <n>', 'make ids and random choices repeatable')
    .option('--instant', 'every top-up ends at once')
    .action(call(() => import('./serving/sandbox.ts')));
}
