import { msUntilSent } from '../../core/time/rate-outlook.ts';
import type { StoredPace } from '../../ledger/accounts/pace.ts';
import { gateOf, isForeseeable } from '../pacing/account-gate.ts';
import type { Sending } from './sending.ts';
import { endingMs, sendingOrder, spareMs } from './sending-order.ts';

/** The pace of an account, from now on. */
export type PaceAhead = Pick<StoredPace, 'outlook' | 'spaced' | 'gate'>;

/** The forecast of a batch, in milliseconds from now. */
export interface Forecast {
  /** When its last row is sent. */
  sentMs: number;
  /** When all its rows should be terminal. */
  doneMs: number;
  /** When it must go first to finish in time: 0 if it already does, null if it need not. */
  boostedMs: number | null;
}

/** A batch with rows to send, and its stage; null if it has no deadline. */
interface Member extends Sending {
  stage: Stage | null;
}

/** Batches with the same deadline. Urgent batches are the first stage; the others follow by deadline. */
interface Stage {
  /** Null for urgent batches. */
  finishBy: number | null;
  isBoosted: boolean;
  members: Member[];
  /** The rows that these batches still have to send. */
  rows: number;
}

/** The queue of an account during a forecast. */
interface Line {
  now: number;
  pace: PaceAhead;
  /** In the order of sending. */
  left: Member[];
  /** In the order of sending if all deadlines were boosted. */
  stages: Stage[];
  /** The rows sent so far in the forecast. */
  sent: number;
  /**
   * No further stage needs a boost before this many rows are sent. Asking at every step takes seconds for thousands of
   * batches.
   */
  calmUntil: number;
}

/** The batches without a boost that need one from now on to finish in time. */
export function boostNeeded(sending: readonly Sending[], pace: PaceAhead, now: number): string[] {
  const isNeeded = isForeseeable(gateOf(pace.gate, now)) && sending.some(isBoostNeeded);
  return isNeeded ? boost(lineOf(sending, pace, now)) : [];
}

function isBoostNeeded({ priority, finish_by, boosted_at }: Sending): boolean {
  return priority !== 'urgent' && finish_by !== null && boosted_at === null;
}

/**
 * Forecasts when each batch of an account is sent and ends, by the same rules as sending. Empty if it is not
 * known when the account sends again.
 */
export function forecast(sending: readonly Sending[], pace: PaceAhead, now: number): Map<string, Forecast> {
  const found = new Map<string, Forecast>();
  if (!isForeseeable(gateOf(pace.gate, now))) return found;
  const line = lineOf(sending, pace, now);
  const boostedMs = new Map(sending.flatMap(({ batch, boosted_at }) => (boosted_at === null ? [] : [[batch, 0]])));
  while (line.left.length > 0) {
    for (const batch of boost(line)) boostedMs.set(batch, timeAt(line, line.sent) - now);
    const [first] = line.left;
    const behind = line.left.findIndex((one) => first && sendingOrder(first, one) < 0);
    const head = behind < 0 ? line.left : line.left.slice(0, behind);
    send(line, head, turnsUntilBoosted(line, head));
    for (const { batch, ready } of head) {
      if (ready > 0) continue;
      const sentMs = Math.max(timeAt(line, line.sent), pace.spaced[batch]?.lastAt ?? 0) - now;
      found.set(batch, { sentMs, doneMs: sentMs + endingMs, boostedMs: boostedMs.get(batch) ?? null });
    }
    line.left = line.left.filter(({ ready }) => ready > 0);
  }
  return found;
}

function lineOf(sending: readonly Sending[], pace: PaceAhead, now: number): Line {
  const left: Member[] = sending.filter(({ ready }) => ready > 0).map((one) => ({ ...one, stage: null }));
  const asBoosted = ({ priority, finish_by }: Member) => ({ priority, finish_by, boosted_at: finish_by && now });
  left.sort((a, b) => sendingOrder(asBoosted(a), asBoosted(b)));
  const stages: Stage[] = [{ finishBy: null, isBoosted: true, members: [], rows: 0 }];
  for (const member of left) {
    const { priority, finish_by: finishBy } = member;
    let stage = stages.at(-1);
    if (priority !== 'urgent' && finishBy === null) continue;
    const [like] = stage?.members ?? [];
    if (priority !== 'urgent' && (!like || sendingOrder(asBoosted(like), asBoosted(member)) !== 0)) {
      stage = { finishBy, isBoosted: true, members: [], rows: 0 };
      stages.push(stage);
    }
    if (!stage) continue;
    stage.members.push(member);
    stage.rows += member.ready;
    stage.isBoosted &&= !isBoostNeeded(member);
    member.stage = stage;
  }
  return { now, pace, left: left.sort(sendingOrder), stages, sent: 0, calmUntil: -1 };
}

/** When the last of `rows` rows of the account is sent (epoch ms). */
function timeAt({ pace, now }: Line, rows: number): number {
  return now + msUntilSent(pace.outlook, rows, now);
}

/**
 * The stages that need a boost after each of these batches has sent the given number of rows, and do not have one yet.
 */
function* toGoFirst(line: Line, head: readonly Member[] = [], turns = 0): Generator<Stage> {
  const sent = line.sent + turns * head.length;
  if (sent <= line.calmUntil) return;
  const ofHead = new Map<Stage | null, number>();
  for (const { stage } of head) ofHead.set(stage, (ofHead.get(stage) ?? 0) + 1);
  const at = timeAt(line, sent);
  let rows = 0;
  let leastSpareMs = Infinity;
  for (const stage of line.stages) {
    const own = stage.rows - turns * (ofHead.get(stage) ?? 0);
    rows += own;
    if (stage.isBoosted || stage.finishBy === null || own === 0) continue;
    const spare = spareMs(stage.finishBy, timeAt(line, sent + rows) - at, at);
    leastSpareMs = Math.min(leastSpareMs, spare);
    if (spare < 0) yield stage;
  }
  if (leastSpareMs >= 0) line.calmUntil = sent + rowsWithin(line, leastSpareMs);
}

/** How many rows can always be sent within `ms` milliseconds, wherever in a window they begin; below 0 if none can. */
function rowsWithin({ pace: { outlook } }: Line, ms: number): number {
  return (ms / outlook.windowMs - 2) * outlook.perWindow;
}

/** Whether any batch needs a boost. */
function hasToGoFirst(line: Line, head: readonly Member[], turns: number): boolean {
  return !toGoFirst(line, head, turns).next().done;
}

/** Boosts the batches that need it now, and returns them. */
function boost(line: Line): string[] {
  const boosted: string[] = [];
  for (const stage of toGoFirst(line)) {
    stage.isBoosted = true;
    for (const member of stage.members) {
      if (member.boosted_at !== null) continue;
      member.boosted_at = line.now;
      boosted.push(member.batch);
    }
  }
  if (boosted.length > 0) line.left.sort(sendingOrder);
  return boosted;
}

/** How many rows each batch at the front can send before it has sent all of its rows or another batch needs a boost. */
function turnsUntilBoosted(line: Line, head: readonly Member[]): number {
  const turns = Math.min(...head.map(({ ready }) => ready));
  if (!hasToGoFirst(line, head, turns)) return turns;
  let [before, after] = [0, turns];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (hasToGoFirst(line, head, middle)) after = middle;
    else before = middle;
  }
  return after;
}

function send(line: Line, head: readonly Member[], turns: number): void {
  line.sent += turns * head.length;
  for (const member of head) {
    member.ready -= turns;
    if (member.stage) member.stage.rows -= turns;
  }
}
