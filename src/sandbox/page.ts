import { createHash } from 'node:crypto';
import { findNetwork } from './money/catalog.ts';
import { phaseOf, type Topup } from './money/topup.ts';
import type { StatementEntry, Wallet, Wallets } from './money/wallets.ts';
import type { Store } from './parts/store.ts';
import type { Deliveries } from './webhooks/deliveries.ts';

const css = `
:root { color-scheme: light dark; --line: #8883; --soft: light-dark(#5b6470, #a3acb8); }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0 0; color: var(--soft); }
div { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; white-space: nowrap; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .85rem; }
summary { cursor: pointer; color: var(--soft); margin: .5rem 0; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font: .85rem ui-monospace, monospace; }
.completed, .delivered { color: #17803d; } .failed, .canceled, .timeout, .underlivered { color: #c0262d; }
.pending, .processing, .waiting { color: #a15c00; }
.empty { color: var(--soft); }
`;

const styleDigest = createHash('sha256').update(css).digest('base64');

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleDigest}'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
};

/** The most lines of each table. */
const linesMax = 50;

/** What the page shows. */
export interface PageParts {
  store: Store;
  wallets: Wallets;
  deliveries: Deliveries;
  now(): number;
}

/** A page with the sandbox's wallets, its latest top-ups and its deliveries. It changes nothing. */
export function page({ store, wallets, deliveries, now }: PageParts): string {
  const at = now();
  const all = store.all<Wallet>('SELECT * FROM wallets ORDER BY version DESC, company DESC, type, id');
  const lines = all.map((wallet) => ({ wallet, statement: wallets.statement(wallet.id) }));
  const isShown = ({ wallet, statement }: WalletLine) => wallet.version === 'v2' || statement.length > 1;
  const shown = lines.filter(isShown);
  const others = lines.filter((line) => !isShown(line));
  const topups = store.all<Topup>('SELECT * FROM topups ORDER BY created_at DESC, rowid DESC LIMIT ?', linesMax);
  const total = store.one<{ total: number }>('SELECT count(*) AS total FROM topups')?.total ?? 0;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox</title><style>${css}</style></head><body>
<h1>Airtime sandbox</h1>
<p>No money moves here. ${total} top-up${total === 1 ? '' : 's'} so far; the time is ${time(at)} UTC.
See <a href="/openapi.json">the interface</a>.</p>
<h2>Wallets</h2>${walletTable(shown)}
<details><summary>${others.length} balances of Version 1 that nothing has moved</summary>${walletTable(others)}</details>
<h2>Latest top-ups</h2>${table(
    ['Created', 'Number', 'Network', 'Amount', 'Cost', 'Status', 'Reference', 'Id'],
    topups.map((topup) => topupLine(topup, at)),
  )}
<h2>Latest deliveries</h2>${table(
    ['Created', 'Event', 'To', 'Status', 'Attempts', 'Next', 'Last error'],
    deliveries
      .log()
      .slice(0, linesMax)
      .map((line) => [
        time(line.created_at),
        code(line.event),
        text(line.url),
        state(line.status),
        number(String(line.attempts)),
        line.next_at === null ? '' : time(line.next_at),
        text(line.last_error ?? ''),
      ]),
  )}
</body></html>`;
}

interface WalletLine {
  wallet: Wallet;
  statement: readonly StatementEntry[];
}

function walletTable(lines: readonly WalletLine[]): string {
  const head = ['Wallet', 'Company', 'Version', 'Pays for', 'Balance', '', 'Statement'];
  return table(head, lines.map(walletLine));
}

function walletLine({ wallet, statement }: WalletLine): string[] {
  const moved = statement.filter(({ why }) => why !== 'funding').length;
  const payee = findNetwork(wallet.network_id ?? -1)?.name ?? wallet.country ?? 'all countries';
  return [
    code(wallet.id),
    text(wallet.company),
    wallet.version,
    text(payee),
    number(wallet.balance),
    text(wallet.currency),
    `<a href="/_sandbox/statement/${encodeURIComponent(wallet.id)}">${moved} movement${moved === 1 ? '' : 's'}</a>`,
  ];
}

function topupLine(topup: Topup, at: number): string[] {
  return [
    time(topup.created_at),
    text(topup.phone_number),
    text(findNetwork(topup.network_id)?.name ?? ''),
    number(`${topup.amount} ${topup.currency}`),
    number(`${topup.cost} ${topup.cost_currency}`),
    state(phaseOf(topup, at)),
    text(topup.reference ?? ''),
    code(topup.id),
  ];
}

function table(head: readonly string[], lines: readonly string[][]): string {
  if (lines.length === 0) return '<p class="empty">None yet.</p>';
  const body = lines.map(
    (cells) => `<tr>${cells.map((cell) => (cell.startsWith('<td') ? cell : `<td>${cell}</td>`)).join('')}</tr>`,
  );
  return `<div><table><thead><tr>${head.map((name) => `<th>${name}</th>`).join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const text = (value: string): string => value.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
const code = (value: string): string => `<code>${text(value)}</code>`;
const number = (value: string): string => `<td class="number">${text(value)}</td>`;
const state = (value: string): string => `<span class="${text(value)}">${text(value)}</span>`;
const time = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
