import type { Decimal } from './format.ts';

/** The exact sum of decimals, which may have more digits than a float. */
export function addDecimals(...values: readonly Decimal[]): Decimal {
  const places = Math.max(0, ...values.map((value) => (value.split('.')[1] ?? '').length));
  const sum = values.reduce((total, value) => total + scaled(value, places), 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return `${sum < 0n ? '-' : ''}${whole}${places > 0 ? `.${digits.slice(-places)}` : ''}`;
}

function scaled(value: Decimal, places: number): bigint {
  const [whole = '0', part = ''] = value.split('.');
  const digits = BigInt(whole.replace('-', '') + part.padEnd(places, '0'));
  return value.startsWith('-') ? -digits : digits;
}

/** Sums by currency, without entries that have no amount or no currency. */
export function sumsOf(parts: readonly { amount: Decimal | null; currency: string | null }[]): Record<string, Decimal> {
  const sums: Record<string, Decimal> = {};
  for (const { amount, currency } of parts)
    if (amount !== null && currency !== null) sums[currency] = addDecimals(sums[currency] ?? '0', amount);
  return sums;
}
