/** How fast requests can go on from now, as far as is known: for people who ask when it will be done. Times are epoch ms. */
export interface RateOutlook {
  /** When the next one may start; in the past or now when one may at once. */
  nextAt: number;
  /** How many may start before `until`, when the next window begins. */
  left: number;
  until: number;
  windowMs: number;
  /** How many each window after that has room for. */
  perWindow: number;
  /** Whether they are spread over a window; else they go as soon as it has begun. */
  evenly: boolean;
}

/** In how many milliseconds the last of `count` requests starts, if all goes on as it is foreseen. */
export function msUntilSent(
  { nextAt, left, until, windowMs, perWindow, evenly }: RateOutlook,
  count: number,
  now: number,
): number {
  if (count <= 0) return 0;
  const startsIn = Math.max(0, nextAt - now);
  const windowIn = Math.max(0, until - now);
  if (count <= left) return evenly ? Math.max(startsIn, (windowIn * count) / left) : startsIn;
  const windows = (count - left) / perWindow;
  return Math.max(startsIn, windowIn) + (evenly ? windows : Math.ceil(windows) - 1) * windowMs;
}

/** What is limited by the minute tells who is too quick to wait for a minute or so: a wait of this length is worth a person's look. */
export const longWaitMs = 15 * 60_000;
