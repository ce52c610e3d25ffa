import { unreachable } from '../../core/basics/assert.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { type PauseReason, pauseReasons } from '../../core/state/batch-state.ts';
import type { Situation } from '../../core/state/situation.ts';
import { batchLabel, pauseReasonTexts, pauseSteps, pausesText } from '../../core/state/state-texts.ts';
import { isoTime } from '../../core/time/clock.ts';
import { longThrottleMs, type ThrottleWait } from '../../core/time/throttle-wait.ts';
import { type BatchBefore, batchesBefore } from '../../engine/forecast/sending.ts';
import { type AccountGate, causeOf } from '../../engine/pacing/account-gate.ts';
import type { StoredPace } from '../../ledger/accounts/pace.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { openPauses } from '../../ledger/batches/pauses.ts';
import { durationText, overlongText, timeText } from '../../reports/sentences/format.ts';
import { counted, grouped } from '../../reports/text/counted-text.ts';
import { type AccountNow, gateOfBatch, paceOf } from './account-now.ts';
import { approvalsNow, approvalsText } from './approvals-now.ts';
import type { WayOn } from './fields.ts';
import { situationNow, type WaitsSession } from './situation-now.ts';

/** What a batch is doing, in a few words. A batch that could continue but that no program works on is not running. */
export function situationText(batch: BatchRecord, { doing, holds }: Situation): string {
  const label = batchLabel(batch);
  if (doing === 'paused')
    return `${label}: ${pauseReasonTexts[holds.includes('by_person') ? 'by_person' : firstPause(holds)].label}`;
  if (batch.status !== 'running') return label;
  return doing === 'waiting' ? 'waits for a person' : doing === 'interrupted' ? 'interrupted' : label;
}

function firstPause(holds: Situation['holds']): PauseReason {
  return pauseReasons.find((reason) => holds.includes(reason)) ?? 'by_person';
}

/** Whether the service keeps all batches of an account waiting: it is unreachable or throttles the account. */
export function isKeptByService(account: AccountNow, batch: BatchRecord, now: number): boolean {
  return serviceText(gateOfBatch(account, batch), now) !== null;
}

/**
 * Why the service keeps all batches of an account waiting, in words: it throttles the account or is unreachable. Null
 * if neither.
 */
export function serviceText(gate: AccountGate, now: number): string | null {
  const throttle = causeOf(gate, 'throttled')?.throttle;
  if (throttle) return throttleText(throttle, now);
  const since = causeOf(gate, 'unreachable')?.since ?? null;
  return since === null
    ? null
    : `the service: it has not answered properly for ${durationText(Math.max(0, now - since))}`;
}

/**
 * Says that the service throttles the account, for how much longer, and whether airbatch waits for the whole of that
 * time.
 */
export function throttleText(throttle: ThrottleWait, now: number): string {
  const { since, until } = throttle;
  const service = 'the service, which makes the account wait (HTTP 429)';
  const [left, time] = [durationText(Math.max(0, until - now)), timeText(isoTime(until))];
  const overlong = overlongText(throttle);
  if (overlong !== null) return `${service} for ${overlong}; it is asked again in ${left}, at ${time}`;
  return until - since < longThrottleMs ? `${service}, ${left} more` : `${service}, ${left} more, until ${time}`;
}

/**
 * What a person can do if no known limit explains the length of the throttle. A program that starts asks the service
 * again, but not at once.
 */
function throttleAdvice({ since, at, until }: ThrottleWait, now: number): string {
  if (until - since < longThrottleMs) return '';
  const why = ': ask the service why';
  const askAgainAt = at + longThrottleMs;
  if (until <= askAgainAt) return why;
  const when = askAgainAt <= now ? '' : `, not before ${timeText(isoTime(askAgainAt))}`;
  return `${why}; if that is its mistake, start airbatch again${when}, so that it asks again at once`;
}

/** How many batches are named; further ones are only counted. */
const namedMax = 2;

/** Which batches' rows are sent before those of a batch, and how many, in words; null if there are none. */
export function beforeText(batches: readonly BatchBefore[]): string | null {
  const moving = batches.filter(({ stands }) => !stands);
  const [first, turns] = [
    moving.filter(({ takesTurns }) => !takesTurns),
    moving.filter(({ takesTurns }) => takesTurns),
  ];
  const parts: string[] = [];
  if (first.length > 0) parts.push(`${rowsOf(first)} to be sent first`);
  if (turns.length > 0) parts.push(`its turn, with ${rowsOf(turns)} in between`);
  return parts.length === 0 ? null : parts.join('; then ');
}

function rowsOf(batches: readonly BatchBefore[]): string {
  const named = batches.slice(0, namedMax).map(({ batch }) => batch);
  const more = batches.length - named.length;
  const names = more > 0 ? `${named.join(', ')} and ${grouped(more)} more` : named.join(' and ');
  return `${counted(
    batches.reduce((sum, { rows }) => sum + rows, 0),
    'row',
  )} of ${names}`;
}

export interface Wait {
  /** What the batch waits for, as a text that names no command. */
  text: string;
  ways: readonly WayOn[];
}

/** What a batch waits for; null if it continues by itself or has ended. */
export async function waitsFor(
  session: WaitsSession,
  batch: BatchRecord,
  counts: ReadonlyMap<string, number>,
  account: AccountNow,
): Promise<Wait | null> {
  return waitIn(session, batch, {
    counts,
    account,
    situation: await situationNow(session, batch, { counts, account }),
  });
}

/** The same for a known situation. */
export async function waitIn(
  session: WaitsSession,
  batch: BatchRecord,
  { counts, account, situation }: { counts: ReadonlyMap<string, number>; account: AccountNow; situation: Situation },
): Promise<Wait | null> {
  const now = session.clock.now();
  const { next, meanwhile, rows } = situation;
  const pace = paceOf(account, batch);
  if (next === null) {
    if (situation.doing !== 'sending' || pace === null) return null;
    return waitOf(readyText(batch, rows.to_send, { pace, sending: account.sending, now }));
  }
  const work = waitOf('a program to work on it: none is running', 'run');
  switch (next.what) {
    case 'answer':
      return waitOf(
        'a person to answer the command that asks whether to send it; if that command has ended, nothing was sent: run the file again',
      );
    case 'approve': {
      const approvals = approvalsText(await approvalsNow(session, batch));
      return waitOf(approvals ?? 'a second person', 'approve');
    }
    case 'reject':
      return waitOf('a person to reject it, and to submit its file again: the time for approval is over', 'reject');
    case 'fund':
      return waitOf('money: airbatch continues by itself when a wallet holds enough, or when it is resumed', 'resume');
    case 'resume':
      return pausedWait(session, batch);
    case 'resolve':
      return waitOf(`a person to resolve ${counted(next.rows, 'row')} in doubt`, 'resolve');
    case 'release':
      return waitOf(`a person to decide on ${counted(next.rows, 'held row')}`, 'decide_held');
    case 'end_overdue':
      return account.worker === null
        ? waitOf(`${overdueText(next.rows)}; no program asks the service now`, 'resolve', 'run')
        : waitOf(overdueText(next.rows), 'resolve');
    case 'work':
      return work;
    case 'look_up':
    case 'end_rows': {
      const lookup = [next, ...meanwhile].find(({ what }) => what === 'look_up');
      if (account.worker !== null) return waitOf(followedText(counts, lookup?.at ?? null, now));
      if (next.at === null || next.at <= now) return work;
      return waitOf(
        `the next look-up of ${counted(next.rows, 'row')} in doubt${inTime(next.at, now)}; a program must do it then, and none is running`,
        'run',
      );
    }
    case 'end_throttle': {
      const throttle = causeOf(gateOfBatch(account, batch), 'throttled')?.throttle ?? null;
      return waitOf(throttle && throttleText(throttle, now) + throttleAdvice(throttle, now));
    }
    case 'answer_again':
      return waitOf(serviceText(gateOfBatch(account, batch), now));
    case 'read_list':
      return waitOf(
        'the service’s list: the ledger was restored, and airbatch first reads there what was paid since. It begins when no request of the lost program can be under way',
      );
    case 'end_first_rows':
      return waitOf(
        `the first ${counted(storedPolicy(batch.policy).canary?.rows ?? 0, 'row')} to end: airbatch sends them first, as a test`,
      );
    case 'reverse':
    case 'correct':
      return null;
    default:
      return unreachable(next.what);
  }
}

function waitOf(text: string | null, ...ways: WayOn[]): Wait | null {
  return text === null ? null : { text, ways };
}

/** What the rows that were sent wait for, in words; null if nothing is awaited. */
export function followedText(counts: ReadonlyMap<string, number>, lookupAt: number | null, now: number): string | null {
  const of = (state: string) => counts.get(state) ?? 0;
  const moving = of('sending') + of('accepted');
  const ends = moving > 0 ? `the service’s result for ${counted(moving, 'row')}` : null;
  const lookup =
    lookupAt === null ? null : `the next look-up of ${counted(of('in_doubt'), 'row')} in doubt${inTime(lookupAt, now)}`;
  return [ends, lookup].filter((parts) => parts !== null).join('; ') || null;
}

/** The time until a moment that lies ahead, in words. */
function inTime(at: number, now: number): string {
  return at > now + 1_000 ? `, in ${durationText(at - now)}` : '';
}

async function pausedWait({ db, config }: WaitsSession, batch: BatchRecord): Promise<Wait | null> {
  const pauses = await openPauses(db, batch);
  const credentials = config.accounts.get(batch.account)?.credentialsFrom;
  const reason = pauses[0]?.reason ?? 'by_person';
  const steps = pauseSteps(reason, (option) => (option === '' ? 'resume it' : 'resume it there'), { credentials });
  const text = `a person: it is paused (${pausesText(pauses)}); ${steps.join('; ')}`;
  return reason === 'service_changed' ? waitOf(text, 'resume', 'resume_moved') : waitOf(text, 'resume');
}

/** What keeps a number of ready rows from being sent now; null if nothing does. */
function readyText(
  batch: BatchRecord,
  ready: number,
  { pace, sending, now }: Pick<AccountNow, 'sending'> & { pace: StoredPace; now: number },
): string | null {
  const spaced = pace.spaced[batch.batch_id];
  if (spaced && spaced.rows >= ready)
    return `the next row to a number that was paid a moment ago${spaced.nextAt > now + 1_000 ? `, ${durationText(spaced.nextAt - now)} more` : ''}`;
  const before = batchesBefore(batch, { ready, pace, sending });
  return [beforeText(before), rateText(pace, now)].filter((parts) => parts !== null).join('; ') || null;
}

function overdueText(rows: number): string {
  const them = rows === 1 ? 'it' : 'them';
  return `the service’s result for ${counted(rows, 'overdue row')}, or a person to resolve ${them}`;
}

/**
 * A rate limit with an even pace makes a short pause between two rows. Such a pause is not reported as a wait: the text
 * would appear and vanish with every row.
 */
function rateText({ outlook: { nextAt, windowMs, perWindow }, shared }: StoredPace, now: number): string | null {
  if (nextAt <= now + 1_000 + (2 * windowMs) / perWindow) return null;
  return `the service's rate limit, ${durationText(nextAt - now)} more${shared ? '; others use the account' : ''}`;
}
