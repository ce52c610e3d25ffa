import type { FleetWorld } from './fleet-world.ts';

/** How long a lease of the fleet lasts, as `runnerOf` sets it for a ledger that machines share. */
export const leaseTtlMs = 10_000;

/**
 * What was durable when the database was lost. A machine that was suspended right before a request cannot know that
 * until its lease ends, so its requests are judged by this until then.
 */
export interface BeforeFailOver {
  /** By reference. */
  bodies: ReadonlyMap<string, string>;
  /** By account. */
  holders: ReadonlyMap<string, string>;
  /** World time. */
  until: number;
}

/** What is durable now, right before a fail-over. */
export function durableNow({ server, clock }: FleetWorld): BeforeFailOver {
  const pairs = (text: string) =>
    new Map(server.committed(text).map(({ name, value }) => [String(name), String(value)]));
  return {
    bodies: pairs('SELECT reference AS name, body AS value FROM payments'),
    holders: pairs('SELECT account AS name, holder AS value FROM leases'),
    until: clock.monotonic() + leaseTtlMs,
  };
}

/** The body that is durably bound to the reference, as far as the machines can know. */
export function durableBody(world: FleetWorld, reference: string): string | null {
  const [payment] = world.server.committed('SELECT body FROM payments WHERE reference = ?', [reference]);
  return (payment?.body as string | undefined) ?? before(world)?.bodies.get(reference) ?? null;
}

/** Whether the machine holds the lease of the account, as far as the machines can know. */
export function isHolder(world: FleetWorld, account: string, name: string): boolean {
  const [lease] = world.server.committed('SELECT holder FROM leases WHERE account = ?', [account]);
  return lease?.holder === name || before(world)?.holders.get(account) === name;
}

function before({ before: lost, clock }: FleetWorld): BeforeFailOver | null {
  return lost !== null && clock.monotonic() < lost.until ? lost : null;
}
