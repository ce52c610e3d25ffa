import cron from 'node-cron';
import type { Clock } from '../core/clock.ts';

/** node-cron's six fields, seconds first. */
const everyFiveSeconds = '*/5 * * * * *';

/**
 * node-cron waits for moments of the wall clock: it is silent for as long as the clock was set back, and for the hour that daylight saving
 * brings twice. By time that only grows, it is not silent for longer than this.
 */
const silentMsMax = 15_000;

export interface Heartbeat {
  /** Rings no more; resolves when what it last rang for is done. */
  stop(): Promise<void>;
}

/**
 * Calls `ring` at once and every five seconds, never twice at the same time. It knows nothing of what is due: a beat that was missed is
 * none that anything waits for.
 */
export function startHeartbeat(clock: Clock, ring: () => Promise<void>): Heartbeat {
  const stopping = new AbortController();
  let ringing: Promise<void> | null = null;
  let rungAt = clock.monotonic();
  const beat = () => {
    rungAt = clock.monotonic();
    ringing ??= ring().finally(() => {
      ringing = null;
    });
  };
  // After a day of suspension it would write a line, which is no JSON, for each of 17,280 beats.
  const schedule = () => cron.schedule(everyFiveSeconds, beat, { name: 'airbatch jobs', suppressMissedWarning: true });
  let task = schedule();
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await clock.sleep(rungAt + silentMsMax - clock.monotonic(), stopping.signal);
      if (stopping.signal.aborted || clock.monotonic() - rungAt < silentMsMax) continue;
      await task.destroy();
      task = schedule();
      beat();
    }
  };
  beat();
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await watching;
      await task.destroy();
      await ringing;
    },
  };
}
