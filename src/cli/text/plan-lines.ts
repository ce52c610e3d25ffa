import { compareAmounts, moneyText } from '../../core/money/money.ts';
import type { PlacedUnusualAmount } from '../../core/money/unusual-amounts.ts';
import { pauseReasonTexts } from '../../core/state/state-texts.ts';
import { visible } from '../../core/text/visible.ts';
import type { PlannedBatch } from '../../operations/base/events.ts';
import type { Plan } from '../../operations/base/plan.ts';
import { forecastText, minuteText } from '../../reports/sentences/finish-text.ts';
import { durationText, lostTextsText, productsText, requestedText, sumsText } from '../../reports/sentences/format.ts';
import { counted, grouped } from '../../reports/text/counted-text.ts';

/**
 * Shows a person what a batch would do before anything is sent. `understood` are the lines on how its file was read.
 */
export function planLines(plan: Plan, batch: PlannedBatch, understood: readonly string[] = []): string {
  const { counts } = plan;
  const { batch_id: batchId, run_id: runId, account, service, status } = batch;
  // Before the batch was submitted, no person could have decided about its rows.
  const skipped = status === 'awaiting_approval' ? 'skipped' : 'skipped (paid before, in progress, or a total)';
  const lines = [`Batch      ${batchId} (run ${runId})`, `Account    ${account}, ${service}`];
  const asides = [
    [counts.invalid, 'wrong in the file'],
    [counts.held, 'held for a person'],
    [counts.skipped, skipped],
  ] as const;
  const failed = plan.again === 1 ? 'it failed' : 'they failed';
  const again = plan.again > 0 ? ` (${grouped(plan.again)} again, after ${failed})` : '';
  const aside = asides.flatMap(([count, what]) => (count ? [`${grouped(count)} ${what}`] : []));
  lines.push(
    `File       ${counted(plan.rows, 'row')}: ${grouped(plan.to_send)} to pay${again}${aside.length > 0 ? `, ${aside.join(', ')}` : ''}`,
  );
  lines.push(...understood);
  if (plan.to_send > 0) lines.push(`To pay     ${requestedText(plan.sums, plan.products)}`);
  if (plan.products > 0)
    lines.push(`Products   ${productsText(plan.products, plan.product_sums, plan.products_unpriced)}`);
  if (plan.texts_lost > 0) lines.push(`Messages   ${lostTextsText(plan.texts_lost)}`);
  lines.push(...unusualLines(plan.unusual));
  if (plan.balance) {
    const held = balanceTexts(plan.balance.wallets);
    lines.push(
      `Balance    ${plan.balance.total ? `${sumsText({ [plan.balance.total.currency]: plan.balance.total.value })} in all: ` : ''}${held.join('; ')}`,
    );
  } else {
    lines.push(`Balance    could not be read (${plan.balance_trouble})`);
  }
  for (const { currency, missing, others } of plan.short) {
    const alsoNeeded =
      others === null ? '' : ` (other batches of the account still need ${sumsText({ [currency]: others })})`;
    lines.push(
      `Short of   ${sumsText({ [currency]: missing })}${alsoNeeded}: the batch will pause when the money runs out`,
    );
  }
  if (plan.to_send > 0) lines.push(`Time       ${timeText(plan)}`);
  lines.push(...finishLines(plan, batch));
  // The lines contain names of files and columns, so they are escaped.
  return `${lines.map(visible).join('\n')}\n`;
}

/** The amounts that a person should check before they are paid. */
export function unusualLines(unusual: readonly PlacedUnusualAmount[]): string[] {
  return unusual.map(({ currency, amount, usual, lines }) => {
    const bound = compareAmounts(amount, usual) > 0 ? 'less' : 'more';
    const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
    return `Unusual    ${moneyText(currency, amount)} (${where}): half of the rows ask for ${moneyText(currency, usual)} or ${bound}`;
  });
}

function timeText(plan: Plan): string {
  const { estimate_ms: estimateMs, spaced } = plan;
  const time = estimateMs < 1_000 ? 'a few seconds' : `about ${durationText(estimateMs)}`;
  if (spaced === null) return `${time} at the rate the service allows${behind(plan)}`;
  return `${time}: ${counted(spaced.rows, 'row')} go to one number, ${durationText(spaced.apart_ms)} apart`;
}

/** Says that rows of other batches of the account are sent as well, which the time includes. */
function behind({ rows_before: rowsBefore }: Plan): string {
  return rowsBefore === 0
    ? ''
    : `, with ${counted(rowsBefore, 'row')} of other batches that are sent before or between`;
}

/** Says when the batch will be done and which other batches it makes late. These lines only warn. */
function finishLines(plan: Plan, { batch_id }: PlannedBatch): string[] {
  const { counts, done_unknown: unknown, makes_late: makesLate } = plan;
  const finishBy = epochOrNull(plan.finish_by);
  const doneAt = epochOrNull(plan.done_at);
  const lines: string[] = [];
  if (finishBy !== null && doneAt !== null) {
    const held = counts.held ? `, but for ${counted(counts.held, 'held row')}` : '';
    lines.push(`Done       ${forecastText(doneAt, finishBy)}, if it begins now${held}`);
  }
  if (finishBy !== null && doneAt !== null && doneAt > finishBy)
    lines.push(
      `Late       ${helpText(plan, batch_id)}; "airbatch reorder ${batch_id} --finish-by TIME" gives it another deadline`,
    );
  if (finishBy !== null && unknown !== null)
    lines.push(
      `Done       it should finish by ${minuteText(finishBy)}; when it will finish is not known: ${unknownText(unknown)}`,
    );
  for (const late of makesLate)
    lines.push(
      `Delays     batch ${late.batch_id}, which would finish in time without this one: done ${forecastText(Date.parse(late.done_at), Date.parse(late.finish_by))}`,
    );
  return lines;
}

function epochOrNull(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso);
}

/** What a person can do about a batch that will be late. */
function helpText({ in_time_if: inTimeIf }: Plan, batchId: string): string {
  if (inTimeIf === 'urgent')
    return `"airbatch reorder ${batchId} --priority urgent" sends it before the others, and it would finish in time`;
  if (inTimeIf === 'alone')
    return 'it would finish in time without the other batches: "airbatch pause" or "airbatch reorder" delays one of them';
  return 'it would be late even without other batches: its rows take longer at the rate that the service allows';
}

function unknownText(why: NonNullable<Plan['done_unknown']>): string {
  if (why === 'unreachable') return 'the service cannot be reached, or does not answer properly';
  return `a batch of the account is paused (${pauseReasonTexts[why].label})`;
}

/** What each active wallet holds. Balances of V1, which name no currency, are only counted. */
function balanceTexts(wallets: NonNullable<Plan['balance']>['wallets']): string[] {
  const active = wallets.filter((wallet) => wallet.active);
  const named = active.filter(({ currency }) => currency !== '');
  const unnamed = active.length - named.length;
  const texts = named.map(({ currency, balance }) => sumsText({ [currency]: balance }));
  if (unnamed > 0)
    texts.push(`${counted(unnamed, 'network')} with a balance of its own ("airbatch balance" shows them)`);
  return texts;
}
