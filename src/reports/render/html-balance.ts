import { moneyText } from '../../core/money/money.ts';
import { localTimeText } from '../sentences/format.ts';
import type { BatchSummary } from '../summary/summary-shape.ts';
import { counted } from '../text/counted-text.ts';
import { type Html, html } from './html.ts';

/** Up to this many wallets are all shown, also unchanged ones. */
const walletsMax = 8;

export function balanceSection({ balance, charged }: BatchSummary, zone: string | null): Html {
  const { wallets, explanation } = balance;
  const explained = explanation.filter((one) =>
    [one.difference, one.charged_by_this_batch, one.charged_late, one.charged_by_other_batches, one.came_back].some(
      (value) => value !== '0',
    ),
  );
  // Wallets of Version 1 name no currency.
  const hasNameless = explained.some(({ currency }) => currency === '');
  const money = (currency: string, value: string | null) => (value === null ? 'not read' : moneyText(currency, value));
  const isReadTwice = balance.after_read_at !== null;
  // Version 1 has a wallet for each operator, and a file pays few of them.
  const isQuiet = ({ difference }: (typeof wallets)[number]) =>
    wallets.length > walletsMax && (difference === '0' || !isReadTwice);
  const shown = wallets.filter((wallet) => !isQuiet(wallet));
  const quiet = wallets.length - shown.length;
  const read = [balance.before_read_at, balance.after_read_at].flatMap((iso) => (iso ? localTimeText(iso, zone) : []));
  return html`<section><h2>The wallets, and what explains the difference</h2>
${
  shown.length === 0
    ? null
    : html`<table class="stack"><thead><tr><th>Wallet</th><th class="n">Before</th><th class="n">After</th><th class="n">Left the wallet</th></tr></thead><tbody>
${shown.map(
  ({ name, currency, before, after, difference }) =>
    html`<tr><td>${name}</td><td class="n" data-name="Before">${money(currency, before)}</td><td class="n" data-name="After">${money(currency, after)}</td><td class="n" data-name="Left the wallet">${money(currency, difference)}</td></tr>`,
)}</tbody></table>`
}
<p class="soft small">${quietText(quiet, shown.length > 0, isReadTwice)}${read.length === 0 ? 'Not read.' : `Read ${read.join(' and ')}.`}${
    charged.rows_without_cost > 0
      ? ` For ${counted(charged.rows_without_cost, 'completed row')} the service gave no cost.`
      : ''
  }</p>
${explained.map(
  (
    one,
  ) => html`<div class="equation"><div><b>${moneyText(one.currency, one.difference)}</b><span class="soft small">left the wallets</span></div><i>=</i>
<div><b>${moneyText(one.currency, one.charged_by_this_batch)}</b><span class="soft small">charged for these rows</span></div>${
    one.charged_late === '0'
      ? null
      : html`<i>+</i>
<div><b>${moneyText(one.currency, one.charged_late)}</b><span class="soft small">charged late for these rows</span></div>`
  }<i>+</i>
<div><b>${moneyText(one.currency, one.charged_by_other_batches)}</b><span class="soft small">for other batches in this time</span></div>${
    one.came_back === '0'
      ? null
      : html`<i>−</i>
<div><b>${moneyText(one.currency, one.came_back)}</b><span class="soft small">of these rows' charges came back</span></div>`
  }<i>${one.unexplained.startsWith('-') ? '−' : '+'}</i>
<div class="${one.unexplained === '0' ? '' : 'odd'}"><b>${moneyText(one.currency, one.unexplained.replace(/^-/, ''))}</b><span class="small">unexplained</span></div></div>`,
)}
${
  hasNameless
    ? html`<p class="soft small">The service does not name the currency of these wallets, so they are added up together. A loss in one wallet and the same gain in another would not be visible.</p>`
    : null
}
${
  balance.explained === false
    ? html`<p class="small">No row of this ledger explains this money. It can come from another program that uses the account, a second payment of a row, a payment that failed at first and was charged later, a deposit (negative), a fee, or a refund that the service did not report in time. ${
        hasNameless
          ? 'Reconciliation asks the service about each payment of this ledger. Version 1 has no list that shows payments of other programs.'
          : "Reconciliation against the service's own list names it."
      }</p>`
    : null
}</section>`;
}

/** The text about the wallets that are not shown. */
function quietText(wallets: number, isRestShown: boolean, isReadTwice: boolean): string {
  if (wallets === 0) return '';
  const said = isReadTwice
    ? `The ${isRestShown ? 'other ' : ''}${counted(wallets, 'wallet')} paid nothing`
    : `The ${counted(wallets, 'wallet')} were read before the first row, but not after the last one`;
  return `${said}: summary.json has them. `;
}
