import cron, { type ScheduledTask } from 'node-cron';
import type { Clock } from '../../core/time/clock.ts';

const beatMs = 5_000;

/**
 * node-cron waits for moments of the wall clock: it is silent for as long as the clock was set back. By time that only
 * grows, it is not silent for longer than this.
 */
const silentMsMax = 15_000;

/** A beat that comes late is a beat: the machine slept, or the clock was set. */
const lateMsMax = 3_600_000;

export interface Heartbeat {
  /** Rings no more; resolves when what it last rang for is done. */
  stop(): Promise<void>;
}

/**
 * Calls `ring` at once and every five seconds, never twice at the same time. It knows nothing of what is due: a beat
 * that was missed is none that anything waits for.
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
    // One moment each time, which comes once a year. Of a task that comes every five seconds node-cron goes through
    // all that were missed, at once and before anything else: 6 s after a weekend of suspension, and for hours where a
    // clock that stood in 1970 is set right.
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

/** The next multiple of five seconds, in node-cron's six fields: seconds first. */
function momentAfter(nowMs: number): string {
  const at = new Date((Math.floor(nowMs / beatMs) + 1) * beatMs);
  return `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
}
