import { defaultRunId } from '../../core/identity/ids.ts';
import { moneyText } from '../../core/money/money.ts';
import { isDoubtfulEnd } from '../../core/state/earlier-payment.ts';
import type { NeedKind } from '../../core/state/situation.ts';
import { pauseSteps } from '../../core/state/state-texts.ts';
import { visible } from '../../core/text/visible.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import type { BatchResult } from '../../operations/working/batch-result.ts';
import { durationText, failureText, sumsText } from '../../reports/sentences/format.ts';
import { verdictOf } from '../../reports/sentences/verdict.ts';
import type { BatchSummary } from '../../reports/summary/summary-shape.ts';
import { situationOfSummary } from '../../reports/summary/summary-situation.ts';
import { noFailureCode } from '../../reports/summary/survey.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { optionsText, quoted, sameFileOptionsText } from '../base/options-text.ts';
import { shownFolder } from '../base/path-of.ts';
import type { Terminal } from '../base/terminal.ts';
import { versionSentence } from '../base/version-sentence.ts';
import { correctedLines } from '../text/corrected.ts';

const marks = { good: ['green', '✔'], attention: ['yellow', '!'], open: ['yellow', '…'] } as const;

/** The closing text for a person: what was paid, what was not paid and why, what it cost, and what to do next. */
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
  lines.push(`Reports    ${shownFolder(cwd, reports.dir)}/ (${reports.files.join(', ')})`);
  if (reports.previous !== null) lines.push(`Version    ${versionSentence(reports, cwd)}`);
  for (const step of nextSteps(result, shownFolder(cwd, reports.dir))) lines.push(`Next       ${step}`);
  return `${lines.join('\n')}\n`;
}

function balanceText({ balance }: BatchSummary): string {
  const moved = balance.wallets.filter(({ before, after }) => before !== null && after !== null && before !== after);
  if (moved.length === 0) return '';
  const parts = moved.map(({ name, currency, before, after }) => {
    // A V1 balance has no currency; its name says which one it is.
    return `${currency === '' ? `${name} ` : ''}${moneyText(currency, before ?? '')} → ${moneyText(currency, after ?? '')}`;
  });
  return ` (wallets: ${parts.join('; ')})`;
}

function nextSteps(
  { summary, exit_code, read_with, is_worked_on, paid_since, credentials_from }: BatchResult,
  dir: string,
): string[] {
  const { batch_id, service } = summary;
  const paidSince = paid_since.reduce((sum, { rows }) => sum + rows, 0);
  const {
    doing,
    holds,
    next: first,
    meanwhile,
    rows,
  } = situationOfSummary(summary, { isWorkedOn: is_worked_on, paidSince });
  const needs = first === null ? [] : [first, ...meanwhile];
  if (doing === 'finished') {
    const corrected = needs.some(({ what }) => what === 'correct') ? correctSteps(summary, read_with, dir) : [];
    return [...corrected, ...onceMoreSteps(summary, read_with)];
  }
  const command = (option: string) => `airbatch resume ${batch_id}${option}`;
  const steps = pauseSteps(summary.pause?.reason ?? 'by_person', command, { credentials: credentials_from, service });
  // Until then nothing else can be done about the rows.
  if (holds[0] === 'service_changed' || holds[0] === 'credentials_rejected') return steps;
  const resume =
    is_worked_on && doing !== 'paused'
      ? `nothing: another airbatch is working for this account and continues it (airbatch status ${batch_id})`
      : steps.join('; ');
  const next = first?.what;
  if (exit_code === interruptedExitCode && (next === 'resume' || next === 'work' || next === 'look_up'))
    return [resume];
  const decisions = Object.entries(decisionSteps).flatMap(([kind, step]) =>
    needs.some(({ what }) => what === kind) ? [step(batch_id, is_worked_on)] : [],
  );
  if (next === 'look_up' && !is_worked_on)
    decisions.push(
      `airbatch status ${batch_id} says when the rows in doubt can be looked up again; from then on, airbatch resume ${batch_id} looks them up`,
    );
  // Rows that were not sent wait until the pause is cleared, whatever else a person must decide.
  else if (decisions.length === 0 || (doing === 'paused' && rows.to_send > 0)) decisions.push(resume);
  return decisions;
}

const resolveCommand = (id: string) => `airbatch resolve ${id} ROW --as paid --evidence TEXT, or --as not-paid`;

/** How a person decides about rows, by kind of need (`Need`). */
const decisionSteps = {
  release: (id: string) =>
    `airbatch status ${id}, then for the held rows airbatch release ${id}, or airbatch skip ${id} --why TEXT`,
  resolve: (id: string) =>
    `airbatch status ${id}, then, for the rows on which a person must decide, ${resolveCommand(id)}`,
  end_overdue: (id: string, isWorkedOn: boolean) =>
    `airbatch status ${id}, ask the service about its overdue rows, then ${resolveCommand(id)}${isWorkedOn ? '' : `; or airbatch resume ${id}, which asks the service again`}`,
} satisfies Partial<Record<NeedKind, (batchId: string, isWorkedOn: boolean) => string>>;

/**
 * A run id that nobody has given is derived from the file. So the unchanged file of the next month is the same payout,
 * and pays nobody.
 */
function onceMoreSteps(
  { run_id, input_sha256, file_name, problems }: BatchSummary,
  read_with: BatchResult['read_with'],
): string[] {
  if (problems.ALREADY_PAID === undefined || input_sha256 === null || run_id !== defaultRunId(input_sha256)) return [];
  const options = read_with === null ? '' : sameFileOptionsText(read_with);
  return [
    `only if the same rows are to be paid once more, as for another month: airbatch run ${quoted(file_name)} --run-id NAME${options}, with a new NAME for each payout`,
  ];
}

/** How failed and invalid rows are corrected or sent again. */
function correctSteps(summary: BatchSummary, read_with: BatchResult['read_with'], dir: string): string[] {
  const { batch_id, run_id, rows, contradicted } = summary;
  const { failed, invalid } = rows.by_status;
  // The reports are signed, failed.csv too, so a person corrects a copy of it. Under the same run id, a paid row is
  // never paid again, however often the corrected file is run.
  const runOf = (file: string, textOf: typeof optionsText) =>
    `airbatch run ${file} --run-id ${run_id}${read_with === null ? '' : textOf(read_with)}`;
  const others = read_with === null ? '; if you gave options for reading the first file, add them' : '';
  const steps: string[] = [];
  const unresolved = summary.problems.NETWORK_UNRESOLVED ?? 0;
  // Nothing is wrong with these rows in the file, so a clerk would look for a mistake in vain.
  if (unresolved > 0)
    steps.push(
      `once the service gives its catalog, the same file again (nothing is paid twice): ${runOf(quoted(summary.file_name), sameFileOptionsText)}${others}`,
    );
  if (unresolved < failed - contradicted.rows + invalid)
    steps.push(
      `copy ${dir === '.' ? '' : `${dir}/`}failed.csv to corrected.csv, correct the copy, then (nothing is paid twice) ${runOf('corrected.csv', optionsText)}${others}`,
    );
  const codes = Object.keys(summary.failures);
  const doubtful = codes.filter(isDoubtfulEnd);
  if (codes.length > doubtful.length) steps.push(`or, to send failed rows again unchanged, airbatch retry ${batch_id}`);
  if (doubtful.length > 0)
    steps.push(
      `or, if the recipients say that nothing arrived, airbatch retry ${batch_id}${doubtful.map((code) => ` --code ${code}`).join('')}`,
    );
  return steps;
}
