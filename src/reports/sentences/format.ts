import { moneyText } from '../../core/money/money.ts';
import { dayMs } from '../../core/time/clock.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import type { Failures } from '../summary/summary-shape.ts';
import { counted, grouped } from '../text/counted-text.ts';

/** Sums by currency in one line: "KES 12,300.00, UGX 40,000"; "none" if there are none. */
export function sumsText(byCurrency: Record<string, string>): string {
  const parts = Object.entries(byCurrency).map(([currency, value]) => moneyText(currency, value));
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** The sums after a number of rows: " (KES 12,300.00)"; empty for rows that only buy products. */
export function sumsInBrackets(byCurrency: Record<string, string>): string {
  return Object.keys(byCurrency).length === 0 ? '' : ` (${sumsText(byCurrency)})`;
}

/** What rows pay, in one line: "KES 12,300.00, and 4 products". */
export function requestedText(byCurrency: Record<string, string>, products: number): string {
  if (products === 0) return sumsText(byCurrency);
  const amounts = Object.keys(byCurrency).length === 0 ? '' : `${sumsText(byCurrency)}, and `;
  return `${amounts}${counted(products, 'product')}`;
}

/**
 * What the sums of amounts do not include: "4 rows buy a product, whose price is not in the sums above: KES 99.00, NGN
 * 1,200.00 by the catalog".
 */
export function productsText(products: number, priced: Record<string, string>, unpriced: number): string {
  const buy = `${counted(products, 'row')} ${products === 1 ? 'buys' : 'buy'} a product, whose price is not in the sums above`;
  if (unpriced === products) return buy;
  const left = unpriced === 0 ? '' : `; the price of ${grouped(unpriced)} of them is unknown`;
  return `${buy}: ${sumsText(priced)} by the catalog${left}`;
}

/** What happens to the text messages of this many rows if the service cannot send them (spec section 4.9). */
export function lostTextsText(rows: number): string {
  return `${counted(rows, 'row')} with a text message that is not sent: Version 1 sends its own SMS instead`;
}

/** Why rows with one code failed: "The operator declined it. (1 of them has another reason, in results.csv)". */
export function failureText({ reason, other_reasons }: Failures): string {
  const others = `${grouped(other_reasons)} of them ${other_reasons === 1 ? 'has' : 'have'} another reason`;
  return `${reason ?? 'no reason given'}${other_reasons === 0 ? '' : ` (${others}, in results.csv)`}`;
}

/** A time for people: "2026-11-01 08:00:01 UTC". */
export function timeText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/**
 * The same with the local time: "2026-11-01 08:00:01 UTC (11:00:01 in Africa/Nairobi)", with its day if that differs.
 * UTC alone if the zone is unknown.
 */
export function localTimeText(iso: string, zone: string | null): string {
  const local = localTime(iso, zone);
  if (local === null) return timeText(iso);
  const shown = local.slice(0, 10) === iso.slice(0, 10) ? local.slice(11) : local;
  return `${timeText(iso)} (${shown} in ${zone})`;
}

/** The time in a zone: "2026-11-01 11:00:01"; null where the zone is UTC, or not known, here or at all. */
export function localTime(iso: string, zone: string | null): string | null {
  if (zone === null || zone === 'UTC') return null;
  try {
    // Sweden writes times as ISO 8601 does.
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    return format.format(Date.parse(iso));
  } catch {
    return null;
  }
}

/** Two related times, each as short as possible: "08:00:01 UTC" if they are on one day. */
export function spanTexts(fromIso: string, toIso: string): [string, string] {
  const sameDay = fromIso.slice(0, 10) === toIso.slice(0, 10);
  return [timeText(fromIso), sameDay ? `${toIso.slice(11, 19)} UTC` : timeText(toIso)];
}

/**
 * A span of time, with the local time in brackets: "from 2026-11-01 08:00:01 UTC to 09:00:01 UTC (11:00:01 to 12:00:01
 * in Africa/Nairobi)"; "at ..." if it is over within a second.
 */
export function spanText(fromIso: string, toIso: string, zone: string | null): string {
  const [from, to] = spanTexts(fromIso, toIso);
  if (to === from.slice(11)) return `at ${localTimeText(fromIso, zone)}`;
  const isOneDay = fromIso.slice(0, 10) === toIso.slice(0, 10);
  const locals = [fromIso, toIso].flatMap((iso) => {
    const local = localTime(iso, zone);
    if (local === null) return [];
    return isOneDay && local.slice(0, 10) === iso.slice(0, 10) ? local.slice(11) : local;
  });
  return `from ${from} to ${to}${locals.length === 0 ? '' : ` (${locals.join(' to ')} in ${zone})`}`;
}

/** A length of time: "8 s", "3 min 20 s", "2 h 5 min". */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** How long the service asked an account to wait, if that is longer than it waits: "25 h", "30 days"; else null. */
export function overlongText({ at, saidMs, until }: ThrottleWait): string | null {
  if (until >= at + saidMs) return null;
  return saidMs < 3 * dayMs ? durationText(saidMs) : counted(Math.floor(saidMs / dayMs), 'day');
}
