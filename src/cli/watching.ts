import { movesByItself } from '../engine/remaining.ts';
import { defaultEngineSettings } from '../engine/settings.ts';
import { type BatchRecord, countRows, findBatch } from '../ledger/batches.ts';
import { durationText } from '../reports/format.ts';
import { accountNow } from './account-now.ts';
import { type WaitsSession, waitsFor } from './waits-for.ts';

/** What a command tells of its batches while it works on them, or watches another process do so. */
export interface Watching {
  /** Says of batches that are paused, and of which something moves all the same, what they wait for. */
  tellPauses(): Promise<void>;
  /** Looks where they stand, and says what is new about what they wait for. False when there is nothing more to wait for. */
  look(): Promise<boolean>;
  /** The batches that a pause could stop, as they stood at the last look. */
  unpaused(): readonly string[];
}

/** Refused look-ups are a minute apart: two in a row that moved nothing show that the next will not either. */
const refusedMsMax = 2.5 * defaultEngineSettings.unreachableWaitMsMax;

export function makeWatching(
  session: WaitsSession,
  tell: (line: string) => void,
  { batchIds, patienceMs }: { batchIds: readonly string[]; patienceMs: number },
): Watching {
  const { db, clock } = session;
  const told = new Map<string, string>();
  let standing = '';
  let since = clock.monotonic();
  let unpaused = batchIds;

  const tellPause = (batch: BatchRecord, words: string | null) => {
    if (batch.status !== 'paused' || words === null || told.get(batch.batch_id) === words) return;
    told.set(batch.batch_id, words);
    tell(`Batch ${batch.batch_id} waits for ${words}. Payments already sent are still followed.`);
  };

  return {
    async tellPauses() {
      for (const batchId of batchIds) {
        const batch = await findBatch(db, batchId);
        // Where nothing moves the command ends, and what it says then tells of the pause.
        if (batch?.status !== 'paused' || !(await movesByItself(db, batch, clock.now(), patienceMs))) continue;
        const counts = await countRows(db, batchId);
        tellPause(batch, await waitsFor(session, batch, counts, await accountNow(session, batch.account)));
      }
    },
    async look() {
      const moving: BatchRecord[] = [];
      const stands: unknown[] = [];
      const going: string[] = [];
      for (const batchId of batchIds) {
        const batch = await findBatch(db, batchId);
        if (!batch || isPast(batch)) continue;
        const counts = await countRows(db, batchId);
        stands.push([batchId, batch.status, [...counts]]);
        if (batch.status !== 'paused') going.push(batchId);
        tellPause(batch, await waitsFor(session, batch, counts, await accountNow(session, batch.account)));
        if (await movesByItself(db, batch, clock.now(), patienceMs)) moving.push(batch);
      }
      unpaused = going;
      const now = clock.monotonic();
      if (JSON.stringify(stands) !== standing) since = now;
      standing = JSON.stringify(stands);
      if (moving.length === 0) return false;
      // Whoever may send nothing may still read, and follows what was sent: then something moves.
      const isRefused = moving.every(({ pause_reason: reason }) => reason === 'credentials_rejected');
      if (!isRefused || now - since < refusedMsMax) return true;
      tell(
        `The service refuses the credentials of the airbatch that works for this account; nothing has moved for ${durationText(now - since)}. ` +
          'Correct them and restart it. This command ends.',
      );
      return false;
    },
    unpaused: () => unpaused,
  };
}

function isPast({ status }: BatchRecord): boolean {
  return status === 'completed' || status === 'cancelled';
}
