import type { SqlValue } from './database.ts';

/** Placeholders for `count` values of a statement: "?, ?, ?". */
export function places(count: number): string {
  return Array(count).fill('?').join(', ');
}

/**
 * The keys in lists of this length. The last list is padded with nulls, which equal nothing: so a statement for many
 * keys has one text, however many there are.
 */
export function filledLists<Key>(keys: readonly Key[], length: number): (Key | null)[][] {
  return Array.from({ length: Math.ceil(keys.length / length) }, (_, index) => {
    const some = keys.slice(index * length, (index + 1) * length);
    return [...some, ...Array<null>(length - some.length).fill(null)];
  });
}

/** Accounts in one statement. */
const accountsPerQuery = 50;
export const accountPlaces = places(accountsPerQuery);

/** Lists for `(? = 1 OR account IN (${accountPlaces}))`, one a statement. Null: all accounts. */
export function accountLists(accounts: readonly string[] | null): SqlValue[][] {
  if (accounts === null) return [[1, ...Array<null>(accountsPerQuery).fill(null)]];
  return filledLists(accounts, accountsPerQuery).map((list) => [0, ...list]);
}
