import { hostname } from 'node:os';
import type { Clock } from '../core/clock.ts';
import { isEnded } from '../core/processes.ts';

/** Names this process uniquely over time, by when it began: for what it holds in the ledger. */
export function processHolder(clock: Clock): string {
  return `${hostname()}/${process.pid}/${Math.round(clock.now() - process.uptime() * 1_000)}`;
}

/** Whether the process that `holder` names is known to have ended: it ran on this machine, and its number is free. */
export function isDeadProcess(holder: string): boolean {
  const [host, pid] = holder.split('/');
  return host === hostname() && !!pid && isEnded(Number(pid));
}
