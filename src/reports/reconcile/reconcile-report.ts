import { pagesOf } from '../../core/basics/pages.ts';
import { moneyText } from '../../core/money/money.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { type OpenItemRecord, pageOpenItems } from '../../ledger/reporting/reconciliations.ts';
import { type Html, html, htmlPage } from '../render/html.ts';
import { pageStyle } from '../render/html-style.ts';
import { type Cell, workbook } from '../render/workbook.ts';
import { sumsText, timeText } from '../sentences/format.ts';
import { counted, grouped } from '../text/counted-text.ts';
import { maskReference } from './masked-reference.ts';
import { bucketMeanings, buckets, paymentsIn } from './reconcile-buckets.ts';
import {
  isSettled,
  itemColumns,
  type ReconcileItem,
  type Reconciliation,
  whyWithoutWallets,
} from './reconciliation.ts';

/** The most open items that are read at once, and listed on the page. The workbook has all of them. */
const itemsPerPage = 500;
const itemsOnPageMax = 200;

/** Whether references are masked. */
interface Masking {
  mask: boolean;
}

async function* openItems(db: Queryable, id: string, { mask }: Masking): AsyncGenerator<ReconcileItem[]> {
  const read = (last: OpenItemRecord | undefined, limit: number) => pageOpenItems(db, id, last?.item_no ?? 0, limit);
  for await (const page of pagesOf(itemsPerPage, read))
    yield page.map((one) => {
      const item = JSON.parse(one.item) as ReconcileItem;
      return mask && item.reference !== null ? { ...item, reference: maskReference(item.reference) } : item;
    });
}

const bucketName = (bucket: string) => bucket.replaceAll('_', ' ');

/** reconciliation.xlsx: the counts, and every open item with what to do about it. */
export function reconciliationXlsx(db: Queryable, run: Reconciliation, masking: Masking): AsyncIterable<Uint8Array> {
  return workbook([
    { name: 'Summary', widths: [28, 22, 22, 22, 70], header: null, rows: [summaryRows(run)] },
    {
      name: 'Open items',
      widths: [24, 24, 8, 12, 32, 38, 14, 14, 18, 18, 14, 14, 24, 70],
      header: [...itemColumns],
      rows: openRows(db, run, masking),
    },
  ]);
}

function cellOf(column: string, value: string | number | null): Cell {
  if (typeof value === 'number') return { as: 'integer', value };
  return column === 'bucket' && value !== null ? { as: 'bad', value } : value;
}

async function* openRows(db: Queryable, run: Reconciliation, masking: Masking): AsyncGenerator<Cell[][]> {
  for await (const items of openItems(db, run.reconciliation_id, masking)) {
    yield items.map((item) => itemColumns.map((column) => cellOf(column, item[column])));
  }
}

function summaryRows(run: Reconciliation): Cell[][] {
  const heading = (...values: string[]): Cell[] => values.map((value) => ({ as: 'heading', value }));
  return [
    [{ as: 'title', value: `Reconciliation of account ${run.account}` }],
    ['From', run.from],
    ['To', run.to],
    ['Batch', run.batch_id ?? 'all'],
    [],
    heading('Bucket', 'Items', '', '', 'Meaning'),
    ...buckets.map((bucket): Cell[] => [
      bucketName(bucket),
      { as: 'integer', value: run.counts[bucket] },
      null,
      null,
      bucketMeanings[bucket],
    ]),
    [],
    heading('Currency', 'Left the wallets', 'Charged by the service', 'Unexplained', ''),
    ...(run.wallets?.currencies ?? []).map(({ currency, left, charged, unexplained }): Cell[] => [
      currency,
      { as: 'decimal', value: left },
      { as: 'decimal', value: charged },
      { as: 'decimal', value: unexplained },
    ]),
  ];
}

/** reconciliation.html: self-contained and without scripts, like the batch's page. */
export async function reconciliationHtml(db: Queryable, run: Reconciliation, masking: Masking): Promise<string> {
  const lines: Html[] = [];
  for await (const items of openItems(db, run.reconciliation_id, masking)) {
    lines.push(...items.slice(0, itemsOnPageMax - lines.length).map(itemLine));
    if (lines.length >= itemsOnPageMax) break;
  }
  return htmlPage(
    `Reconciliation of ${run.account}`,
    pageStyle,
    html`
<header><div><h1>Reconciliation of account ${run.account}</h1><p>${timeText(run.from)} to ${timeText(run.to)} · ${run.batch_id === null ? 'all batches' : `batch ${run.batch_id}`} · ${run.reconciliation_id}</p></div></header>
<main><section class="verdict ${isSettled(run) ? 'good' : 'attention'}"><p>${headlineOf(run)}</p></section>
<section><h2>Ledger against the service's own list</h2><table class="stack"><thead><tr><th>Bucket</th><th class="n">Items</th><th>What it means</th></tr></thead><tbody>${buckets
      .filter((bucket) => run.counts[bucket] > 0)
      .map(
        (bucket) =>
          html`<tr><td class="w">${bucketName(bucket)}</td><td class="n" data-name="Items">${grouped(run.counts[bucket])}</td><td class="soft">${bucketMeanings[bucket]}</td></tr>`,
      )}</tbody></table><p class="soft small">Charged by the service: ${sumsText(run.charged_by_service)}.</p></section>
${walletSection(run)}
${
  lines.length > 0
    ? html`<section class="long"><h2>What is open, and what to do</h2><table class="stack"><thead><tr><th>Bucket</th><th>Payment</th><th>Here</th><th>At the service</th><th>What to do</th></tr></thead><tbody>${lines}</tbody></table>${run.open > lines.length ? html`<p class="soft small">and ${counted(run.open - lines.length, 'more item')} in reconciliation.xlsx</p>` : null}</section>`
    : null
}
<footer>${masking.mask ? 'What may be a phone number in a reference is masked. ' : null}Times are UTC. Finished ${timeText(run.finished_at)}.</footer></main>`,
  );
}

function headlineOf(run: Reconciliation): string {
  const total = paymentsIn(run.counts);
  if (run.open > 0)
    return `${counted(run.open, 'payment')} of ${grouped(total)} ${run.open === 1 ? 'needs a person to look at it' : 'need a person to look at them'}.`;
  const agree = `All ${counted(total, 'payment')} agree`;
  return isSettled(run) ? `${agree}: nothing is open.` : `${agree}, but the wallets do not add up.`;
}

function walletSection(run: Reconciliation): Html {
  const { wallets } = run;
  if (!wallets)
    return html`<section><h2>The wallets</h2><p class="soft">Not compared: ${whyWithoutWallets(run)}.</p></section>`;
  const moved = wallets.currencies.filter((one) =>
    [one.left, one.charged, one.unexplained].some((value) => value !== '0'),
  );
  const quiet = moved.length < wallets.currencies.length ? ' What is not named here has not changed.' : '';
  return html`<section><h2>The wallets</h2><p class="soft small">Read ${timeText(wallets.first_read_at)} and ${timeText(wallets.last_read_at)}.${quiet}</p>${moved.map(
    ({ currency, left, charged, unexplained }) =>
      html`<div class="equation"><div><b>${moneyText(currency, left)}</b><span class="soft small">left the wallets</span></div><i>=</i><div><b>${moneyText(currency, charged)}</b><span class="soft small">charged by the service</span></div><i>${unexplained.startsWith('-') ? '−' : '+'}</i><div class="${unexplained === '0' ? '' : 'odd'}"><b>${moneyText(currency, unexplained.replace(/^-/, ''))}</b><span class="small">unexplained</span></div></div>`,
  )}${wallets.next === null ? null : html`<p>${wallets.next}</p>`}</section>`;
}

function itemLine(item: ReconcileItem): Html {
  const joined = (...parts: (string | null)[]) =>
    parts.filter((part) => part !== null).map((part) => html`<div>${part}</div>`);
  const side = (state: string | null, amount: string | null, cost: string | null) =>
    joined(state?.replaceAll('_', ' ') ?? null, amountText(amount), amountText(cost));
  return html`<tr><td><span class="tag failed">${bucketName(item.bucket)}</span></td><td>${joined(item.reference, item.topup_id, item.batch_id && `batch ${item.batch_id}, row ${item.row}`)}</td><td class="w" data-name="Here">${side(item.status_here, item.amount_here, item.cost_here)}</td><td class="w" data-name="At the service">${side(item.status_there, item.amount_there, item.cost_there)}</td><td>${item.next}</td></tr>`;
}

/** An amount of an item, written as on every page; a product stays as it is. */
function amountText(amount: string | null): string | null {
  const [, value, currency] = /^([\d.]+) ([A-Z]{3})$/.exec(amount ?? '') ?? [];
  return value === undefined || currency === undefined ? amount : moneyText(currency, value);
}
