/** How fast requests can be sent from now on, for forecasts. Times are epoch ms. */
export interface RateOutlook {
  /** When the next request may start; now or in the past means at once. */
  nextAt: number;
  /** How many requests are expected. If a window has no room for all, they are spread over it. */
  expected: number;
  /** How many requests may start before `until`, when the next window begins. */
  left: number;
  until: number;
  windowMs: number;
  /** How many requests each later window has room for. */
  perWindow: number;
  /** Whether requests are always spread over a window; otherwise they start when it begins, if it has room for all. */
  evenly: boolean;
  /** Requests that are spread for lack of room end this long before the window does (ms). */
  endFreeMs: number;
  /** The reserves of this window, and those of each later one. */
  keptBack: readonly KeptBack[];
  keptBackLater: readonly KeptBack[];
}

/**
 * The last `count` requests of a window wait until it is `untilAgeMs` old, to see whether other clients use the
 * account.
 */
export interface KeptBack {
  count: number;
  untilAgeMs: number;
}

/** How long (whole ms) until the last of `count` requests starts, by this outlook. */
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

/** The window of the next request. If the account waits past the current window, it is a later, unused one. */
function windowOfNext(outlook: RateOutlook): Pick<RateOutlook, 'left' | 'until' | 'keptBack'> {
  const { nextAt, until, windowMs, perWindow, keptBackLater } = outlook;
  if (nextAt < until) return outlook;
  const windows = Math.floor((nextAt - until) / windowMs) + 1;
  return { left: perWindow, until: until + windows * windowMs, keptBack: keptBackLater };
}

/**
 * When the last of `count` requests starts (epoch ms) in a window with room for them, if the first may start at
 * `from`.
 */
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
