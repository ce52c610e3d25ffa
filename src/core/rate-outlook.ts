/** How fast requests can go on from now, as far as is known: for people who ask when it will be done. Times are epoch ms. */
export interface RateOutlook {
  /** When the next one may start; in the past or now when one may at once. */
  nextAt: number;
  /** How many are to come in all: where a window has no room for them, what it has room for is spread over it. */
  expected: number;
  /** How many may start before `until`, when the next window begins. */
  left: number;
  until: number;
  windowMs: number;
  /** How many each window after that has room for. */
  perWindow: number;
  /** Whether they are spread over the whole of a window in any case; else they go as soon as it has begun, where it has room for all. */
  evenly: boolean;
  /** What is spread for want of room is sent so much before the end of a window (ms). */
  endFreeMs: number;
  /** What of this window waits for a while, and what of each after it. */
  keptBack: readonly KeptBack[];
  keptBackLater: readonly KeptBack[];
}

/** The last `count` that a window has room for wait until it is so old (ms), to see whether others use the account. */
export interface KeptBack {
  count: number;
  untilAgeMs: number;
}

/** What is used of a window of the server's that nobody else was seen to use. */
export interface OwnUse {
  count: number;
  limit: number;
  /** The server's own word of when that window ends (epoch ms), by which it is known again. */
  resetAt: number;
  /** When it is surely over, by our clock (epoch ms). */
  endsAt: number;
}

/** In how many milliseconds (a whole number) the last of `count` requests starts, if all goes on as it is foreseen. */
export function msUntilSent(outlook: RateOutlook, count: number, now: number): number {
  if (count <= 0) return 0;
  const { nextAt, windowMs, perWindow, keptBackLater } = outlook;
  const expected = Math.max(outlook.expected, count);
  const { left, until, keptBack } = windowOfNext(outlook);
  if (count <= left) {
    const window = { room: left, from: Math.max(now, nextAt), until, keptBack };
    return Math.round(startInWindow(outlook, window, { count, expected }) - now);
  }
  const full = Math.ceil((count - left) / perWindow) - 1;
  const before = left + full * perWindow;
  const from = Math.max(now, until) + full * windowMs;
  const window = { room: perWindow, from, until: from + windowMs, keptBack: keptBackLater };
  return Math.round(startInWindow(outlook, window, { count: count - before, expected: expected - before }) - now);
}

/** The window in which the next one starts: where the account waits longer than this one lasts, a later one that nobody has used. */
function windowOfNext(outlook: RateOutlook): Pick<RateOutlook, 'left' | 'until' | 'keptBack'> {
  const { nextAt, until, windowMs, perWindow, keptBackLater } = outlook;
  if (nextAt < until) return outlook;
  const windows = Math.floor((nextAt - until) / windowMs) + 1;
  return { left: perWindow, until: until + windows * windowMs, keptBack: keptBackLater };
}

/** When the last of `count` requests starts in a window that has room for them (epoch ms), of which the first may start at `from`. */
function startInWindow(
  { windowMs, evenly, endFreeMs }: RateOutlook,
  { room, from, until, keptBack }: { room: number; from: number; until: number; keptBack: readonly KeptBack[] },
  { count, expected }: { count: number; expected: number },
): number {
  const isSpread = evenly || expected > room;
  if (isSpread) return from + (Math.max(0, until - (evenly ? 0 : endFreeMs) - from) * (count - 1)) / room;
  const waits = keptBack
    .filter((kept) => count > room - kept.count)
    .map(({ untilAgeMs }) => until - windowMs + untilAgeMs);
  return Math.max(from, ...waits);
}
