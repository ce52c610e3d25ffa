import { msUntilSent } from '../core/rate-outlook.ts';
import type { NotedPace } from '../ledger/pace.ts';
import type { Sending } from './sending.ts';
import { endingMs, sendingOrder, spareMs } from './sending-order.ts';

/** What is known of an account's pace, from now on. */
export type PaceAhead = Pick<NotedPace, 'outlook' | 'spaced' | 'unreachableSince'>;

/** What becomes of a batch if all goes on as it is foreseen, in milliseconds from now. */
export interface Foreseen {
  /** Until its last row is sent. */
  sentMs: number;
  /** Until every row of it can be expected to have ended. */
  doneMs: number;
  /** Until it goes first in order to be done in time: 0 where it does, null where it need not. */
  pressedMs: number | null;
}

/** A batch with rows to send, and the stage that it belongs to; null: one that is never pressed. */
interface Member extends Sending {
  stage: Stage | null;
}

/** Batches that go together once all that can be pressed is: what is urgent is the first stage, and then what is to be done by one time. */
interface Stage {
  /** Null of what is urgent. */
  finishBy: number | null;
  isPressed: boolean;
  members: Member[];
  /** Rows that they have to send in all. */
  rows: number;
}

/** The line of an account while it is gone through. */
interface Line {
  now: number;
  pace: PaceAhead;
  /** In the order in which they are sent. */
  left: Member[];
  /** In the order in which they would go if all of them were pressed. */
  stages: Stage[];
  /** Rows of all batches that are sent by now. */
  sent: number;
  /** Until so many are, no stage has to go first that does not: to ask each of them at each step takes seconds where they are thousands. */
  calmUntil: number;
}

/** The batches that have to go first from now on in order to be done in time, and do not yet. */
export function toPress(sending: readonly Sending[], pace: PaceAhead, now: number): string[] {
  return pace.unreachableSince === null && sending.some(isToPress) ? press(lineOf(sending, pace, now)) : [];
}

function isToPress({ priority, finish_by, pressed_at }: Sending): boolean {
  return priority !== 'urgent' && finish_by !== null && pressed_at === null;
}

/**
 * Goes through what an account has to send, by the very rule by which it is sent, and tells of each batch when it is; empty where that cannot
 * be told, since the service is not reached.
 */
export function foresee(sending: readonly Sending[], pace: PaceAhead, now: number): Map<string, Foreseen> {
  const found = new Map<string, Foreseen>();
  if (pace.unreachableSince !== null) return found;
  const line = lineOf(sending, pace, now);
  const pressedMs = new Map(sending.flatMap(({ batch, pressed_at }) => (pressed_at === null ? [] : [[batch, 0]])));
  while (line.left.length > 0) {
    for (const batch of press(line)) pressedMs.set(batch, timeAt(line, line.sent) - now);
    const [first] = line.left;
    const behind = line.left.findIndex((one) => first && sendingOrder(first, one) < 0);
    const head = behind < 0 ? line.left : line.left.slice(0, behind);
    send(line, head, turnsUntilPressed(line, head));
    for (const { batch, ready } of head) {
      if (ready > 0) continue;
      const sentMs = Math.max(timeAt(line, line.sent), pace.spaced[batch]?.lastAt ?? 0) - now;
      found.set(batch, { sentMs, doneMs: sentMs + endingMs, pressedMs: pressedMs.get(batch) ?? null });
    }
    line.left = line.left.filter(({ ready }) => ready > 0);
  }
  return found;
}

function lineOf(sending: readonly Sending[], pace: PaceAhead, now: number): Line {
  const left: Member[] = sending.filter(({ ready }) => ready > 0).map((one) => ({ ...one, stage: null }));
  const asPressed = ({ priority, finish_by }: Member) => ({ priority, finish_by, pressed_at: finish_by && now });
  left.sort((a, b) => sendingOrder(asPressed(a), asPressed(b)));
  const stages: Stage[] = [{ finishBy: null, isPressed: true, members: [], rows: 0 }];
  for (const member of left) {
    const { priority, finish_by: finishBy } = member;
    let stage = stages.at(-1);
    if (priority !== 'urgent' && finishBy === null) continue;
    const [like] = stage?.members ?? [];
    if (priority !== 'urgent' && (!like || sendingOrder(asPressed(like), asPressed(member)) !== 0)) {
      stage = { finishBy, isPressed: true, members: [], rows: 0 };
      stages.push(stage);
    }
    if (!stage) continue;
    stage.members.push(member);
    stage.rows += member.ready;
    stage.isPressed &&= !isToPress(member);
    member.stage = stage;
  }
  return { now, pace, left: left.sort(sendingOrder), stages, sent: 0, calmUntil: -1 };
}

/** When the last of so many rows of the account is sent (epoch ms). */
function timeAt({ pace, now }: Line, rows: number): number {
  return now + msUntilSent(pace.outlook, rows, now);
}

/** The stages that have to go first once each of these batches has sent so many rows more, and do not. */
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
    if (stage.isPressed || stage.finishBy === null || own === 0) continue;
    const spare = spareMs(stage.finishBy, timeAt(line, sent + rows) - at, at);
    leastSpareMs = Math.min(leastSpareMs, spare);
    if (spare < 0) yield stage;
  }
  if (leastSpareMs >= 0) line.calmUntil = sent + rowsWithin(line, leastSpareMs);
}

/** How many rows more, of whichever batches, take no longer than so many ms wherever in a window they begin; below 0 where none do. */
function rowsWithin({ pace: { outlook } }: Line, ms: number): number {
  return (ms / outlook.windowMs - 2) * outlook.perWindow;
}

/** Whether any has to. */
function hasToGoFirst(line: Line, head: readonly Member[], turns: number): boolean {
  return !toGoFirst(line, head, turns).next().done;
}

/** Presses what has to go first now; returns those batches. */
function press(line: Line): string[] {
  const pressed: string[] = [];
  for (const stage of toGoFirst(line)) {
    stage.isPressed = true;
    for (const member of stage.members) {
      if (member.pressed_at !== null) continue;
      member.pressed_at = line.now;
      pressed.push(member.batch);
    }
  }
  if (pressed.length > 0) line.left.sort(sendingOrder);
  return pressed;
}

/** How many rows each of the first can send before it is done, or another batch has to go before it. */
function turnsUntilPressed(line: Line, head: readonly Member[]): number {
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
