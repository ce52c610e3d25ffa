import { hostname } from 'node:os';
import { isEnded, processBegan, processPlace } from '../../core/basics/processes.ts';
import type { Clock } from '../../core/time/clock.ts';

/**
 * Names this process uniquely over time, by when it began: for what it holds in the ledger. Beside the time by the
 * clock, which may have been set since, stand the place in which its number is its own and the start by that place's
 * count, where the system tells them.
 */
export function processHolder(clock: Clock): string {
  const startMs = Math.round(clock.now() - process.uptime() * 1_000);
  const place = processPlace();
  const began = place && processBegan(process.pid);
  const start = [startMs, ...(place && began ? [place.boot, place.namespaces, began] : [])].join('.');
  return `${hostname()}/${process.pid}/${start}`;
}

/**
 * Whether the process that `holder` names is known to have ended: it ran on this machine, and its number is free, or
 * that of a process which began at another time. What cannot be told counts as alive.
 */
export function isDeadProcess(holder: string): boolean {
  const [host, number, start = ''] = holder.split('/');
  if (host !== hostname() || !number) return false;
  const pid = Number(number);
  const [, boot, namespaces, began] = start.split('.');
  const here = processPlace();
  const isOfThisBoot = here !== null && boot === here.boot;
  // Of another container of this machine with the same name the numbers say nothing here.
  if (isOfThisBoot && namespaces !== here.namespaces) return false;
  if (isEnded(pid)) return true;
  const now = isOfThisBoot ? processBegan(pid) : null;
  return now !== null && now !== began;
}
