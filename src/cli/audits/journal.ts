import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { z } from 'zod';
import { jsonLine } from '../../core/text/json-output.ts';
import { exportJournal } from '../../operations/proof/export-journal.ts';
import type { JournalFormat } from '../../reports/reconcile/journal-csv.ts';
import { sumsText, timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { pairs } from '../base/pairs.ts';
import { pathOf, unwritable } from '../base/path-of.ts';
import { periodOf } from '../base/period.ts';
import { call } from '../session/call.ts';

interface JournalOptions {
  account?: string;
  from?: string;
  to?: string;
  format?: JournalFormat;
  expense?: string;
  wallet?: string[];
  out?: string;
}

/** `airbatch journal`: what left the wallets, as double-entry lines for an accounting program. */
export async function execute(
  context: CommandContext,
  _args: string[],
  { account, format, expense, wallet, out, ...period }: JournalOptions,
): Promise<number> {
  const { terminal, json } = context;
  const { from = '', to } = periodOf(period);
  const wallets = wallet && pairs('--wallet', 'USD=1200', wallet);
  const journal = await call(context, exportJournal, { account, from, to, format, expense, wallets });
  const file = pathOf(context, out);
  if (file !== undefined) await writeFile(file, journal.csv).catch(unwritable(file));
  if (json) terminal.print(jsonLine<unknown>(journal));
  else if (file === undefined) terminal.print(journal.csv);
  // The lines go to stderr, so that stdout is only the CSV.
  if (!json) terminal.error(`${linesOf(journal, file && relative(context.cwd, file)).join('\n')}\n`);
  return 0;
}

function linesOf(journal: z.output<typeof exportJournal.result>, file: string | undefined): string[] {
  const { account, from, to, entries, totals, uncertain, wallets } = journal;
  const lines = [
    `${file === undefined ? '' : `${file}: `}${counted(entries.length, 'entry', 'entries')} of ${account}, ${timeText(from)} to ${timeText(to)}: ${sumsText(totals)} left the wallets.`,
  ];
  for (const { currency, left, charged, unexplained } of wallets?.currencies ?? []) {
    if ([left, charged, unexplained].every((amount) => Number(amount) === 0)) continue;
    // The wallets of Version 1 name no currency.
    const shown = (amount: string) => `${currency} ${amount}`.trimStart();
    const explained = Number(unexplained) === 0 ? 'they agree' : `${shown(unexplained)} not explained`;
    lines.push(`The balances show ${shown(left)}, the entries of that time ${shown(charged)}: ${explained}.`);
  }
  if (uncertain > 0)
    lines.push(
      `${counted(uncertain, 'late charge')} may belong to this time and is in no entry: see airbatch reconcile.`,
    );
  return lines;
}
