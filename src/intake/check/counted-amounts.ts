import { type PlacedUnusualAmount, unusualAmounts, unusualLinesMax } from '../../core/money/unusual-amounts.ts';

/**
 * How many different amounts are kept, some hundred bytes each. For a file with more, the ledger compares the amounts
 * after the import.
 */
const distinctMax = 100_000;

/** An amount, and some of the lines that ask for it. */
interface Extreme {
  amount: string;
  lines: number[];
}

interface OfCurrency {
  counts: Map<string, number>;
  greatest: Extreme;
  least: Extreme;
}

/** Counts the amounts of the rows as they are read, to find amounts that are far from the usual one. */
export function makeCountedAmounts(): {
  /** Adds a checked amount: a plain decimal. */
  add(currency: string, amount: string, line: number): void;
  unusual(): PlacedUnusualAmount[];
} {
  const currencies = new Map<string, OfCurrency>();
  let distinct = 0;
  return {
    add(currency, amount, line) {
      let own = currencies.get(currency);
      if (!own) {
        own = { counts: new Map(), greatest: { amount, lines: [] }, least: { amount, lines: [] } };
        currencies.set(currency, own);
      }
      const count = own.counts.get(amount);
      if (count === undefined) {
        distinct += 1;
        if (distinct > distinctMax) return;
        if (Number(amount) > Number(own.greatest.amount)) own.greatest = { amount, lines: [] };
        if (Number(amount) < Number(own.least.amount)) own.least = { amount, lines: [] };
      }
      own.counts.set(amount, (count ?? 0) + 1);
      for (const extreme of [own.greatest, own.least])
        if (amount === extreme.amount && extreme.lines.length < unusualLinesMax) extreme.lines.push(line);
    },
    unusual() {
      if (distinct > distinctMax) return [];
      const asked = [...currencies].flatMap(([currency, { counts }]) =>
        [...counts].map(([amount, count]) => ({ currency, amount, count })),
      );
      return unusualAmounts(asked).map((one) => {
        const own = currencies.get(one.currency);
        return { ...one, lines: (one.amount === own?.least.amount ? own.least : own?.greatest)?.lines ?? [] };
      });
    },
  };
}
