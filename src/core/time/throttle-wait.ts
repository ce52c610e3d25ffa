/**
 * Limits are by the minute, so a normal throttle lasts about a minute. A throttle of this length needs a person's
 * attention.
 */
export const longThrottleMs = 15 * 60_000;

/** A throttle that the service has imposed on an account. Times are epoch ms. */
export interface ThrottleWait {
  since: number;
  /** When the service last imposed it, and its own `Retry-After` (ms). */
  at: number;
  saidMs: number;
  /** When the next request is made: earlier than the service said, if it said too long. */
  until: number;
}
