import { readFileSync, readlinkSync } from 'node:fs';

/** Whether no process of this machine has this number any more. */
export function isEnded(pid: number): boolean {
  try {
    // Signal 0 only asks whether the process is there.
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Where numbers of processes mean the same: a run of the machine, and what of it a container sees. */
export interface ProcessPlace {
  boot: string;
  namespaces: string;
}

/** Where this process is; null where the system does not tell (it is no Linux). */
export function processPlace(): ProcessPlace | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespaces = ['pid', 'time']
      .map((kind) => readlinkSync(`/proc/self/ns/${kind}`).replace(/\D/g, ''))
      .join('-');
    // A /proc of another place counts other processes than those that have these numbers here.
    return statOf('self').pid === process.pid ? { boot, namespaces } : null;
  } catch {
    return null;
  }
}

/** When a process of this place began, in ticks since the machine did; null where that is not told. */
export function processBegan(pid: number): string | null {
  try {
    return statOf(pid).began;
  } catch {
    return null;
  }
}

function statOf(pid: number | 'self'): { pid: number; began: string | null } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in brackets, which may have blanks and brackets in it; the 22nd is the start
  // (proc_pid_stat(5)).
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid: Number.parseInt(stat, 10), began: afterName[22 - 3] ?? null };
}
