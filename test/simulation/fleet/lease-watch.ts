import type { HeldLease } from './database-server.ts';

/** The machine of a holder: it knows of the programs before on it that they have ended. */
const machineOf = (holder: string): string => holder.split('/')[0] ?? '';

/**
 * I11: a lease passes to another machine only once it is released, or has expired by the clock of the database; and
 * nobody but its holder renews it, or releases it once its requests are answered. Returns what is wrong with each commit.
 */
export function makeLeaseWatch(): (
  owner: string,
  leases: readonly HeldLease[],
  at: { now: number; server: string; onWire: ReadonlyMap<string, number> },
) => string[] {
  let known = new Map<string, HeldLease>();
  let last = '';
  return (owner, leases, { now, server, onWire }) => {
    // A replica has the leases of a moment before.
    if (server !== last) known = new Map();
    last = server;
    return leases.flatMap((lease) => {
      const before = known.get(lease.account);
      known.set(lease.account, lease);
      if (before === undefined || owner.startsWith('last/')) return [];
      const isPassed = before.holder !== lease.holder;
      if (isPassed && before.expires_at > now && machineOf(before.holder) !== machineOf(lease.holder))
        return [`${lease.holder} took ${lease.account} while ${before.holder} held it`];
      const isReleased = !isPassed && lease.expires_at === 0 && before.expires_at > 0;
      if (isReleased && (onWire.get(`${owner} ${lease.account}`) ?? 0) > 0)
        return [`${owner} released ${lease.account} before the answers to its requests were in`];
      if (!isPassed && before.expires_at !== lease.expires_at && owner !== lease.holder)
        return [`${owner} changed the lease of ${lease.account}, which ${lease.holder} holds`];
      return [];
    });
  };
}
