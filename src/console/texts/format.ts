import { intlLocale } from './i18n.ts';

/** A decimal as the API sends it: never a binary float. */
export type Decimal = string;

const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

function cached<Format extends Intl.NumberFormat | Intl.DateTimeFormat>(
  key: string,
  make: (locale: string) => Format,
): Format {
  const locale = intlLocale();
  const known = formats.get(`${locale} ${key}`) as Format | undefined;
  if (known !== undefined) return known;
  const made = make(locale);
  formats.set(`${locale} ${key}`, made);
  return made;
}

export function formatCount(count: number): string {
  return cached('count', (locale) => new Intl.NumberFormat(locale)).format(count);
}

/** A part of a whole. Only the whole is 100%: 99,999 of 100,000 are not all. */
export function formatPercent(part: number): string {
  return cached(
    'percent',
    (locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
  ).format(part < 1 ? Math.min(part, 0.999) : part);
}

/** An amount with all of its decimals, and at least those that its currency has. */
export function formatAmount(value: Decimal, currency: string): string {
  const digits = fractionDigits(currency);
  const format = cached(
    `amount ${digits}`,
    (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: 20 }),
  );
  return format.format(value as Intl.StringNumericLiteral);
}

function fractionDigits(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().minimumFractionDigits ?? 0;
  } catch {
    return 0;
  }
}

/** A time with its zone: "26 Nov 2026, 14:05 GMT+3". */
export function formatTime(at: string | number): string {
  return cached(
    'time',
    (locale) =>
      new Intl.DateTimeFormat(locale, {
        ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
        timeZoneName: 'short',
      }),
  ).format(new Date(at));
}

/** A day without a time, which is the same one everywhere. */
export function formatDate(day: string): string {
  return new Intl.DateTimeFormat(intlLocale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));
}

/** The same with seconds: for logs. */
export function formatExactTime(at: string | number): string {
  return cached(
    'exact',
    (locale) =>
      new Intl.DateTimeFormat(locale, {
        ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
        timeZoneName: 'short',
      }),
  ).format(new Date(at));
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A duration by its two largest units: "2 hr 5 min". */
export function formatDuration(ms: number): string {
  let left = Math.max(0, Math.round(ms / 1_000) * 1_000);
  const first = units.findIndex(([, size]) => left >= size);
  if (first < 0) return formatUnit(0, 'second');
  const parts: string[] = [];
  for (const [unit, size] of units.slice(first, first + 2)) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(formatUnit(count, unit));
  }
  return parts.join(' ');
}

function formatUnit(count: number, unit: string): string {
  return cached(unit, (locale) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' })).format(
    count,
  );
}

/** A number of bytes: "12.4 kB". */
export function formatBytes(bytes: number): string {
  const [unit, size] =
    bytes >= 1_000_000 ? ['megabyte', 1_000_000] : bytes >= 1_000 ? ['kilobyte', 1_000] : ['byte', 1];
  const format = cached(
    String(unit),
    (locale) =>
      new Intl.NumberFormat(locale, {
        style: 'unit',
        unit: String(unit),
        // The short form of a byte has no plural.
        unitDisplay: unit === 'byte' ? 'long' : 'short',
        maximumFractionDigits: 1,
      }),
  );
  return format.format(bytes / Number(size));
}

export function countryName(code: string): string {
  return `${new Intl.DisplayNames([intlLocale()], { type: 'region' }).of(code) ?? code} (${code})`;
}
