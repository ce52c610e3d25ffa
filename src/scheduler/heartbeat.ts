import cron, { type ScheduledTask } from 'node-cron';
import type { Clock } from '../core/time/clock.ts';

const beatMs = 5_000;

/**
 * node-cron waits for moments of the system clock. If the clock is set back, node-cron is silent for that long. A
 * monotonic timer ends the silence after this time.
 */
const silentMsMax = 15_000;

/** A late beat counts as a beat: the machine slept, or the clock was set. */
const lateMsMax = 3_600_000;

export interface Heartbeat {
  /** Stops ringing; resolves when the last call of `ring` is done. */
  stop(): Promise<void>;
}

/**
 * Calls `ring` at once and then every five seconds, never twice at the same time. It does not know what is due, so a
 * missed beat loses nothing.
 */
export function startHeartbeat(clock: Clock, ring: () => Promise<void>): Heartbeat {
  const stopping = new AbortController();
  let ringing: Promise<void> | null = null;
  let rungAt = clock.monotonic();
  let task: ScheduledTask | null = null;
  const beat = () => {
    rungAt = clock.monotonic();
    ringing ??= ring().finally(() => {
      ringing = null;
    });
    const before = task;
    task = null;
    void before?.destroy();
    if (stopping.signal.aborted) return;
    // Schedules one moment at a time, as a date that occurs once a year. For a task that repeats every five seconds,
    // node-cron would walk through all missed beats before anything else: 6 s after a weekend of suspension, and hours
    // when a clock that stood in 1970 is corrected.
    task = cron.schedule(momentAfter(clock.now()), beat, {
      name: 'airbatch jobs',
      timezone: 'UTC',
      missedExecutionTolerance: lateMsMax,
      suppressMissedWarning: true,
    });
  };
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await clock.sleep(rungAt + silentMsMax - clock.monotonic(), stopping.signal);
      if (!stopping.signal.aborted && clock.monotonic() - rungAt >= silentMsMax) beat();
    }
  };
  beat();
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await watching;
      await task?.destroy();
      await ringing;
    },
  };
}

/** The next multiple of five seconds, in node-cron's six fields, seconds first. */
function momentAfter(nowMs: number): string {
  const at = new Date((Math.floor(nowMs / beatMs) + 1) * beatMs);
  return `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
}
