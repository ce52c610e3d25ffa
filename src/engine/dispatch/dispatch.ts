import { assert } from '../../core/basics/assert.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { CreateOutcome } from '../../gateway/contract/gateway.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { LimiterStopped } from '../../limiter/limiter.ts';
import { withoutLiveEarlier } from '../doubts/earlier-generations.ts';
import { type ConfirmedFailures, withFailuresRead } from '../doubts/failed-before.ts';
import { withLostOfOthers } from '../doubts/lost-of-others.ts';
import { type LostPaymentsNeeds, readLostPayments } from '../doubts/lost-payments.ts';
import { makeServiceComparison, type OlderCopyNeeds } from '../doubts/older-copy.ts';
import { writeLimits } from '../pacing/write-limits.ts';
import { assertYoung } from '../payments/key-age.ts';
import type { Parts } from '../runner/context.ts';
import { idleMs } from '../runner/open-batches.ts';
import { type ForgottenKeysNeeds, withKeysRenewed } from './forgotten-keys.ts';
import { type Intent, writeIntents } from './intents.ts';
import { type AfterOutcome, isAsExpected, type OutcomesNeeds, writeHeldBack, writeOutcome } from './outcomes.ts';
import { type RestoreLookupNeeds, restoreLookup } from './restore-lookup.ts';
import { makeSiblingAnswers, type SiblingAnswers } from './sibling-answers.ts';

export type DispatchNeeds = Parts<'gate' | 'lease' | 'pauseAccount'> &
  RestoreLookupNeeds &
  ForgottenKeysNeeds &
  LostPaymentsNeeds &
  OlderCopyNeeds &
  OutcomesNeeds;

/** After this many accepted rows, a page of the list may be worth a read. */
const rowsPerLook = 25;

/**
 * Sends ready rows until the runner stops. After a restore, it first reads from the service which payments the ledger
 * has lost. It feeds the limiter's queue just in time: a job takes its rows only when its turn comes. So an urgent row
 * never waits behind a queue, and an intent is written only for a row that is sent at once.
 */
export async function dispatchLoop(context: DispatchNeeds): Promise<void> {
  const { picker, settings, clock } = context;
  if (context.restoredAt !== null) await readLostPayments(context, context.restoredAt);
  const isCompared = makeServiceComparison(context);
  const jobs = new Set<Promise<void>>();
  let trouble: unknown = null;
  // Jobs that the limiter has not started, and their rows. They have not taken them from the picker yet.
  let waiting = 0;
  let rowsWaiting = 0;
  // After a fault in one job, the jobs that wait for their turn send nothing.
  const isOver = () => context.stopping.aborted || trouble !== null;

  const startJob = (weight: number) => {
    waiting += 1;
    rowsWaiting += weight;
    const started = () => {
      waiting -= 1;
      rowsWaiting -= weight;
      context.wakes.dispatch.wake();
    };
    const job = admitRows(context, weight, { started, isOver, isCompared })
      .catch((error: unknown) => {
        if (!(error instanceof LimiterStopped)) trouble ??= error;
      })
      .finally(() => {
        jobs.delete(job);
        context.wakes.dispatch.wake();
      });
    jobs.add(job);
  };

  /** Starts the jobs for the rows that are due, and waits until there may be more to start. */
  const feed = async () => {
    const { jobsWaitingMax, rowsPerAdmission } = settings;
    const rows = waiting < jobsWaitingMax ? await picker.available(jobsWaitingMax * rowsPerAdmission) : 0;
    // The limiter may start a job at once: its rows then wait no longer, and are not counted again.
    for (let left = rows - rowsWaiting; left > 0 && waiting < jobsWaitingMax; ) {
      // The last rows go with those before them: an admission costs about as much for one row as for four.
      const weight = left < 2 * rowsPerAdmission ? left : rowsPerAdmission;
      left -= weight;
      startJob(weight);
    }
    const now = clock.now();
    // Rows that are due already have their jobs. Each job wakes this loop when its turn comes.
    const nextAt = picker.nextAt() ?? 0;
    const pollMs = idleMs(context);
    await context.wakes.dispatch.wait(nextAt > now ? Math.min(pollMs, nextAt - now) : pollMs);
  };
  try {
    while (!isOver()) await feed();
  } catch (error) {
    trouble ??= error;
  }
  // Jobs that wait for their turn have nothing to send any more.
  if (trouble !== null) void context.limiter.stop();
  // Also after a fault of the loop itself: the account is released once all loops have ended.
  await Promise.all(jobs);
  if (trouble !== null) throw trouble;
}

async function admitRows(
  context: DispatchNeeds,
  weight: number,
  { started, isOver, isCompared }: { started: () => void; isOver: () => boolean; isCompared: () => Promise<boolean> },
): Promise<void> {
  let begun = false;
  const begin = () => {
    if (!begun) started();
    begun = true;
  };
  try {
    await context.limiter.admit(
      'creation',
      async (count, release) => {
        begin();
        const intents = isOver() ? [] : await takeIntents(context, count, { isOver, isCompared });
        if (intents.length < count) release(count - intents.length);
        // A job ends only after all of its requests have ended, and the lease is released only after the last job.
        const answers = makeSiblingAnswers(context.clock, intents.length);
        const sent = await Promise.allSettled(intents.map((intent) => sendOne(context, intent, answers)));
        const failed = sent.find((one) => one.status === 'rejected');
        if (failed) throw failed.reason;
      },
      weight,
    );
  } finally {
    begin();
  }
}

/** Takes rows, and writes the intents of those that may be sent now. */
async function takeIntents(
  context: DispatchNeeds,
  count: number,
  { isOver, isCompared }: { isOver: () => boolean; isCompared: () => Promise<boolean> },
): Promise<Intent[]> {
  // In an outage, rows in doubt are taken last: such a row may go unanswered because of its own content, so another row
  // tests the service.
  const taken = await context.picker.take(count, context.gate.isUnansweredOften());
  const looked = await lookedUp(context, (await isCompared()) ? taken : []);
  const intents = await writeLimits(context.db).intents(context.account, async () => {
    const rows = isOver() ? [] : whileOpen(context, looked.rows);
    return rows.length === 0 ? [] : await recordIntents(context, rows, looked.confirmed);
  });
  context.picker.settled(taken);
  return intents;
}

/**
 * Returns those of the rows that may be sent. Rows that were tried before are looked up, after a restore all rows.
 * Failed payments of the same amount to the same number are read again.
 */
async function lookedUp(
  context: DispatchNeeds,
  rows: readonly RowRecord[],
): Promise<{ rows: readonly RowRecord[]; confirmed: ConfirmedFailures }> {
  const unknown = context.restoredAt === null ? rows : await unknownToService(context, rows, context.restoredAt);
  const first = unknown.every(({ generation }) => generation === 1);
  return withFailuresRead(
    context,
    await withKeysRenewed(context, first ? unknown : await withoutLiveEarlier(context, unknown)),
  );
}

/** Returns those of the rows that the lost part of a restored ledger has not sent, as far as the service shows. */
async function unknownToService(
  context: DispatchNeeds,
  rows: readonly RowRecord[],
  restoredAtMs: number,
): Promise<readonly RowRecord[]> {
  return withLostOfOthers(context, await restoreLookup(context, rows, restoredAtMs));
}

/**
 * Returns the rows if the account's gate is open: a lookup may have closed it since the limiter admitted the job.
 * Otherwise puts them back.
 */
function whileOpen(
  { gate, picker, clock }: Parts<'clock' | 'gate' | 'picker'>,
  rows: readonly RowRecord[],
): readonly RowRecord[] {
  const open = gate.rowsNow(rows.length);
  for (const row of rows.slice(open)) picker.putBack(row, clock.now());
  return rows.slice(0, open);
}

/** Writes the intents of all rows of the job in one durable transaction. */
async function recordIntents(
  context: DispatchNeeds,
  rows: readonly RowRecord[],
  confirmed: ConfirmedFailures,
): Promise<Intent[]> {
  await context.lease.prove();
  const { intents, unread } = await context.committer.commit((unit) => writeIntentsOf(unit, context, rows, confirmed));
  // A row in doubt is not put back: its own next lookup brings it back.
  for (const row of unread) if (row.status === 'ready') context.picker.putBack(row, context.clock.now());
  return intents;
}

/** The rows may belong to several batches. */
async function writeIntentsOf(
  unit: Unit,
  context: DispatchNeeds,
  rows: readonly RowRecord[],
  confirmed: ConfirmedFailures,
): Promise<{ intents: Intent[]; unread: RowRecord[] }> {
  const intents: Intent[] = [];
  const unread: RowRecord[] = [];
  for (const [batchId, ofBatch] of Map.groupBy(rows, ({ batch_id }) => batch_id)) {
    const open = context.batches.get(batchId);
    if (open?.batch.status !== 'running' || context.batches.whyStopped(batchId) !== null) continue;
    const written = await writeIntents(unit, context, open, ofBatch, confirmed);
    intents.push(...written.intents);
    unread.push(...written.unread);
  }
  return { intents, unread };
}

async function sendOne(context: DispatchNeeds, intent: Intent, answers: SiblingAnswers): Promise<void> {
  context.picker.sending(intent.row);
  const outcome = await create(context, intent);
  if (outcome === null) {
    answers.arrived();
    // If another program has the account by now, this fails, and the row stays `sending` for that program's lookup.
    await context.committer.commit((unit) => writeHeldBack(unit, context, intent));
    return context.wakes.doubt.wake();
  }
  const waiting = outcome.kind === 'throttled' ? context.gate.throttled('creation', outcome) : null;
  answers.arrived();
  const isExpected = isAsExpected(intent, outcome);
  if (isExpected) await answers.gathered;
  const commit = isExpected ? context.committer.commitOwnRow : context.committer.commit;
  const writing = commit((unit) => {
    if (outcome.kind !== 'not_sent') unit.countSend();
    return writeOutcome(unit, context, intent, outcome);
  });
  const [after] = waiting === null ? [await writing] : await Promise.all([writing, waiting]);
  await act(context, outcome, after);
}

/**
 * Makes the request. If it is stopped before any byte is written (the lease is lost, the key has grown too old, the
 * gate has closed), certainly nothing was sent. Null: while the intent was written the gate has closed, or the lease
 * was not renewed in time.
 */
async function create(
  context: Parts<'clock' | 'gate' | 'gateway' | 'keys' | 'lease' | 'log'>,
  { payment }: Intent,
): Promise<CreateOutcome | null> {
  assert(payment.open_attempts > 0, 'an intent is durable before its request');
  let isHeldBack = false;
  try {
    return await context.gateway.create({
      body: payment.body,
      idempotencyKey: payment.idempotency_key,
      beforeWrite() {
        context.lease.assertHeld();
        assertYoung(context, payment);
        isHeldBack = context.gate.isClosed();
        if (isHeldBack) throw new Error('the gate has closed');
      },
    });
  } catch (error) {
    if (isHeldBack) return null;
    if (error instanceof AirbatchError && error.code === 'FENCED') {
      context.log.warn('a request was not written', { batch_id: payment.batch_id, why: error.message });
      if (context.lease.isLate()) return null;
    }
    // The row stays `sending`. The next program that takes the account looks it up.
    throw error;
  }
}

/** While rows are being sent, the list is not read for each of them: see `PollingSettings`. */
async function wakeTracking({
  gateway,
  picker,
  settings,
  wakes,
}: Parts<'gateway' | 'picker' | 'settings' | 'wakes'>): Promise<void> {
  const isSending = (await picker.available(1)) > 0;
  if (isSending && gateway.list !== null) wakes.track.wakeSoon(settings.listPatienceMs, rowsPerLook);
  else wakes.track.wake();
}

async function act(
  context: Parts<'gate' | 'gateway' | 'pauseAccount' | 'picker' | 'settings' | 'wakes'>,
  outcome: CreateOutcome,
  after: AfterOutcome,
): Promise<void> {
  await context.gate.noteOutcome(outcome, after.readyAt);
  if (after.pause) await context.pauseAccount(after.pause.reason, after.pause.why);
  if (outcome.kind === 'accepted') await wakeTracking(context);
  else context.wakes.doubt.wake();
}
