import type { SeenRequest, Verdict } from '../invariants.ts';
import type { FleetPlan } from './fleet-plan.ts';

/** I10: never more creations of an account than its limit in any window, whichever machines sent them. */
export function withinLimit({ limit, service }: FleetPlan, requests: readonly SeenRequest[]): Verdict[] {
  // The answers of Version 2 name a limit, which then counts.
  if (limit === null || service.version === 'v2') return [];
  const byAccount = Map.groupBy(requests, ({ reference }) => reference.split('/')[0]?.split('.')[0] ?? '');
  return [...byAccount].flatMap(([account, sent]) => {
    const crowded = sent.find(
      ({ at }, index) => sent[index + limit] !== undefined && (sent[index + limit]?.at ?? 0) - at < 10_000,
    );
    return crowded
      ? [{ invariant: 'I10', what: `more than ${limit} creations of ${account} in 10 s from ${crowded.at}` }]
      : [];
  });
}
