import Big from 'big.js';
import currencyCodes from 'currency-codes';

/** An exact amount: `value` is a plain decimal text ("1250.50"), never a binary float; `currency` an ISO 4217 code. */
export interface Money {
  value: string;
  currency: string;
}

/** Whether the text is a plain decimal, without exponent or separators. */
export function isDecimal(text: string): boolean {
  return /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text);
}

/** Whether two decimal texts are the same amount. */
export function sameAmount(a: string, b: string): boolean {
  return a === b || new Big(a).eq(b);
}

/** -1, 0 or 1 as `a` is less than, equal to or greater than `b`. */
export function compareAmounts(a: string, b: string): -1 | 0 | 1 {
  return new Big(a).cmp(b);
}

export function addAmounts(a: string, b: string): string {
  return new Big(a).plus(b).toFixed();
}

export function subtractAmounts(a: string, b: string): string {
  return new Big(a).minus(b).toFixed();
}

/** `amount` multiplied by `count`. */
export function multiplyAmount(amount: string, count: number): string {
  return new Big(amount).times(count).toFixed();
}

/** The number of decimals of a currency (ISO 4217 minor unit), or null if there is no such currency. */
export function currencyDecimals(code: string): number | null {
  return currencyCodes.code(code)?.digits ?? null;
}

/**
 * An amount for people, with the currency's number of decimals and separated thousands: "KES 1,250.50" for "1250.5" of
 * KES.
 */
export function moneyText(currency: string, value: string): string {
  const decimals = currencyDecimals(currency) ?? 0;
  const written = new Big(value);
  // Extra decimals are shown, not rounded away: a report never hides money.
  const own = /\.([0-9]+)$/.exec(written.toFixed())?.[1]?.length ?? 0;
  const [whole = '', fraction] = written.toFixed(Math.max(decimals, own)).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${currency} ${fraction ? `${grouped}.${fraction}` : grouped}`.trim();
}

/** Exact sums by currency. */
export class Sums {
  readonly #sums = new Map<string, Big>();

  add(currency: string, value: string): void {
    this.#sums.set(currency, (this.#sums.get(currency) ?? new Big(0)).plus(value));
  }

  addAll(amounts: Readonly<Record<string, string>>): void {
    for (const [currency, value] of Object.entries(amounts)) this.add(currency, value);
  }

  /** The sums in alphabetical order of their currencies, as canonical decimals. */
  toObject(): Record<string, string> {
    return Object.fromEntries(
      [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([c, sum]) => [c, sum.toFixed()]),
    );
  }
}

/** The sums of sums by currency. */
export function sumOf(parts: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const total = new Sums();
  for (const part of parts) total.addAll(part);
  return total.toObject();
}

/** The sums of amounts. */
export function sumsOf(amounts: readonly { currency: string; amount: string }[]): Record<string, string> {
  return sumOf(amounts.map(({ currency, amount }) => ({ [currency]: amount })));
}
