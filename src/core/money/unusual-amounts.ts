import { assert } from '../basics/assert.ts';

/**
 * The largest or the smallest amount of a currency, if it is far from the usual one. The decimal sign may have moved,
 * or been taken for a thousands separator (or the reverse), or the cell may have two amounts.
 */
export interface UnusualAmount {
  currency: string;
  amount: string;
  /** The median: half of the rows have this amount or less. */
  usual: string;
}

/** The same, with some of the file's lines that have it. */
export interface PlacedUnusualAmount extends UnusualAmount {
  lines: number[];
}

/** The most lines that are shown for one amount. */
export const unusualLinesMax = 3;

/** How many rows have exactly this amount; a product has neither currency nor amount. */
interface RequestedCount {
  currency: string | null;
  amount: string | null;
  count: number;
}

/** An amount this many times above or below the usual one is shown. A bonus is a few times a salary. */
const unusualTimes = 10;
/** With fewer rows there is no usual amount. */
const rowsMin = 5;

/** Compares amounts as binary floats: this is a warning, and no payment depends on it. */
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
