import { type Command, Option } from 'commander';
import { collect } from './base/intake-options.ts';
import { account, type Call, example, out } from './program-options.ts';

const from = ['--from <date>', 'the first day (UTC), or a time with its zone'] as const;
const to = ['--to <date>', 'the last day, or a time (default: now)'] as const;

export function addProof(program: Command, call: Call): void {
  program.commandsGroup('Prove and compare:');
  addSearches(program, call);
  example(program.command('reconcile'), 'airbatch reconcile --from 2026-11-01 --to 2026-11-30')
    .description("compare the ledger with the service's own list and with the wallets")
    .option(...account)
    .option(...from)
    .option(...to)
    .option('--batch <batch>', 'one batch only')
    .option(...out)
    .action(call(() => import('./audits/reconcile.ts')));
  example(
    program.command('verify').argument('<dir>', 'a folder of reports'),
    'airbatch verify reports/20261120-093000-4f2a --key airbatch-key.pem',
  )
    .description('check reports offline: complete, unchanged and consistent')
    .option('--key <file>', 'the public key (PEM) that must have signed them')
    .option('--service-list <file>', "the service's own list of top-ups, one JSON object a line")
    .option(
      '--anchor <file>',
      'a file of anchored chain heads ("anchors" in the configuration), one JSON object a line',
    )
    .action(call(() => import('./audits/verify.ts')));
  example(program.command('audit'), 'airbatch audit --batch 20261120-093000-4f2a --row 17')
    .description('show what happened, who did it and why, and check the audit chain')
    .option('--batch <batch>', 'one batch (default: the last events of all batches, and all chains)')
    .option('--row <n>', 'one row of the batch')
    .action(call(() => import('./audits/audit.ts')));
  example(
    program.command('audit-pack').argument('<batch>', 'the batch'),
    'airbatch audit-pack 20261120-093000-4f2a --out november.zip',
  )
    .description('write the reports of a batch, and all that proves them, into one zip file')
    .option('--out <file>', 'the zip file (default: BATCH-audit-pack.zip)')
    .option('--mask', 'make phone numbers and names unreadable')
    .action(call(() => import('./audits/audit-pack.ts')));
  example(
    program.command('forget').argument('[batch]', 'one batch (default: as --before or the configuration says)'),
    'airbatch forget --before 2026-01-01 --why "retention of one year"',
  )
    .description('remove personal data from finished batches; sums, states and the audit chain stay')
    .option('--before <date>', 'batches that ended before this day')
    .option('--why <text>', 'the reason, for the audit log (default: retention)')
    .option('-y, --yes', 'forget without asking (without a terminal, the command never asks)')
    .action(call(() => import('./audits/forget.ts')));
  example(program.command('key'), 'airbatch key > airbatch-key.pem')
    .description("print the public key of this installation's reports")
    .action(call(() => import('./audits/key.ts')));
}

/** What was paid to whom, when, and for the books. */
function addSearches(program: Command, call: Call): void {
  example(
    program.command('find').argument('<number>', 'a phone number, with its country code'),
    'airbatch find +254712405118 --from 2026-03-01',
  )
    .description('show what was sent to one phone number, in all batches')
    .option('--country <code>', 'the country (KE) of a number in national form')
    .option('--account <name>', 'only from this account')
    .option(...from)
    .option(...to)
    .action(call(() => import('./batches/find.ts')));
  example(program.command('paid'), 'airbatch paid --from 2026-11-01 --to 2026-11-30')
    .description('list the files whose rows were paid in a period, with sums')
    .option('--account <name>', 'only from this account')
    .option('--from <date>', 'the first day (UTC), or a time with its zone (default: today)')
    .option(...to)
    .action(call(() => import('./batches/paid.ts')));
  example(
    program.command('journal'),
    'airbatch journal --from 2026-11-01 --to 2026-11-30 --format quickbooks --out november.csv',
  )
    .description('export what left the wallets as double-entry lines (CSV) for an accounting program')
    .option(...account)
    .requiredOption('--from <date>', 'the first day (UTC), or a time with its zone')
    .option(...to)
    .addOption(
      new Option(
        '--format <format>',
        'the accounting program that imports the lines, or "plain" for any other',
      ).choices(['plain', 'quickbooks', 'xero']),
    )
    .option('--expense <account>', 'the account of the books that airtime is charged to (default: Airtime)')
    .option('--wallet <account>', 'the account of the books for the wallets of a currency, as in USD=1200', collect)
    .option('--out <file>', 'the CSV file (default: standard output)')
    .action(call(() => import('./audits/journal.ts')));
}
