/**
 * Where the server's clock stands, in terms of our own monotonic one: `server = local + offset`. What each answer proves
 * narrows the offset down; it is used so that a moment of the server's is never taken for past too early.
 */
export interface ServerClock {
  /** Proved lower bounds of the offset; the best of the newer and of the older half of what is remembered. */
  atLeast: [newer: number, older: number];
  /** Proved upper bounds likewise. */
  atMost: [newer: number, older: number];
  /** When the newer half began (local). */
  since: number;
}

/** What one answer says of the time; server times in epoch ms, local times in monotonic ms. */
export interface TimeSample {
  receivedAt: number;
  /** When the request was written, where that is known. */
  sentAt: number | null;
  /** The answer's Date header, in whole seconds, where there was one. */
  date: number | null;
  /** The window that the answer speaks of was under way at the server between these two. */
  windowFrom: number;
  windowTo: number;
}

/** How long a proof counts: clocks drift apart by some 50 ms in this time. */
const memoryMs = 10 * 60_000;
/** Our own wall clock is believed to be this exact where nothing proves otherwise; at most, and as a part of a window. */
const wallDoubtMsMax = 250;
const wallDoubtShare = 1 / 240;
/** The Date header has whole seconds. */
const dateGrainMs = 1_000;

export function makeServerClock(): ServerClock {
  return { atLeast: [-Infinity, -Infinity], atMost: [Infinity, Infinity], since: -Infinity };
}

/** Notes what an answer proves: the server handled it after it was sent and before it was received. */
export function sampleTime(clock: ServerClock, sample: TimeSample): void {
  if (sample.receivedAt - clock.since > memoryMs / 2) {
    clock.atLeast = [-Infinity, clock.atLeast[0]];
    clock.atMost = [Infinity, clock.atMost[0]];
    clock.since = sample.receivedAt;
  }
  const { receivedAt, sentAt, date } = sample;
  if (date !== null) {
    clock.atLeast[0] = Math.max(clock.atLeast[0], date - receivedAt);
    if (sentAt !== null) clock.atMost[0] = Math.min(clock.atMost[0], date + dateGrainMs - sentAt);
  }
  if (sentAt !== null) clock.atMost[0] = Math.min(clock.atMost[0], sample.windowTo - sentAt);
  // The window's length is only configured: where it contradicts what is proved, it is wrong.
  const fromWindow = sample.windowFrom - receivedAt;
  if (fromWindow <= Math.min(...clock.atMost)) clock.atLeast[0] = Math.max(clock.atLeast[0], fromWindow);
}

/**
 * When the server's moment `serverMs` has surely come, on our monotonic clock. Our wall clock is trusted but for a small
 * doubt until an answer refutes it; from then on only what is proved counts.
 */
export function localTimeOf(clock: ServerClock, serverMs: number, wallOffset: number, windowMs: number): number {
  const atLeast = Math.max(...clock.atLeast);
  const atMost = Math.min(...clock.atMost);
  const believed = wallOffset - Math.min(wallDoubtMsMax, windowMs * wallDoubtShare);
  const refuted = wallOffset > atMost || wallOffset < atLeast;
  return serverMs - (refuted ? Math.min(atLeast, atMost) : Math.max(believed, atLeast));
}
