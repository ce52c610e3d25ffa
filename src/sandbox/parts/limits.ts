import type { SandboxClock } from './clock.ts';
import type { LimitName, Settings } from './options.ts';

/** What an answer says about the window (spec section 8.1). */
export interface WindowState {
  limit: number;
  remaining: number;
  /** When the window ends, Unix seconds. */
  resetAt: number;
}

export interface Admission extends WindowState {
  admitted: boolean;
  /** Whole seconds until the next window, at least 1. */
  retryAfter: number;
}

export interface Limits {
  /** Counts one request of a company against all of these limits, or against none if one is used up. */
  admit(company: string, names: readonly LimitName[]): Admission;
  /** Forgets all counts. */
  reset(): void;
}

/** Fixed windows that begin at multiples of their length, one for each company and limit. A restart forgets them. */
export function makeLimits(clock: SandboxClock, { limits, windowMs }: Settings): Limits {
  let window = -1;
  let used = new Map<string, number>();
  return {
    admit(company, names) {
      const now = clock.now();
      const current = Math.floor(now / windowMs);
      if (current !== window) {
        window = current;
        used = new Map();
      }
      const counts = names.map((name) => ({ key: `${company}/${name}`, limit: limits[name] }));
      const admitted = counts.every(({ key, limit }) => (used.get(key) ?? 0) < limit);
      if (admitted) for (const { key } of counts) used.set(key, (used.get(key) ?? 0) + 1);
      const [first] = counts;
      const resetMs = (current + 1) * windowMs;
      return {
        admitted,
        limit: first?.limit ?? 0,
        // The headers describe the request's own limit, which is the first.
        remaining: first ? Math.max(0, first.limit - (used.get(first.key) ?? 0)) : 0,
        resetAt: Math.ceil(resetMs / 1_000),
        retryAfter: Math.max(1, Math.ceil((resetMs - now) / 1_000)),
      };
    },
    reset() {
      window = -1;
    },
  };
}
