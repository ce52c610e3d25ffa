import { type Command, Option } from 'commander';
import { addIntakeOptions, collect } from './base/intake-options.ts';
import {
  account,
  addBatchOptions,
  type Call,
  example,
  finishBy,
  out,
  priorities,
  refuseTogether,
  restored,
  serviceMoved,
  theFile,
} from './program-options.ts';

export function addWork(program: Command, call: Call): void {
  program.commandsGroup('Pay a file:');
  example(
    addBatchOptions(program.command('run').argument('<file>', theFile)),
    'airbatch run payroll.csv --run-id payroll-2026-11',
  )
    .description('pay a file: check it, ask, send each row once, follow it to the end, report')
    .option(...out)
    .option('-y, --yes', 'send without asking')
    .option(...restored)
    .action(call(() => import('./files/run.ts')));
  example(
    addIntakeOptions(program.command('validate').argument('<file>', theFile)),
    'airbatch validate payroll.csv --errors to-correct.csv',
  )
    .description('check a file and say what is wrong with it; nothing is stored or sent')
    .option(...account)
    .option('--errors <file>', 'write the rows to correct to this file, with what is wrong with each')
    .action(call(() => import('./files/validate.ts')));
  program.commandsGroup('Follow and control batches:');
  example(program.command('status').argument('[batch]', 'one batch (default: all)'), 'airbatch status')
    .description('show the state of the batches of this ledger')
    .option(
      '-w, --watch',
      'repeat until all have ended; also show the rate used and allowed, when all will be sent, and what batches wait for',
    )
    .action(call(() => import('./batches/status.ts')));
  example(program.command('rows').argument('<batch>'), 'airbatch rows 20261120-093000-4f2a --state failed')
    .description('list the rows of a batch, with masked phone numbers')
    .option('--state <state>', 'only rows in this state (may be given several times)', collect)
    .option('--find <text>', 'only rows with this text in the reference or the name, or with these last digits')
    .option('--code <code>', 'only rows with this code of a problem or a failure')
    .option('--after <row>', 'only rows after this one')
    .option('--limit <rows>', 'at most this many rows (default: 100, at most 1,000)')
    .action(call(() => import('./batches/rows.ts')));
  example(
    program.command('resume').argument('[batch]', 'one batch (default: all that are unfinished)'),
    'airbatch resume',
  )
    .description('continue batches that were interrupted or paused')
    .option(...restored)
    .option(...serviceMoved)
    .option(
      '--unlisted <why>',
      "after a restore: continue without the service's list if it cannot be read, and hold rows that may already be paid",
    )
    .option(...out)
    .action(call(() => import('./batches/resume.ts')));
  example(program.command('pause').argument('<batch>'), 'airbatch pause 20261120-093000-4f2a --why "the wrong month"')
    .description('stop sending a batch until it is resumed, whichever program works on it')
    .requiredOption('--why <text>', 'the reason, for the audit log')
    .action(call(() => import('./batches/pause.ts')));
  const reorder = program.command('reorder').argument('<batch>');
  example(reorder, 'airbatch reorder 20261120-093000-4f2a --finish-by 2026-11-20T17:00:00+03:00')
    .description('send a batch earlier or later than the others of its account')
    .addOption(new Option('--priority <priority>', 'which batches of the account are sent first').choices(priorities))
    .option(...finishBy)
    .option('--no-finish-by', 'remove the deadline')
    .action(call(() => import('./batches/reorder.ts')));
  refuseTogether(reorder, ['--finish-by', '--no-finish-by']);
  example(
    program.command('report').argument('<batch>', 'the batch'),
    'airbatch report 20261120-093000-4f2a --out reports',
  )
    .description('write the reports of a batch again')
    .option(...out)
    .option('--mask', 'make phone numbers and the names of people unreadable; the folder is then BATCH-masked')
    .action(call(() => import('./audits/report.ts')));
}

export function addPeople(program: Command, call: Call): void {
  program.commandsGroup('Have a second person approve:');
  example(
    addBatchOptions(program.command('submit').argument('<file>', theFile)),
    'airbatch submit payroll.csv --run-id payroll-2026-11',
  )
    .description(
      'check a file and submit it for approval by another person; if the policy asks for none, it is approved at once',
    )
    .action(call(() => import('./files/submit.ts')));
  example(program.command('approve').argument('<batch>'), 'airbatch approve 20261120-093000-4f2a')
    .description('show what a submitted batch would pay, and approve it')
    .option('-y, --yes', 'approve without asking')
    .action(call(() => import('./batches/approve.ts')));
  example(program.command('reject').argument('<batch>'), 'airbatch reject 20261120-093000-4f2a --why "October\'s file"')
    .description('reject a submitted batch: nothing of it is sent')
    .requiredOption('--why <text>', 'the reason, for the audit log')
    .action(call(() => import('./batches/reject.ts')));
  example(
    program.command('withdraw').argument('<batch>'),
    'airbatch withdraw 20261120-093000-4f2a --why "October\'s file"',
  )
    .description('take a batch back that you submitted and nobody has approved: nothing of it is sent')
    .requiredOption('--why <text>', 'the reason, for the audit log')
    .action(call(() => import('./batches/withdraw.ts')));
  program.commandsGroup('Decide about rows:');
  example(
    program.command('release').argument('<batch>').argument('[rows...]', 'row numbers (default: all held rows)'),
    'airbatch release 20261120-093000-4f2a 17 18',
  )
    .description('show why rows are held, and release them; "airbatch resume" then sends them')
    .option(...code)
    .option(...earlierBatch)
    .option('-y, --yes', 'release without asking (without a terminal, the command never asks)')
    .action(call(() => import('./batches/release.ts')));
  example(
    program.command('skip').argument('<batch>').argument('[rows...]', 'row numbers (default: all such rows)'),
    'airbatch skip 20261120-093000-4f2a 17 --why "paid in cash"',
  )
    .description('do not pay held rows, or (--unsent) rows that are not sent yet')
    .option(...code)
    .option(...earlierBatch)
    .requiredOption('--why <text>', 'the reason, for the audit log')
    .option('--unsent', 'not held rows, but rows that are not sent yet; a person must have paused the batch')
    .action(call(() => import('./batches/skip.ts')));
}

/** A group of held rows, as `release` shows them. */
const code = [
  '--code <code>',
  'only rows that are held for this reason, and not because of an earlier batch (for those, add --earlier-batch)',
] as const;
const earlierBatch = [
  '--earlier-batch <batch>',
  'with --code: only rows that are held because of this earlier batch',
] as const;

export function addDecisions(program: Command, call: Call): void {
  example(program.command('doubts'), 'airbatch doubts --owner njeri')
    .description('list the rows in doubt of all batches, the oldest first, with their owners')
    .option('--batch <batch>', 'only rows of this batch')
    .option('--owner <person>', 'only rows that this person takes care of')
    .option('--nobody', 'only rows that nobody takes care of')
    .action(call(() => import('./batches/doubts.ts')));
  example(
    program.command('look-up').argument('<batch>').argument('[rows...]', 'row numbers (default: all rows in doubt)'),
    'airbatch look-up 20261120-093000-4f2a 17',
  )
    .description('ask the service now about rows in doubt; the audit log keeps each answer')
    .action(call(() => import('./batches/look-up.ts')));
  const assign = program.command('assign').argument('<batch>').argument('<rows...>', 'numbers of rows in doubt');
  example(assign, 'airbatch assign 20261120-093000-4f2a 17 18 --to njeri')
    .description('say who takes care of rows in doubt')
    .option('--to <person>', 'a person who may operate or resolve')
    .option('--nobody', 'nobody takes care of them any more')
    .action(call(() => import('./batches/assign.ts')));
  const resolve = program.command('resolve').argument('<batch>').argument('<row>', 'row number');
  example(resolve, 'airbatch resolve 20261120-093000-4f2a 17 --as paid --evidence "operator receipt 8841"')
    .description('record, with evidence, whether a row was paid, if the service does not report it')
    .addOption(
      new Option('--as <decision>', 'what the evidence shows').choices(['paid', 'not-paid']).makeOptionMandatory(),
    )
    .requiredOption('--evidence <text>', 'what proves it, for the audit log (phone numbers are removed)')
    .action(call(() => import('./batches/resolve.ts')));
  example(program.command('retry').argument('<batch>'), 'airbatch retry 20261120-093000-4f2a --code 234')
    .description('pay failed rows again, after checking at the service that they were not paid')
    .option(...restored)
    .option(...serviceMoved)
    .option('--code <code>', 'only rows that failed with this code (may be given several times)', collect)
    .option(...out)
    .action(call(() => import('./batches/retry.ts')));
}
