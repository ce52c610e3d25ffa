import { Link } from 'wouter';
import { type Decimal, formatAmount, formatCount, formatExactTime, formatTime } from '../texts/format.ts';
import { t } from '../texts/i18n.ts';

/** An amount and its currency. */
export function Money({ value, currency }: { value: Decimal; currency: string }) {
  return (
    <span className="money">
      {formatAmount(value, currency)} <span className="currency">{currency}</span>
    </span>
  );
}

/** What the API calls the sandbox within the program. */
const embeddedSandboxService = 'embedded sandbox';

/** The name of a service; the sandbox within the program has one in the reader's language. */
export function serviceText(service: string): string {
  return service === embeddedSandboxService ? t('base.sandbox') : service;
}

interface Wallet {
  name: string;
  currency: string;
  balance: string;
}

/** The balance of a wallet. A wallet of Version 1 has no currency: its name is shown instead. */
export function WalletBalance({ wallet: { name, currency, balance } }: { wallet: Wallet }) {
  return currency === '' ? (
    <span>
      {name} {formatAmount(balance, '')}
    </span>
  ) : (
    <Money value={balance} currency={currency} />
  );
}

/** Sums by currency, one on each line, and below them the products, which are in no sum; a dash if there is nothing. */
export function Sums({ sums, products = 0 }: { sums: Readonly<Record<string, Decimal>>; products?: number }) {
  const entries = Object.entries(sums);
  if (entries.length === 0 && products === 0) return <None />;
  return (
    <>
      {entries.map(([currency, value]) => (
        <div key={currency}>
          <Money value={value} currency={currency} />
        </div>
      ))}
      {products > 0 && <div>{t('base.products', { count: products })}</div>}
    </>
  );
}

const nbsp = '\u00a0';

/** A time in the reader's zone, with its name; the exact time is in its title. A line ends after the day, if at all. */
export function Time({ at, isExact = false }: { at: string | number | null; isExact?: boolean }) {
  if (at === null) return <None />;
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={iso} className="numbers">
      {(isExact ? formatExactTime(at) : formatTime(at)).replaceAll(' ', nbsp).replace(`,${nbsp}`, ', ')}
    </time>
  );
}

export function Count({ of }: { of: number }) {
  return <span className="numbers">{formatCount(of)}</span>;
}

/** The sign for a missing value. */
export function None() {
  return (
    <span className="quiet none">
      <span aria-hidden="true">–</span>
      <span className="hidden-text">{t('base.none')}</span>
    </span>
  );
}

/** The address of the page of a batch. */
export function batchPath(id: string): string {
  return `/batches/${encodeURIComponent(id)}`;
}

/** The address of the page of a draft. */
export function draftPath(id: string): string {
  return `/new/${encodeURIComponent(id)}`;
}

/** A link to the page of a batch, by its id or by its run. `row`: the row that the page then shows. */
export function BatchLink({ id, run, row }: { id: string; run?: string; row?: number }) {
  return (
    <Link
      href={row === undefined ? batchPath(id) : `${batchPath(id)}?row=${row}`}
      className={run === undefined ? 'nowrap' : undefined}
    >
      {run ?? id}
    </Link>
  );
}
