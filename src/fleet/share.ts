/** How much work an account is, and the worker that holds its lease; null if none does. */
export interface AccountLoad {
  load: number;
  holder: string | null;
}

/** The accounts by name. */
export type Loads = ReadonlyMap<string, AccountLoad>;

/** The load of each worker if all accounts were spread evenly. */
export function fairShare(loads: Loads, workers: number): number {
  return loadOf(loads.keys(), loads) / Math.max(1, workers);
}

export function loadOf(accounts: Iterable<string>, loads: Loads): number {
  return [...accounts].reduce((sum, account) => sum + (loads.get(account)?.load ?? 0), 0);
}

/** The load of the worker that has the least; none of `workers`: infinite. */
export function leastLoad(loads: Loads, workers: readonly string[]): number {
  const held = workers.map((worker) =>
    [...loads].flatMap(([account, { holder }]) => (holder === worker ? account : [])),
  );
  return Math.min(...held.map((accounts) => loadOf(accounts, loads)));
}

/**
 * The accounts that a worker hands over, the largest first: as long as it has more than its share, and would still have
 * no less than the worker that has the least now would have with the account. So no account goes back and forth.
 */
export function surplusOf(
  accounts: Iterable<string>,
  loads: Loads,
  { share, least, accountsMax }: { share: number; least: number; accountsMax: number },
): string[] {
  const sizeOf = (account: string) => loads.get(account)?.load ?? 0;
  const own = [...accounts].toSorted((one, other) => sizeOf(other) - sizeOf(one));
  let left = loadOf(own, loads);
  let given = 0;
  return own
    .filter((account) => {
      const size = sizeOf(account);
      const isGiven = left > share && left - size >= least + given + size;
      if (isGiven) {
        left -= size;
        given += size;
      }
      return isGiven;
    })
    .slice(0, accountsMax);
}
