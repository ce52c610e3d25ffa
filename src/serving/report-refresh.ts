import { dayMs } from '../core/time/clock.ts';
import { lastLateAt } from '../ledger/audit/events.ts';
import { completedSince } from '../ledger/batches/batches.ts';
import type { NewestReports } from '../reports/store/report-store.ts';
import type { Session } from '../runtime/session/session.ts';
import { reportsOfFile } from '../runtime/upkeep/job-file-places.ts';
import { reportStore } from '../runtime/upkeep/report-store.ts';

/**
 * How long after a batch's end its reports are refreshed by themselves. For later status updates, a person runs
 * "airbatch report".
 */
const backMs = 92 * dayMs;
/** Updates that arrive together make one version: a service that reverses many payments does so one by one. */
const quietMs = 60_000;

/**
 * Finds batches whose reports lack a late status update of an ended row. Writes a new version of their reports once no
 * further update has arrived for a while. Each update is in exactly one new version, also after a restart, because the
 * newest stored version says up to which event it goes. If no version is stored, none is made: somebody has moved it
 * away.
 */
export function makeReportRefresh(
  session: Session,
  {
    isOurs,
    restate,
  }: { isOurs: (account: string) => boolean; restate: (batchId: string, out: string) => Promise<void> },
): () => Promise<void> {
  const { db, clock, config } = session;
  /** The last event of each batch that its reports contain. */
  let known = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const seen = new Map<string, number>();
    for (const { batch_id, account, audit_seq } of await completedSince(db, now - backMs)) {
      if (!isOurs(account)) continue;
      if (known.get(batch_id) === audit_seq || (await refreshLateReports(batch_id, now))) seen.set(batch_id, audit_seq);
    }
    known = seen;
  };

  /** False if the batch must be looked at again, even if no new event arrives. */
  async function refreshLateReports(batchId: string, now: number): Promise<boolean> {
    // Most batches have none: their reports are not asked for.
    if ((await lastLateAt(db, batchId, 0)) === null) return true;
    let isDone = true;
    const isCurrent = async ({ events }: NewestReports) => (await lastLateAt(db, batchId, events)) === null;
    const ofFile = await reportsOfFile(session, batchId);
    for (const out of ofFile === null ? [config.out] : [config.out, ofFile]) {
      const newest = await reportStore(session, out).newest(batchId, isCurrent);
      const lateAt = newest?.isFinal ? await lastLateAt(db, batchId, newest.events) : null;
      if (lateAt === null) continue;
      if (now - lateAt < quietMs) isDone = false;
      else await restate(batchId, out);
    }
    return isDone;
  }
}
