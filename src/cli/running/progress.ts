import { type CachedForecast, makeCachedForecast } from '../../engine/forecast/cached-forecast.ts';
import { type BatchBefore, batchesBefore } from '../../engine/forecast/sending.ts';
import type { StoredPace } from '../../ledger/accounts/pace.ts';
import { countRows } from '../../ledger/batches/batch-counts.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { nextDueAt } from '../../ledger/rows/in-flight-rows.ts';
import { accountsNow, paceOf } from '../../operations/base/account-now.ts';
import { beforeText, serviceText } from '../../operations/base/blockers.ts';
import { durationText } from '../../reports/sentences/format.ts';
import { grouped } from '../../reports/text/counted-text.ts';
import type { Session } from '../../runtime/session/session.ts';
import { bar } from '../base/bar.ts';
import type { Terminal } from '../base/terminal.ts';

/**
 * How often the screen is brought up to date, and how often it is looked whether a line is to be written where nobody
 * watches.
 */
const redrawMs = 200;
const lineMs = 30_000;
/**
 * A progress line that has not changed is printed again after this time, so that the log of a long wait shows that the
 * command still runs.
 */
const unchangedLineMs = 15 * 60_000;

interface Tally {
  /** Rows that are to be paid, in whatever state they are now. */
  payable: number;
  completed: number;
  failed: number;
  /** It is not known whether they were paid. */
  inDoubt: number;
  /** When the next of them is looked up (epoch ms); null where none is by itself. */
  lookupAt: number | null;
  /** On their way to the service, or accepted by it and followed. */
  underWay: number;
  /** Not sent yet. */
  waiting: number;
  /** Until the last of them is sent (ms); null where that cannot be told. */
  leftMs: number | null;
  isPaused: boolean;
  /** At what pace they are sent; null while nothing is. */
  pace: StoredPace | null;
  /** Whose rows the one that takes longest waits for; null where it waits for no others. */
  before: string | null;
}

export interface Progress {
  /** Leaves what is shown as it is, at once: something else is about to be said. */
  leave(): void;
  end(): Promise<void>;
}

/** Shows how far the batches are, from what the ledger says: nothing counts as done before it is durable. */
export function showProgress(
  terminal: Pick<Terminal, 'isInteractive' | 'error' | 'show' | 'keep'>,
  session: Pick<Session, 'db' | 'clock'>,
  batchIds: readonly string[],
): Progress {
  const stop = new AbortController();
  const cachedForecast = makeCachedForecast(session.clock);
  let isLeft = false;
  let said = { standing: '', at: 0 };
  /** Whether a line tells something new, or is a sign of life; the last one is always written. */
  const isDue = (now: Tally) => {
    const next = { standing: standingOf(now, session.clock.now()), at: session.clock.monotonic() };
    if (next.standing === said.standing && next.at - said.at < unchangedLineMs && !stop.signal.aborted) return false;
    said = next;
    return true;
  };
  const show = async () => {
    const now = await tally(session, batchIds, cachedForecast);
    if (now.payable === 0 || isLeft) return;
    if (!terminal.isInteractive && !isDue(now)) return;
    const parts = [`${grouped(settled(now))} of ${grouped(now.payable)} rows settled`];
    parts.push(...details(now, session.clock.now(), stop.signal.aborted));
    if (!terminal.isInteractive) terminal.error(`${parts.join(' · ')}\n`);
    else {
      // Each part stays in one piece where the line is broken.
      const unbroken = parts.map((part) => part.replaceAll(' ', '\u00a0'));
      terminal.show([` ${bar(settled(now), now.payable)} ${unbroken.join('\u00a0· ')}`]);
    }
  };
  const leave = () => {
    // Lines of which each goes below the last are in nobody's way.
    if (!terminal.isInteractive) return;
    isLeft = true;
    terminal.keep();
  };
  const done = showAgain();
  return {
    leave,
    async end() {
      stop.abort();
      await done;
      leave();
    },
  };

  async function showAgain(): Promise<void> {
    if (terminal.isInteractive) await show();
    while (!stop.signal.aborted) {
      await session.clock.sleep(terminal.isInteractive ? redrawMs : lineMs, stop.signal);
      await show();
    }
  }
}

function settled({ completed, failed }: Tally): number {
  return completed + failed;
}

async function tally(
  session: Pick<Session, 'db' | 'clock'>,
  batchIds: readonly string[],
  cachedForecast: CachedForecast,
): Promise<Tally> {
  const sum: Tally = {
    payable: 0,
    completed: 0,
    failed: 0,
    inDoubt: 0,
    lookupAt: null,
    underWay: 0,
    waiting: 0,
    leftMs: null,
    isPaused: false,
    pace: null,
    before: null,
  };
  const accountOf = accountsNow(session, cachedForecast);
  let slowest: BatchBefore[] = [];
  for (const batchId of batchIds) {
    const counts = await countRows(session.db, batchId);
    const count = (state: string) => counts.get(state) ?? 0;
    sum.completed += count('completed');
    sum.failed += count('failed');
    sum.inDoubt += count('in_doubt');
    sum.underWay += count('sending') + count('accepted');
    sum.waiting += count('ready');
    const batch = await findBatch(session.db, batchId);
    sum.isPaused ||= batch?.status === 'paused';
    const account = batch && (await accountOf(batch.account));
    const pace = account && paceOf(account, batch);
    sum.pace ??= pace;
    const lookupAt = count('in_doubt') > 0 ? await nextDueAt(session.db, batchId, 'in_doubt') : null;
    if (lookupAt !== null) sum.lookupAt = Math.min(sum.lookupAt ?? lookupAt, lookupAt);
    if (!pace) continue;
    const ready = count('ready');
    const before = batchesBefore(batch, { ready, pace, sending: account.sending });
    const leftMs = account.foreseen().get(batchId)?.sentMs;
    if (leftMs === undefined || leftMs < (sum.leftMs ?? 0)) continue;
    sum.leftMs = leftMs;
    slowest = before;
  }
  const shown = new Set(batchIds);
  sum.before = beforeText(slowest.filter(({ batch }) => !shown.has(batch)));
  sum.payable = sum.completed + sum.failed + sum.inDoubt + sum.underWay + sum.waiting;
  return sum;
}

/** All that a line tells but how long something takes: that changes by itself. */
function standingOf({ lookupAt: _lookup, leftMs: _left, pace, ...standing }: Tally, at: number): string {
  const waitsForService = pace !== null && serviceText(pace, at) !== null;
  return JSON.stringify([standing, pace !== null, waitsForService, pace?.unreachableSince]);
}

/** What there is to say besides how many rows are settled; after the end, only what stays so. */
function details(now: Tally, at: number, ended: boolean): string[] {
  const parts: string[] = [];
  if (now.inDoubt > 0) parts.push(`${grouped(now.inDoubt)} in doubt${ended ? '' : whenLookedUp(now, at)}`);
  if (now.failed > 0) parts.push(`${grouped(now.failed)} failed`);
  if (ended) return parts;
  if (now.waiting > 0) parts.push(`${grouped(now.waiting)} to send${whenSent(now, at)}`);
  if (now.underWay > 0) parts.push(`${grouped(now.underWay)} under way`);
  return parts;
}

/** What is waited for where nothing but doubts is left. */
function whenLookedUp({ waiting, underWay, lookupAt }: Tally, at: number): string {
  if (waiting + underWay > 0 || lookupAt === null || lookupAt - at < 1_000) return '';
  return `, looked up in ${durationText(lookupAt - at)}`;
}

/** When the last row is sent; no time is promised while nothing is. */
function whenSent({ leftMs, isPaused, pace, before }: Tally, at: number): string {
  if (pace === null) return isPaused ? ', paused' : '';
  const waits = serviceText(pace, at) ?? before;
  const left = leftMs !== null && leftMs >= 1_000 ? `, about ${durationText(leftMs)} left` : '';
  return waits === null ? left : `${left}; waits for ${waits}`;
}
