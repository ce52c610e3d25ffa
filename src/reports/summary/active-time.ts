import { pagesOf } from '../../core/basics/pages.ts';
import { isFollowedAfter, pageActivity } from '../../ledger/audit/events.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';

/**
 * The longest time between two payments, with none open, that still counts as work (ms): two of the service's windows
 * of a minute. In a longer gap nothing was sent or followed: the program had stopped, money was missing, or a person
 * had to decide.
 */
const paceMsMax = 120_000;

/** Events read at once. */
const eventsPerPage = 5_000;

/** How long payments of a batch were sent or followed (ms). Gaps, such as the night before a retry, do not count. */
export async function activeMs(view: Queryable, batchId: string): Promise<number> {
  const followed = new Set<number>();
  let total = 0;
  let lastAt: number | null = null;
  const read = (last: { seq: number } | undefined, limit: number) => pageActivity(view, batchId, last?.seq ?? 0, limit);
  for await (const events of pagesOf(eventsPerPage, read)) {
    for (const { at, kind, row_no } of events) {
      // The machine's clock may have been set back.
      const now: number = Math.max(at, lastAt ?? at);
      const sinceMs: number = now - (lastAt ?? now);
      if (followed.size > 0 || sinceMs <= paceMsMax) total += sinceMs;
      lastAt = now;
      if (isFollowedAfter(kind)) followed.add(row_no);
      else followed.delete(row_no);
    }
  }
  return total;
}
