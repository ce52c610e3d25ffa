import { type PlacedUnusualAmount, unusualAmounts, unusualLinesMax } from '../core/unusual-amounts.ts';

/** Amounts that are kept, some hundred bytes each. A file with more of them is compared by the ledger once it is taken in. */
const distinctMax = 100_000;

interface OfCurrency {
  counts: Map<string, number>;
  greatest: string;
  /** Some of the lines that ask for the greatest. */
  lines: number[];
}

/** Counts the amounts of rows as they go by, to tell of those that are far above the usual one. */
export function makeCountedAmounts(): {
  /** Adds an amount that was checked: a plain decimal. */
  add(currency: string, amount: string, line: number): void;
  unusual(): PlacedUnusualAmount[];
} {
  const currencies = new Map<string, OfCurrency>();
  let distinct = 0;
  return {
    add(currency, amount, line) {
      let own = currencies.get(currency);
      if (!own) {
        own = { counts: new Map(), greatest: '0', lines: [] };
        currencies.set(currency, own);
      }
      const count = own.counts.get(amount);
      if (count === undefined) {
        distinct += 1;
        if (distinct > distinctMax) return;
        if (Number(amount) > Number(own.greatest)) {
          own.greatest = amount;
          own.lines = [];
        }
      }
      own.counts.set(amount, (count ?? 0) + 1);
      if (amount === own.greatest && own.lines.length < unusualLinesMax) own.lines.push(line);
    },
    unusual() {
      if (distinct > distinctMax) return [];
      const asked = [...currencies].flatMap(([currency, { counts }]) =>
        [...counts].map(([amount, count]) => ({ currency, amount, count })),
      );
      return unusualAmounts(asked).map((one) => ({ ...one, lines: currencies.get(one.currency)?.lines ?? [] }));
    },
  };
}
