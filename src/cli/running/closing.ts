import { join, relative } from 'node:path';
import { moneyText } from '../../core/money/money.ts';
import { isDoubtfulEnd } from '../../core/state/earlier-payment.ts';
import { visible } from '../../core/text/visible.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import type { BatchResult } from '../../operations/working/batch-result.ts';
import { durationText, failureText, sumsText } from '../../reports/sentences/format.ts';
import { verdictOf } from '../../reports/sentences/verdict.ts';
import type { BatchSummary } from '../../reports/summary/summary.ts';
import { noFailureCode } from '../../reports/summary/survey.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { optionsText, quoted, sameFileOptionsText } from '../base/options-text.ts';
import type { Terminal } from '../base/terminal.ts';
import { versionSentence } from '../base/version-sentence.ts';
import { correctedLines } from '../text/corrected.ts';

const marks = { good: ['green', '✔'], attention: ['yellow', '!'], open: ['yellow', '…'] } as const;

/** What a person reads when the work has ended: what was paid, what was not, why, what it cost, and what to do next. */
export function closingLines(terminal: Terminal, result: BatchResult, cwd: string): string {
  const { summary, reports } = result;
  const { tone, headline, details } = verdictOf(summary);
  const [style, mark] = marks[tone];
  const lines = ['', `${terminal.paint(style, mark)} ${terminal.paint('bold', headline)}`];
  for (const detail of details) lines.push(`  ${visible(detail)}`);
  lines.push('');
  for (const [code, failed] of Object.entries(summary.failures)) {
    const named = code === noFailureCode ? '' : ` ${code}`;
    lines.push(`Failed     ${counted(failed.rows, 'row')}${named}: ${visible(failureText(failed))}`);
  }
  lines.push(...correctedLines(result.paid_since));
  if (Object.keys(summary.charged.total).length > 0)
    lines.push(`Charged    ${sumsText(summary.charged.total)}${balanceText(summary)}`);
  if (summary.times.active_ms !== null) lines.push(`Took       ${durationText(summary.times.active_ms)}`);
  lines.push(`Reports    ${relative(cwd, reports.dir) || '.'}/ (${reports.files.join(', ')})`);
  if (reports.previous !== null) lines.push(`Version    ${versionSentence(reports, cwd)}`);
  for (const step of nextSteps(result, relative(cwd, reports.dir))) lines.push(`Next       ${step}`);
  return `${lines.join('\n')}\n`;
}

function balanceText({ balance }: BatchSummary): string {
  const moved = balance.wallets.filter(({ before, after }) => before !== null && after !== null && before !== after);
  if (moved.length === 0) return '';
  const parts = moved.map(({ name, currency, before, after }) => {
    // Where a balance names no currency (V1), its name tells which it is.
    return `${currency === '' ? `${name} ` : ''}${moneyText(currency, before ?? '')} → ${moneyText(currency, after ?? '')}`;
  });
  return ` (wallets: ${parts.join('; ')})`;
}

function nextSteps(
  { summary, exit_code, read_with, is_worked_on, paid_since, credentials_from }: BatchResult,
  dir: string,
): string[] {
  const { batch_id, run_id, rows, status, pause, service, in_doubt, overdue } = summary;
  const { held, invalid, ready, sending, accepted } = rows.by_status;
  const failed = rows.by_status.failed - summary.contradicted.rows;
  const { left_to_person: left } = in_doubt;
  if (pause?.reason === 'service_changed')
    return [
      `point the account back at ${service}, then airbatch resume ${batch_id}`,
      `or, where the same service has moved, airbatch resume ${batch_id} --service-moved`,
    ];
  if (pause?.reason === 'credentials_rejected')
    return [`correct ${credentials_from}, then airbatch resume ${batch_id}`];
  // Only a person lifts this pause, also while another program works for the account.
  const resume =
    is_worked_on && pause === null
      ? `nothing: another airbatch is working for this account and goes on with it (airbatch status ${batch_id})`
      : `${pause?.reason === 'insufficient_balance' ? 'fund the account, then ' : ''}airbatch resume ${batch_id}`;
  if (exit_code === interruptedExitCode && ready + sending + accepted - overdue.rows + in_doubt.rows > left)
    return [resume];
  const resolve = `airbatch resolve ${batch_id} ROW --as paid --evidence TEXT, or --as not-paid`;
  const waiting: string[] = [];
  if (held > 0)
    waiting.push(
      `airbatch status ${batch_id}, then for the held rows airbatch release ${batch_id}, or airbatch skip ${batch_id} --why TEXT`,
    );
  if (left > 0) waiting.push(`airbatch status ${batch_id}, then for the rows that a person must decide ${resolve}`);
  if (overdue.rows > 0)
    waiting.push(
      `airbatch status ${batch_id}, ask the service about the rows that it has for too long, then ${resolve}; or airbatch resume ${batch_id}, which asks for them once more`,
    );
  // Whatever else is to be decided, what was not sent stays so until the pause is lifted.
  if (pause !== null && ready > 0) waiting.push(resume);
  else if (in_doubt.rows > left && !is_worked_on)
    waiting.push(
      `airbatch status ${batch_id} says when the rows in doubt are looked up again; from then on, airbatch resume ${batch_id} does it`,
    );
  if (waiting.length > 0) return waiting;
  if (status !== 'completed') return [resume];
  // What a later batch of the run has paid is not to be corrected any more.
  if (failed + invalid <= paid_since.reduce((sum, { rows: paid }) => sum + paid, 0)) return [];
  // The reports are signed, failed.csv too: it is corrected in a copy. Under the same run id, what was paid is paid
  // once, however often the corrected file comes.
  const runOf = (file: string, textOf: typeof optionsText) =>
    `airbatch run ${file} --run-id ${run_id}${read_with === null ? '' : textOf(read_with)}`;
  const others = read_with === null ? '; add the options that said how to read the first file, if there were any' : '';
  const steps: string[] = [];
  const unresolved = summary.problems.NETWORK_UNRESOLVED ?? 0;
  // Nothing is wrong with them: a clerk would look for it in vain.
  if (unresolved > 0)
    steps.push(
      `once the service gives its catalog, the same file again (nothing is paid twice): ${runOf(quoted(summary.file_name), sameFileOptionsText)}${others}`,
    );
  if (unresolved < failed + invalid)
    steps.push(
      `copy ${join(dir, 'failed.csv')} to corrected.csv, correct that, then (nothing is paid twice) ${runOf('corrected.csv', optionsText)}${others}`,
    );
  const codes = Object.keys(summary.failures);
  const doubtful = codes.filter(isDoubtfulEnd);
  if (codes.length > doubtful.length) steps.push(`or, to send failed rows again unchanged, airbatch retry ${batch_id}`);
  if (doubtful.length > 0)
    steps.push(
      `or, where their recipients say that nothing came, airbatch retry ${batch_id}${doubtful.map((code) => ` --code ${code}`).join('')}`,
    );
  return steps;
}
