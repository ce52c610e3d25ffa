import { assert } from '../basics/assert.ts';

/**
 * The largest or the smallest amount of a currency, where it is far from the usual one: a decimal sign that slipped or
 * was read as a sign between thousands (or the reverse), or two amounts in one cell.
 */
export interface UnusualAmount {
  currency: string;
  amount: string;
  /** The median: half of the rows ask for this or less. */
  usual: string;
}

/** The same, with some of the lines of the file that ask for it. */
export interface PlacedUnusualAmount extends UnusualAmount {
  lines: number[];
}

/** Lines that are shown for one amount. */
export const unusualLinesMax = 3;

/** How many rows ask for this very amount; a product has neither currency nor amount. */
interface RequestedCount {
  currency: string | null;
  amount: string | null;
  count: number;
}

/** So many times the usual amount, or such a part of it, is shown. A bonus is a few times a salary. */
const unusualTimes = 10;
/** Of fewer rows nobody can say what is usual. */
const rowsMin = 5;

/** Amounts are compared as numbers: it is a warning, nothing is paid by this arithmetic. */
export function unusualAmounts(asked: readonly RequestedCount[]): UnusualAmount[] {
  const ofCurrencies = Map.groupBy(
    asked.flatMap(({ currency, amount, count }) =>
      currency === null || amount === null ? [] : [{ currency, amount, count }],
    ),
    ({ currency }) => currency,
  );
  return [...ofCurrencies].flatMap(([currency, amounts]) => {
    const sorted = amounts.sort((a, b) => Number(a.amount) - Number(b.amount));
    const rows = sorted.reduce((sum, { count }) => sum + count, 0);
    const [least, greatest] = [sorted[0]?.amount, sorted.at(-1)?.amount];
    if (rows < rowsMin || least === undefined || greatest === undefined) return [];
    const usual = median(sorted, rows);
    const unusual: UnusualAmount[] = [];
    if (Number(greatest) > Number(usual) * unusualTimes) unusual.push({ currency, amount: greatest, usual });
    if (Number(least) * unusualTimes < Number(usual)) unusual.push({ currency, amount: least, usual });
    return unusual;
  });
}

function median(sorted: readonly { amount: string; count: number }[], rows: number): string {
  let seen = 0;
  for (const { amount, count } of sorted) {
    seen += count;
    if (seen * 2 >= rows) return amount;
  }
  assert(false, 'the counts add up to the rows');
}
