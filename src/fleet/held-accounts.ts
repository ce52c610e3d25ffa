import type { Claim, Placement } from './placement.ts';

/** An account that this worker works for. */
export interface PlacedAccount {
  /** Sends nothing more. Resolves when every request in flight has its outcome and the lease is released. */
  stop(): Promise<void>;
  /** Breaks off the requests in flight, so that `stop` need not wait for answers that do not arrive. */
  breakOff(): void;
}

interface Held {
  /** Null: another worker has the account, or the placement has lost it. */
  claim: Claim | null;
  work: PlacedAccount;
  /** Set once the account is handed over. */
  leaving: Promise<void> | null;
}

/** The accounts of this worker: those that it works for, and those that it hands over and that have not ended yet. */
export interface HeldAccounts {
  isEmpty(): boolean;
  /** The accounts that it does not hand over. */
  staying(): string[];
  /** Begins to work for an account, or notes the new claim of one that it has already. */
  begin(claim: Claim): void;
  /** Renews the claims, and stops the work for the accounts whose claims are lost. */
  renew(at: Pick<Placement, 'renew'>): Promise<void>;
  /** Stops the work for the accounts, and then releases them. */
  handOver(accounts: Iterable<string>): void;
  /**
   * Hands over the accounts whose service cannot be reached from here, without waiting for answers to their requests.
   */
  giveUp(isCutOff: (account: string) => boolean): void;
}

export function makeHeldAccounts({
  start,
  release,
}: {
  start: (account: string) => PlacedAccount;
  /** Gives an account back to the placement. */
  release: (claim: Claim) => Promise<void>;
}): HeldAccounts {
  const held = new Map<string, Held>();
  const leave = async (account: string, one: Held) => {
    await one.work.stop().catch(() => undefined);
    // While the account is released, it may be placed here again: that claim is released, too.
    for (let claim = one.claim; claim !== null; claim = one.claim) {
      // If that fails, the placement frees the account because of the silence of this worker.
      await release(claim).catch(() => undefined);
      if (one.claim === claim) one.claim = null;
    }
    held.delete(account);
  };
  const handOver = (accounts: Iterable<string>) => {
    for (const account of accounts) {
      const one = held.get(account);
      if (one) one.leaving ??= leave(account, one);
    }
  };
  return {
    isEmpty: () => held.size === 0,
    staying: () => [...held].flatMap(([account, { leaving }]) => (leaving === null ? [account] : [])),
    begin(claim) {
      const known = held.get(claim.account);
      if (known) known.claim = claim;
      else held.set(claim.account, { claim, work: start(claim.account), leaving: null });
    },
    async renew(at) {
      const claimed = [...held.values()].flatMap(({ claim }) => claim ?? []);
      const own = await at.renew(claimed);
      const lost = [...held].filter(([, { claim }]) => claim && claimed.includes(claim) && !own.has(claim.id));
      for (const [, one] of lost) one.claim = null;
      handOver(lost.map(([account]) => account));
    },
    handOver,
    giveUp(isCutOff) {
      const lost = [...held].filter(([account]) => isCutOff(account));
      handOver(lost.map(([account]) => account));
      for (const [, { work }] of lost) work.breakOff();
    },
  };
}
