import { moneyText } from '../../core/money/money.ts';
import { type ProblemCode, problemTable, problemTitle, readableCode } from '../../core/state/problem-table.ts';
import type { RowState } from '../../core/state/row-state.ts';
import { batchLabel, rowStateTexts } from '../../core/state/state-texts.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { waitingApprovalsText } from '../sentences/approvals-text.ts';
import { durationText, failureText, localTimeText, sumsText } from '../sentences/format.ts';
import { verdictOf } from '../sentences/verdict.ts';
import { versionText } from '../sentences/version-text.ts';
import type { BatchSummary, Failures } from '../summary/summary-shape.ts';
import { failureName, noFailureCode, type Survey } from '../summary/survey.ts';
import type { Timeline } from '../summary/timeline.ts';
import { counted, grouped } from '../text/counted-text.ts';
import type { DifferenceLine } from '../versions/difference.ts';
import type { ReportVersion } from '../versions/version-shape.ts';
import { type Html, html, htmlPage } from './html.ts';
import { balanceSection } from './html-balance.ts';
import { shareBar, shownStates, stateBar, stateKey, timeChart } from './html-charts.ts';
import { differenceSection, differingRowsSection } from './html-difference.ts';
import { listSection, refundsSection } from './html-rows.ts';
import { pageStyle } from './html-style.ts';

const failuresMax = 12;

/** report.html: one self-contained file (`htmlPage`), everything in it escaped (`html`). */
export async function htmlReport(
  view: Queryable,
  batch: BatchRecord,
  report: {
    summary: BatchSummary;
    survey: Pick<Survey, 'timeline' | 'refundedFirst'>;
    mask: boolean;
    version: ReportVersion;
    differing: readonly DifferenceLine[];
  },
): Promise<string> {
  const { summary, survey, mask, version, differing } = report;
  const { timeline } = survey;
  const body = html`
<header><div><h1>${summary.file_name}</h1>
<p>run ${summary.run_id} · account ${summary.account} · batch ${summary.batch_id} · ${batchLabel(batch)} · ${versionText(version, batch.time_zone)}</p></div></header>
<main>
${verdictSection(summary, batch)}
${summary.sandbox ? html`<section class="sandbox">This ran against the sandbox: no real money moved and nobody was paid.</section>` : null}
${await listSection(view, batch, summary, mask)}
${differenceSection(version)}
${tiles(summary)}
${rowsSection(summary)}
${currenciesSection(summary)}
${failuresSection(summary)}
${timeline && saysSomething(timeline) ? timeSection(timeline, batch.time_zone) : null}
${balanceSection(summary, batch.time_zone)}
<div class="two">${peopleSection(summary, batch.time_zone)}${proofSection(summary, version, batch.time_zone)}</div>
${refundsSection(summary, survey.refundedFirst, batch, mask)}
${differingRowsSection(version, differing)}
<footer>Times are UTC. Made by airbatch from its ledger; the same ledger gives the same page.${mask ? ' Phone numbers are masked.' : null}</footer>
</main>`;
  return htmlPage(summary.file_name, pageStyle, body);
}

function verdictSection(summary: BatchSummary, batch: BatchRecord): Html {
  const { tone, headline, details } = verdictOf(summary, batch);
  return html`<section class="verdict ${tone}"><p>${unbroken(headline)}</p>${
    details.length > 0 ? html`<ul>${details.map((detail) => html`<li>${unbroken(detail)}</li>`)}</ul>` : null
  }</section>`;
}

/** Keeps an amount on one line with its currency. */
function unbroken(text: string): Html[] {
  const [first = '', ...amounts] = text.split(/\b(?=[A-Z]{3} \d)/);
  const rest = amounts.map((part) => {
    const [, amount = '', after = ''] = /^([A-Z]{3} [\d.,]*\d)(.*)$/s.exec(part) ?? [];
    return html`<span class="w">${amount}</span>${after}`;
  });
  return [html`${first}`, ...rest];
}

function tiles({ status, rows, requested, charged, refunded, times }: BatchSummary): Html {
  const currencies = Object.keys(requested.completed).length;
  const products = rows.with_product_completed;
  const all: [string[], string][] = [
    [[`${grouped(rows.by_status.completed)} of ${grouped(rows.total)}`], 'rows paid'],
    currencies < 3
      ? [[...amountsOf(requested.completed), ...(products === 0 ? [] : [counted(products, 'product')])], 'paid out']
      : [[String(currencies)], 'currencies paid out'],
    [amountsOf(charged.total), 'charged to the wallets'],
    ...(refunded.rows === 0 ? [] : [[amountsOf(refunded.amounts), 'refunded since'] satisfies [string[], string]]),
    ...(isGivenUp(status) ? [] : [[[durationOf(times)], 'sending and following'] satisfies [string[], string]]),
  ];
  return html`<div class="tiles">${all.map(
    ([values, name]) =>
      html`<div class="tile${values.length > 1 ? ' many' : ''}">${(values.length === 0 ? ['none'] : values).map((value) => html`<b>${value}</b>`)}<span>${name}</span></div>`,
  )}</div>`;
}

function durationOf({ active_ms: ms }: BatchSummary['times']): string {
  return ms === null ? 'not finished' : durationText(ms);
}

/** Whether a batch has ended early, so that what has not happened to it never will. */
function isGivenUp(status: BatchSummary['status']): boolean {
  return status === 'rejected' || status === 'cancelled';
}

/** One amount a line: in a narrow column, a comma-separated list would break in the wrong places. */
function amountsOf(byCurrency: Record<string, string>): string[] {
  return Object.entries(byCurrency).map(([currency, value]) => moneyText(currency, value));
}

function rowsSection({ rows, requested, charged }: BatchSummary): Html {
  const shown = shownStates.filter((state) => rows.by_status[state] > 0);
  const all = Object.keys(requested.valid).length;
  const sums = (byCurrency: Record<string, string> | undefined) =>
    Object.entries(byCurrency ?? {}).map(([currency, value]) => html`<div>${moneyText(currency, value)}</div>`);
  const asked = (byCurrency: Record<string, string> | undefined) =>
    all < currenciesMin ? sums(byCurrency) : currenciesText(byCurrency);
  return html`<section><h2>Summary by status</h2>${stateBar(rows.by_status)}
<table class="stack"><thead><tr><th>State</th><th class="n">Rows</th><th class="n">Requested</th><th class="n">Charged</th><th>What it means</th></tr></thead><tbody>
${shown.map(
  (state) =>
    html`<tr><td class="w">${stateKey(state)}${rowStateTexts[state].label}</td><td class="n" data-name="Rows">${grouped(rows.by_status[state])}</td><td class="n" data-name="Requested">${asked(requested.by_status[state])}</td><td class="n" data-name="Charged">${sums(charged.by_status[state])}</td><td class="soft">${rowStateTexts[state].meaning}</td></tr>`,
)}
<tr class="sum"><td class="w">in the file</td><td class="n" data-name="Rows">${grouped(rows.total)}</td><td class="n" data-name="Requested">${asked(requested.valid)}<span class="soft small"> (valid rows)</span></td><td class="n" data-name="Charged">${sums(charged.total)}</td><td class="soft">${[
    rows.with_product > 0
      ? `${counted(rows.with_product, 'row')} for a product, at the service's price, ${rows.with_product === 1 ? 'asks' : 'ask'} for no amount.`
      : '',
    Object.keys(charged.earlier).length > 0
      ? `${sumsText(charged.earlier)} of it for earlier payments of rows that were sent again${
          Object.keys(charged.earlier_came_back).length > 0
            ? `, of which ${sumsText(charged.earlier_came_back)} came back`
            : ''
        }.`
      : '',
  ].join(' ')}</td></tr></tbody></table></section>`;
}

/** From this many currencies on, they get a table of their own instead of lines in a cell. */
const currenciesMin = 3;

function currenciesText(byCurrency: Record<string, string> = {}): string {
  const count = Object.keys(byCurrency).length;
  return count === 0 ? '' : count === 1 ? '1 currency' : `${count} currencies`;
}

/** What was requested in each currency, by the state of the rows. */
function currenciesSection({ requested }: BatchSummary): Html {
  const currencies = Object.keys(requested.valid);
  if (currencies.length < currenciesMin) return html``;
  const states = shownStates.filter((state) => Object.keys(requested.by_status[state] ?? {}).length > 0);
  const amount = (currency: string, value: string | undefined) =>
    value === undefined ? '' : moneyText(currency, value);
  return html`<section><h2>By currency</h2><table class="stack"><thead><tr><th>Currency</th>${states.map((state) => html`<th class="n">${rowStateTexts[state].label}</th>`)}<th class="n">valid rows in all</th></tr></thead><tbody>${currencies.map(
    (currency) =>
      html`<tr><td class="w">${currency}</td>${states.map((state) => html`<td class="n" data-name="${rowStateTexts[state].label}">${amount(currency, requested.by_status[state]?.[currency])}</td>`)}<td class="n" data-name="valid rows in all">${amount(currency, requested.valid[currency])}</td></tr>`,
  )}</tbody></table></section>`;
}

/** A run shorter than this gets no chart: it would show nothing that matters. */
const chartedMs = 60_000;

function saysSomething({ firstMs, lastMs, buckets }: Timeline): boolean {
  const filled = buckets.filter(({ completed, failed }) => completed + failed > 0);
  return lastMs - firstMs >= chartedMs && filled.length > 2;
}

function timeSection(timeline: Timeline, zone: string | null): Html {
  return html`<section><h2>When rows ended</h2>${timeChart(timeline, zone)}</section>`;
}

function failuresSection({ failures, problems }: BatchSummary): Html {
  const failed = Object.entries(failures).map(([code, some]) => ({
    code,
    ...failureNameOf(code, some),
    rows: some.rows,
    state: 'failed' as const,
  }));
  const invalid = Object.entries(problems).map(([code, rows]) => ({
    code,
    rows,
    reason: null,
    ...problemOf(code),
  }));
  const all = [...failed, ...invalid].sort((a, b) => b.rows - a.rows || (a.code < b.code ? -1 : 1));
  const largest = all[0]?.rows ?? 0;
  if (largest === 0)
    return html`<section><h2>Why rows were not paid</h2><p class="soft">No row failed, and no row has a mistake.</p></section>`;
  const more = all.length - failuresMax;
  return html`<section><h2>Why rows were not paid</h2><table><tbody>
${all
  .slice(0, failuresMax)
  .map(
    ({ name, rows, reason, state }) =>
      html`<tr><td>${name}${reason ? html`<br><span class="soft small">${reason}</span>` : null}${shareBar(rows, largest, state)}</td><td class="n">${grouped(rows)}</td></tr>`,
  )}</tbody></table>${more > 0 ? html`<p class="soft small">and ${counted(more, 'more reason')} in summary.json</p>` : null}</section>`;
}

function problemOf(code: string): { name: string; state: RowState } {
  const known = Object.hasOwn(problemTable, code) ? problemTable[code as ProblemCode] : null;
  return { name: problemTitle(code), state: known?.verdict ?? 'invalid' };
}

/** A failure without a code is named by its reason. */
function failureNameOf(code: string, failed: Failures): { name: string; reason: string | null } {
  const reason = failed.reason && failureText(failed);
  return code === noFailureCode && reason !== null
    ? { name: reason, reason: null }
    : { name: readableCode(failureName(code)), reason };
}

function peopleSection(summary: BatchSummary, zone: string | null): Html {
  const { status, created_by, times, service, program } = summary;
  const [nobody, never] = isGivenUp(status) ? ['nobody', 'never'] : ['nobody yet', 'not yet'];
  const when = (iso: string | null) => (iso === null ? '' : localTimeText(iso, zone));
  return html`<section><h2>Who and when</h2><dl>
<dt>Submitted by</dt><dd>${created_by}<br><span class="soft small">${when(times.created_at)}</span></dd>
<dt>Approved by</dt><dd>${approverLines(summary, nobody).map(
    ({ name, at }) => html`${name}<br><span class="soft small">${when(at)}</span><br>`,
  )}${waitingApprovalsText(summary)}</dd>
<dt>Started</dt><dd>${when(times.started_at) || never}</dd>
<dt>Finished</dt><dd>${when(times.completed_at) || never}</dd>
${times.finish_by === null ? null : html`<dt>Deadline</dt><dd>${when(times.finish_by)}</dd>`}
<dt>Service</dt><dd>${service}</dd>
<dt>Program</dt><dd>${program}</dd></dl></section>`;
}

function proofSection(
  { input_sha256, content_sha256, audit }: BatchSummary,
  { previous }: ReportVersion,
  zone: string | null,
): Html {
  return html`<section><h2>Proof</h2><dl>
<dt>The file</dt><dd class="digest">${input_sha256 ?? 'not read'}</dd>
<dt>Its rows</dt><dd class="digest">${content_sha256 ?? 'not read'}</dd>
<dt>Audit chain</dt><dd>${counted(audit.events, 'event')}, ending in<br><span class="digest">${audit.head}</span></dd>${
    previous &&
    html`<dt>Version ${previous.version}</dt><dd>as of ${localTimeText(previous.as_of, zone)}${
      previous.manifest_sha256 === null
        ? ', in another folder'
        : html`, with the manifest<br><span class="digest">${previous.manifest_sha256}</span>`
    }</dd>`
  }</dl>
<p class="soft small">Digests are SHA-256. manifest.json carries the digests of these reports; "airbatch verify" checks them without the ledger.</p></section>`;
}

/** Each person who has approved the batch, and when. */
function approverLines({ approvals, approved_by, created_by, times }: BatchSummary, nobody: string) {
  if (approvals.given.length > 0)
    return approvals.given.map(({ person, at }) => ({ name: sameText(person, created_by), at }));
  return [{ name: approved_by === null ? nobody : sameText(approved_by, created_by), at: times.approved_at }];
}

function sameText(person: string, createdBy: string): string {
  return person === createdBy ? `${person} (the same person)` : person;
}
