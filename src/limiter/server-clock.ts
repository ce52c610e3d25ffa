/**
 * The server's clock relative to our monotonic clock: `server = local + offset`. Each answer narrows the offset. It is
 * used so that a moment on the server's clock is never considered past too early.
 */
export interface ServerClock {
  /** Proved lower bounds of the offset: the best one of the newer and of the older half of the memory. */
  atLeast: [newer: number, older: number];
  /** Proved upper bounds, in the same way. */
  atMost: [newer: number, older: number];
  /** When the newer half began (local). */
  since: number;
}

/** What one answer says about the time. Server times are epoch ms, local times are monotonic ms. */
export interface TimeSample {
  receivedAt: number;
  /** When the request was written, if known. */
  sentAt: number | null;
  /** The answer's Date header, in whole seconds, if there was one. */
  date: number | null;
  /** The server's window of the answer lies between these two times. */
  windowFrom: number;
  windowTo: number;
}

/** How long a proof counts: clocks drift apart by about 50 ms in this time. */
const memoryMs = 10 * 60_000;
/** The assumed error of our wall clock until an answer proves otherwise: at most, and as a part of a window. */
const wallDoubtMsMax = 250;
const wallDoubtShare = 1 / 240;
/** The Date header has whole seconds. */
const dateGrainMs = 1_000;

export function makeServerClock(): ServerClock {
  return { atLeast: [-Infinity, -Infinity], atMost: [Infinity, Infinity], since: -Infinity };
}

/** Records what an answer proves: the server handled the request after it was sent and before the answer arrived. */
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
  // The window's length is only configured. If it contradicts a proof, it is wrong.
  const fromWindow = sample.windowFrom - receivedAt;
  if (fromWindow <= Math.min(...clock.atMost)) clock.atLeast[0] = Math.max(clock.atLeast[0], fromWindow);
}

/**
 * When the moment `serverMs` of the server's clock has certainly come, on our monotonic clock. Our wall clock is
 * trusted, with a small error, until an answer refutes it; from then on only proofs count.
 */
export function localTimeOf(clock: ServerClock, serverMs: number, wallOffset: number, windowMs: number): number {
  const atLeast = Math.max(...clock.atLeast);
  const atMost = Math.min(...clock.atMost);
  const believed = wallOffset - Math.min(wallDoubtMsMax, windowMs * wallDoubtShare);
  const refuted = wallOffset > atMost || wallOffset < atLeast;
  return serverMs - (refuted ? Math.min(atLeast, atMost) : Math.max(believed, atLeast));
}
