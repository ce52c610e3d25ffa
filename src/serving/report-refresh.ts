import { join } from 'node:path';
import { dayMs } from '../core/time/clock.ts';
import { lastLateAt } from '../ledger/audit/events.ts';
import { completedSince } from '../ledger/batches/batches.ts';
import { readVersion } from '../reports/versions/versions.ts';
import type { Session } from '../runtime/session/session.ts';
import { reportsOfFile } from '../runtime/upkeep/job-file-places.ts';

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
    let isDone = true;
    const ofFile = await reportsOfFile(session, batchId);
    for (const out of ofFile === null ? [config.out] : [config.out, ofFile]) {
      const version = await readVersion(join(out, batchId));
      const lateAt = version?.isFinal ? await lastLateAt(db, batchId, version.audit.events) : null;
      if (lateAt === null) continue;
      if (now - lateAt < quietMs) isDone = false;
      else await restate(batchId, out);
    }
    return isDone;
  }
}
