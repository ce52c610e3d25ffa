import type { Clock } from '../core/clock.ts';
import type { RateHeaders } from '../gateway/gateway.ts';
import type { RateUsage } from './limiter.ts';

export interface WindowOptions {
  /** Requests that the service allows in a window (spec section 8.1), as configured. */
  limit: number;
  windowMs: number;
  /**
   * `server`: the service says with each answer what is left (V2). `paced`: it does not (V1), so starts are evenly spaced.
   * `counted`: it does not, but another window of the same request does, so that counting suffices.
   */
  mode: 'server' | 'paced' | 'counted';
  onLimitDiffers?: ((seen: number) => void) | undefined;
}

/** Decides when requests of one class may start: following the server's window where it tells of one, else by our own count. */
export interface Window {
  /** How many requests may start now. */
  free(): number;
  /** When the next may start (epoch ms), where none may start now. */
  nextAt(): number;
  /** Requests start now; each is in flight until `end`. */
  begin(count: number): void;
  /** So many of the requests that began were not, and will not be, sent. */
  unsend(count: number): void;
  end(count: number): void;
  observe(headers: RateHeaders): void;
  hold(ms: number): void;
  usage(): RateUsage;
}

/** Clocks differ, and the server's reset has whole seconds: the next window is begun this much after it, at the least. */
const resetMarginMs = 25;
/** Without headers requests are paced this much slower than the limit allows, so that no sliding window ever has one more. */
const paceMargin = 1.01;

interface ServerWindow {
  limit: number;
  remaining: number;
  resetAt: number;
}

export function makeWindow(options: WindowOptions, clock: Clock): Window {
  let { limit } = options;
  let server: ServerWindow | null = null;
  let heldUntil = 0;
  let inFlight = 0;
  // Requests of which no headers were seen: under way, or lost; the server may not have counted them when it last spoke.
  let unseen = 0;
  // Our own starts within the last window, the oldest first.
  let starts: { at: number; count: number }[] = [];
  let startedSinceReset = 0;
  let resetPassedAt: number | null = null;

  const startedLately = (now: number): number => {
    const kept = starts.findIndex(({ at }) => at > now - options.windowMs);
    if (kept !== 0) starts = kept < 0 ? [] : starts.slice(kept);
    return starts.reduce((sum, { count }) => sum + count, 0);
  };

  /** Once the server's window is over, the next one is ours to begin: what we start counts against its whole limit. */
  const passReset = (now: number): void => {
    if (server === null || now < server.resetAt) return;
    resetPassedAt = server.resetAt;
    startedSinceReset = inFlight;
    unseen = inFlight;
    server = null;
  };

  const freeByServer = (now: number): number => {
    passReset(now);
    if (server !== null) return server.remaining - unseen;
    if (resetPassedAt !== null) return limit - startedSinceReset;
    // Nothing is known of the window yet: one request goes ahead and asks. A server that tells nothing is asked one by one.
    return inFlight === 0 && startedLately(now) < limit ? 1 : 0;
  };

  const freeByCount = (now: number): number => {
    if (startedLately(now) >= limit) return 0;
    const last = starts.at(-1);
    const pace = (options.windowMs / limit) * paceMargin;
    return !last || now - last.at >= pace * last.count ? 1 : 0;
  };

  const free = (): number => {
    const now = clock.now();
    if (now < heldUntil) return 0;
    if (options.mode === 'counted') return Math.max(0, limit - startedLately(now));
    return Math.max(0, Math.floor(options.mode === 'server' ? freeByServer(now) : freeByCount(now)));
  };

  const window: Window = {
    free,
    nextAt() {
      const now = clock.now();
      if (now < heldUntil) return heldUntil;
      const oldestEnds = (starts[0]?.at ?? now) + options.windowMs + 1;
      if (options.mode === 'server') return server?.resetAt ?? oldestEnds;
      if (options.mode === 'counted') return oldestEnds;
      const last = starts.at(-1);
      const paced = last ? last.at + (options.windowMs / limit) * paceMargin * last.count : now;
      return startedLately(now) >= limit ? Math.max(paced, oldestEnds) : paced;
    },
    begin(count) {
      inFlight += count;
      unseen += count;
      startedSinceReset += count;
      starts.push({ at: clock.now(), count });
    },
    unsend(count) {
      unseen = Math.max(0, unseen - count);
      startedSinceReset -= count;
      const last = starts.at(-1);
      if (last) last.count = Math.max(0, last.count - count);
    },
    end(count) {
      inFlight -= count;
    },
    observe(headers) {
      if (headers.limit !== limit) {
        options.onLimitDiffers?.(headers.limit);
        limit = headers.limit;
      }
      const now = clock.now();
      const resetAt = Math.min(Math.max(headers.resetAt, now), now + options.windowMs) + resetMarginMs;
      // Answers come out of order: within a window what is left only falls.
      const same = server !== null && Math.abs(server.resetAt - resetAt) < options.windowMs / 2;
      const remaining = same && server ? Math.min(server.remaining, headers.remaining) : headers.remaining;
      server = {
        limit: headers.limit,
        remaining,
        resetAt: same && server ? Math.max(server.resetAt, resetAt) : resetAt,
      };
      resetPassedAt = null;
      unseen = Math.max(0, unseen - 1);
    },
    hold(ms) {
      heldUntil = Math.max(heldUntil, clock.now() + ms);
    },
    usage() {
      const now = clock.now();
      const used = startedLately(now);
      return {
        limit,
        windowMs: options.windowMs,
        used,
        remaining: server?.remaining ?? null,
        nextAt: free() > 0 ? now : window.nextAt(),
        shared: false,
      };
    },
  };
  return window;
}
