import type { SeenRequest, Verdict } from '../invariants.ts';
import type { FleetPlan } from './fleet-plan.ts';

/** I10: never more creations of an account than its limit, one in each window, whichever machines sent them. */
export function withinLimit({ service, windowMs }: FleetPlan, requests: readonly SeenRequest[]): Verdict[] {
  // The answers of Version 2 name a limit, which then counts.
  if (service.version === 'v2') return [];
  const lastOf = new Map<string, number>();
  return requests.flatMap(({ reference, at }) => {
    const account = /^a\d+/.exec(reference)?.[0] ?? '';
    const last = lastOf.get(account) ?? Number.NEGATIVE_INFINITY;
    lastOf.set(account, at);
    return at - last < windowMs
      ? [
          {
            invariant: 'I10',
            what: `${reference} was sent ${at - last} ms after another, in a window of ${windowMs} ms`,
          },
        ]
      : [];
  });
}
