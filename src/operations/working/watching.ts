import { hasEnded } from '../../core/state/batch-state.ts';
import { isoTime } from '../../core/time/clock.ts';
import { canProgress, waitsForFirstRows } from '../../engine/forecast/can-progress.ts';
import { defaultEngineSettings } from '../../engine/runner/settings.ts';
import { type BatchRecord, findBatch } from '../../ledger/batches/batches.ts';
import { openPauses } from '../../ledger/batches/pauses.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import { lastPromisedAt } from '../../ledger/reporting/review.ts';
import { nextLookupAt } from '../../ledger/rows/in-flight-rows.ts';
import { durationText, timeText } from '../../reports/sentences/format.ts';
import { accountNow } from '../base/account-now.ts';
import { followedText, isKeptByService, waitsFor } from '../base/blockers.ts';
import type { OperationEvent } from '../base/events.ts';
import type { WaitsSession } from '../base/situation-now.ts';

/** Reports about batches while this process works on them, or while it watches another process that does. */
export interface Watching {
  /** Reports what the batches wait for: for a paused batch at once, for others if nothing has changed for a while. */
  showWaits(): Promise<void>;
  /** Looks at the batches, and reports what is new about their waits. False if there is nothing more to wait for. */
  look(): Promise<boolean>;
  /** The batches that a pause could stop, as of the last look. */
  unpaused(): readonly string[];
}

export interface WatchingOptions {
  batchIds: readonly string[];
  patienceMs: number;
  /** The time within which the service promises to end an accepted payment (ms). */
  promisedMs: number;
}

/** Refused lookups are a minute apart. If two in a row change nothing, the next one will not either. */
const refusedMsMax = 2.5 * defaultEngineSettings.unreachableWaitMsMax;
/** Most payments end within seconds, so only a longer wait is explained. */
const quietMs = 10_000;
/** A rate limit may stop the sending for a whole window of a minute. */
const pacedQuietMs = 2 * 60_000;
/** A wait that continues is explained again after this time, with its new times. */
const repeatedMs = 15 * 60_000;

/**
 * A batch as of the last look, since when it has not changed (monotonic ms), and when and how its wait was last
 * explained.
 */
interface Seen {
  standing: string;
  since: number;
  explained: { why: string; at: number } | null;
}

export function makeWatching(
  session: WaitsSession,
  emit: (event: OperationEvent) => void,
  { batchIds, patienceMs, promisedMs }: WatchingOptions,
): Watching {
  const { db, clock } = session;
  const seen = new Map<string, Seen>();
  let standing = '';
  let since = clock.monotonic();
  // Updated before the wait is shown, because a person who reads that a batch is paused may press Ctrl-C at once.
  const unpaused = new Set(batchIds);

  const reportWait = async (batch: BatchRecord, counts: ReadonlyMap<string, number>, is_watched: boolean) => {
    const { status } = batch;
    const one = noteStanding(seen, batch, counts, clock.monotonic());
    const account = await accountNow(session, batch.account);
    const at = clock.monotonic();
    const quiet = at - one.since;
    const [now, isPaused] = [clock.now(), status === 'paused'];
    const isPaced = counts.has('ready') && !waitsForFirstRows(batch, counts) && !isKeptByService(account, batch, now);
    if (!isPaused && quiet < (isPaced ? pacedQuietMs : quietMs)) return;
    const why = [status, ...(await openPauses(db, batch)).map(({ reason }) => reason)].join();
    if (one.explained?.why === why && at - one.explained.at < repeatedMs) return;
    const wait = await waitsFor(session, batch, counts, account);
    one.explained = { why, at };
    const followed = isPaused ? await followedOf(db, batch, counts, now) : null;
    const still = isPaused ? [] : [unchangedSentence(quiet)];
    const endsBy = ((await lastPromisedAt(db, batch.batch_id)) ?? 0) + promisedMs;
    const promised = endsBy > now ? [`The service promises a result by ${timeText(isoTime(endsBy))}.`] : [];
    const sentences = waitSentences(batch.batch_id, wait?.text ?? 'the service', followed);
    const text = [...sentences, ...still, ...promised].join(' ');
    emit({ kind: 'waits', batch_id: batch.batch_id, text, ways: [...(wait?.ways ?? [])], is_watched });
  };

  return {
    async showWaits() {
      for (const batchId of batchIds) {
        const batch = await findBatch(db, batchId);
        // If no batch can change, the command ends, and its closing text explains the pause.
        if (!batch || hasEnded(batch.status) || !(await canProgress(db, batch, clock.now(), patienceMs))) continue;
        await reportWait(batch, await countRows(db, batchId), false);
      }
    },
    async look() {
      const moving: BatchRecord[] = [];
      const stands: unknown[] = [];
      for (const batchId of batchIds) {
        const batch = await findBatch(db, batchId);
        if (!batch || hasEnded(batch.status) || batch.status === 'paused') unpaused.delete(batchId);
        else unpaused.add(batchId);
        if (!batch || hasEnded(batch.status)) continue;
        const counts = await countRows(db, batchId);
        stands.push([batchId, batch.status, [...counts]]);
        await reportWait(batch, counts, true);
        if (await canProgress(db, batch, clock.now(), patienceMs)) moving.push(batch);
      }
      const now = clock.monotonic();
      if (JSON.stringify(stands) !== standing) since = now;
      standing = JSON.stringify(stands);
      if (moving.length === 0) return false;
      // With refused credentials the account may still be able to read. Then it follows the sent rows, and their state
      // changes.
      if (now - since < refusedMsMax || !(await areRefused(db, moving))) return true;
      emit({ kind: 'note', text: refusedText(now - since) });
      return false;
    },
    unpaused: () => [...unpaused],
  };
}

/** Whether the service refuses the credentials of all of these batches. */
async function areRefused(db: WaitsSession['db'], batches: readonly BatchRecord[]): Promise<boolean> {
  for (const batch of batches)
    if (!(await openPauses(db, batch)).some(({ reason }) => reason === 'credentials_rejected')) return false;
  return true;
}

function refusedText(unmovedMs: number): string {
  return (
    `The service refuses the credentials of the airbatch that works for this account; nothing has moved for ${durationText(unmovedMs)}. ` +
    'Correct them and restart it. This command ends.'
  );
}

/** Notes the current state of the batch. Its wait starts anew if its state or a count has changed. */
function noteStanding(
  seen: Map<string, Seen>,
  { batch_id, status }: BatchRecord,
  counts: ReadonlyMap<string, number>,
  now: number,
): Seen {
  const standing = JSON.stringify([status, ...counts]);
  const last = seen.get(batch_id);
  const one = last?.standing === standing ? last : { standing, since: now, explained: last?.explained ?? null };
  seen.set(batch_id, one);
  return one;
}

const unchangedSentence = (quietMs: number) => `Nothing has changed for ${durationText(quietMs)}.`;

/** What airbatch still follows of a paused batch; null: nothing. */
async function followedOf(
  db: WaitsSession['db'],
  { batch_id: id }: BatchRecord,
  counts: ReadonlyMap<string, number>,
  now: number,
): Promise<string | null> {
  return followedText(counts, counts.has('in_doubt') ? await nextLookupAt(db, id, now) : null, now);
}

/** What a batch waits for. `followed`: what airbatch still follows of it, if it is paused. */
function waitSentences(batchId: string, wait: string, followed: string | null): string[] {
  if (followed === null) return [`Batch ${batchId} waits for ${wait}.`];
  // A pause stops nothing more of a batch whose rows are all sent.
  const what = followed === wait ? 'is paused, and has nothing more to send' : `waits for ${wait}`;
  return [`Batch ${batchId} ${what}.`, `Payments already sent are still followed: this command waits for ${followed}.`];
}
