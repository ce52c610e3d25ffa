import { formatAmount } from '../core/money.ts';

/** A length of time as a person says it: "8 s", "3 min 20 s", "2 h 5 min". */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** An amount for people: "KES 12,300.00". */
export function money(currency: string, value: string): string {
  const [whole = '', fraction] = formatAmount({ currency, value }).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${currency} ${grouped}${fraction ? `.${fraction}` : ''}`;
}

/** Sums by currency in one line: "KES 12,300.00, UGX 40,000". */
export function sums(byCurrency: Record<string, string>): string {
  return Object.entries(byCurrency)
    .map(([currency, value]) => money(currency, value))
    .join(', ');
}

/** "1 row", "3 rows". */
export function rows(count: number): string {
  return count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`;
}

/** Row numbers in one line, the first few of many: "rows 3, 9, 17 and 4 more". */
export function rowList(numbers: readonly number[], max = 8): string {
  const shown = numbers.slice(0, max).join(', ');
  const more = numbers.length > max ? ` and ${numbers.length - max} more` : '';
  return `${numbers.length === 1 ? 'row' : 'rows'} ${shown}${more}`;
}
