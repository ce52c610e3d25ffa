import { join } from 'node:path';
import { dayMs } from '../../core/time/clock.ts';
import { lastLateAt } from '../../ledger/audit/events.ts';
import { completedSince } from '../../ledger/batches/batches.ts';
import { readVersion } from '../../reports/versions/versions.ts';
import type { Session } from '../../runtime/session/session.ts';
import { reportsOfFile } from '../../runtime/upkeep/job-files-left.ts';

/**
 * How long after its end a batch is looked after: what the service says later than that is restated by hand ("airbatch
 * report").
 */
const backMs = 92 * dayMs;
/** What comes together is one version: a service that takes back many rows does so one by one. */
const quietMs = 60_000;

/**
 * Finds the batches of whose ended rows the service has said something that their reports do not tell yet, and
 * restates these, once it has been quiet for a while: each late word is in one new version, whatever restarts, since
 * the version that lies there says up to which event it knows. Where no version lies, none is made: somebody has moved
 * it away.
 */
export function makeReportRefresh(
  session: Session,
  restate: (batchId: string, out: string) => Promise<void>,
): () => Promise<void> {
  const { db, clock, config } = session;
  /** Up to which event of a batch there is nothing to restate. */
  let known = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const seen = new Map<string, number>();
    for (const { batch_id, audit_seq } of await completedSince(db, now - backMs)) {
      if (known.get(batch_id) === audit_seq || (await refreshLateReports(batch_id, now))) seen.set(batch_id, audit_seq);
    }
    known = seen;
  };

  /** False where it is to be looked at again, though nothing new may come. */
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
