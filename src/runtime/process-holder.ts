import { hostname } from 'node:os';

/** Names this process uniquely over time, for the lease on an account. */
export function processHolder(startedAt: number): string {
  return `${hostname()}/${process.pid}/${startedAt}`;
}

/** Whether the process that `holder` names is known to have ended: it ran on this machine, and its number is free. */
export function isDeadProcess(holder: string): boolean {
  const [host, pid] = holder.split('/');
  if (host !== hostname() || !pid) return false;
  try {
    // Signal 0 only asks whether the process is there.
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
