import { moneyText } from '../../core/money/money.ts';
import type { RowState } from '../../core/state/row-state.ts';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { firstOverdue } from '../../ledger/rows/in-flight-rows.ts';
import { pageRowsInState } from '../../ledger/rows/rows.ts';
import { localTimeText } from '../sentences/format.ts';
import { troublesOf } from '../summary/advice.ts';
import { namesIn, personOf, problemsOf } from '../summary/stored.ts';
import type { BatchSummary } from '../summary/summary-shape.ts';
import { listedRowsMax } from '../summary/survey.ts';
import { counted } from '../text/counted-text.ts';
import { maskNumbers, maskPhone } from '../text/mask.ts';
import { type Html, html } from './html.ts';

const listedStates: readonly RowState[] = ['in_doubt', 'held', 'failed', 'invalid'];

/** How rows are shown: whether numbers and names are masked, and whether the file has names. */
interface Shown {
  batch: BatchRecord;
  mask: boolean;
  hasNames: boolean;
}

/** The rows that somebody should look at, the most urgent first. */
export async function listSection(
  view: Queryable,
  batch: BatchRecord,
  summary: BatchSummary,
  mask: boolean,
): Promise<Html> {
  const shown: Shown = { batch, mask, hasNames: namesIn(batch).length > 0 };
  const overdue = await firstOverdue(view, batch.batch_id, listedRowsMax);
  const lines = overdue.map((row) => listLine(row, shown));
  let unlisted = summary.overdue.rows - overdue.length;
  for (const state of listedStates) {
    const rows = await pageRowsInState(view, batch.batch_id, state, 0, listedRowsMax);
    lines.push(...rows.map((row) => listLine(row, shown)));
    unlisted += summary.rows.by_status[state] - rows.length;
  }
  if (lines.length === 0) return html``;
  return html`<section class="long"><h2>Rows to look at</h2><table class="stack"><thead><tr><th class="n">Row</th><th class="n">Line</th><th>State</th>${shown.hasNames ? html`<th>Name</th>` : null}<th>Number</th><th class="n">Amount</th><th>What is wrong</th><th>What to do</th></tr></thead><tbody>${lines}</tbody></table>${
    unlisted > 0
      ? html`<p class="soft small">and ${counted(unlisted, 'more row')}: failed.csv and results.csv have them all.</p>`
      : null
  }</section>`;
}

/** Refunded rows, listed so that somebody can ask the service about each. */
export function refundsSection(
  { refunded }: BatchSummary,
  rows: readonly ReportedRow[],
  batch: BatchRecord,
  mask: boolean,
): Html {
  const shown: Shown = { batch, mask, hasNames: namesIn(batch).length > 0 };
  if (rows.length === 0) return html``;
  const more = refunded.rows - rows.length;
  return html`<section class="long"><h2>Paid rows that were refunded later</h2><table class="stack"><thead><tr><th class="n">Row</th><th class="n">Line</th>${shown.hasNames ? html`<th>Name</th>` : null}<th>Number</th><th class="n">Amount</th><th class="n">Came back</th><th>When</th></tr></thead><tbody>${rows.map((row) => refundLine(row, shown))}</tbody></table>${
    more > 0 ? html`<p class="soft small">and ${counted(more, 'more row')}.</p>` : null
  }</section>`;
}

function refundLine(row: ReportedRow, shown: Shown): Html {
  const { refund_amount: amount, refund_currency: currency, refunded_at: at } = row;
  const back = amount === null ? 'the service did not say how much' : moneyText(currency ?? '', amount);
  return html`<tr>${placeOf(row)}${nameOf(row, shown)}<td class="w">${numberOf(row, shown)}</td><td class="n" data-name="Amount">${requestedOf(row, shown)}</td><td class="n" data-name="Came back">${back}</td><td>${at === null ? '' : localTimeText(isoTime(at), shown.batch.time_zone)}</td></tr>`;
}

/** Commands name a row by its number; a person who corrects the file needs its line. */
function placeOf({ row_no: row, line }: ReportedRow): Html {
  return html`<td class="n" data-name="Row">${row}</td><td class="n" data-name="Line">${line}</td>`;
}

/** The person's name, if the file has names. */
function nameOf(row: ReportedRow, { batch, mask, hasNames }: Shown): Html | null {
  return hasNames ? html`<td class="name">${personOf(batch, row, { mask })}</td>` : null;
}

/** The number; if it could not be read, the cell of the file. */
function numberOf(row: ReportedRow, { mask }: Shown): string {
  const { phone_number: number } = row;
  if (number !== null) return mask ? maskPhone(number) : number;
  const typed = typedIn(row, 'PHONE_');
  return mask ? maskNumbers(typed) : typed;
}

/** The cell of the file that could not be read: `prefix` is that of its problem codes. */
function typedIn(row: ReportedRow, prefix: string): string {
  return problemsOf(row).find(({ code }) => code.startsWith(prefix))?.value ?? '';
}

function requestedOf(row: ReportedRow, { mask }: Shown): string {
  const { amount, product_id, currency } = row;
  if (amount !== null) return moneyText(currency ?? '', amount);
  const typed = product_id ?? typedIn(row, 'AMOUNT_');
  return mask ? maskNumbers(typed) : typed;
}

function listLine(row: ReportedRow, how: Shown): Html {
  const shown = (text: string) => (how.mask ? maskNumbers(text) : text);
  const troubles = troublesOf(row);
  return html`<tr>${placeOf(row)}<td><span class="tag ${row.status}">${rowStateTexts[row.status].label}</span></td>${nameOf(row, how)}<td class="w">${numberOf(row, how)}</td><td class="n">${requestedOf(row, how)}</td><td>${troubles.map(({ message }) => html`<div>${shown(message)}</div>`)}</td><td>${[...new Set(troubles.map(({ suggestion }) => suggestion))].map((suggestion) => html`<div>${suggestion}</div>`)}</td></tr>`;
}
