import { hostname } from 'node:os';
import { isEnded, processBegan, processPlace } from '../../core/basics/processes.ts';
import type { Clock } from '../../core/time/clock.ts';

let ownName: string | null = null;

/**
 * Names this process uniquely over time, by its start, for what it holds in the ledger. The name is made once: made
 * anew, it would differ by a millisecond at times, and by hours after the clock was set.
 */
export function processHolder(clock: Clock): string {
  ownName ??= nameBy(clock);
  return ownName;
}

/**
 * The system clock may have been set since the start. So if the system provides them, the name also contains the
 * namespace of the process id and the start time in the system's own count.
 */
function nameBy(clock: Clock): string {
  const startMs = Math.round(clock.now() - process.uptime() * 1_000);
  const place = processPlace();
  const began = place && processBegan(process.pid);
  const start = [startMs, ...(place && began ? [place.boot, place.namespaces, began] : [])].join('.');
  return `${hostname()}/${process.pid}/${start}`;
}

/**
 * Whether the process that `holder` names has certainly ended: it ran on this machine, and its process id is free or
 * belongs to a process with another start. If that cannot be decided, it counts as alive.
 */
export function isDeadProcess(holder: string): boolean {
  const [host, number, start = ''] = holder.split('/');
  if (host !== hostname() || !number) return false;
  const pid = Number(number);
  const [, boot, namespaces, began] = start.split('.');
  const here = processPlace();
  const isOfThisBoot = here !== null && boot === here.boot;
  // In another container of this machine with the same name, the process ids prove nothing.
  if (isOfThisBoot && namespaces !== here.namespaces) return false;
  if (isEnded(pid)) return true;
  const now = isOfThisBoot ? processBegan(pid) : null;
  return now !== null && now !== began;
}
