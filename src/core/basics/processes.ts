import { readFileSync, readlinkSync } from 'node:fs';

/** Whether this machine has no process with this id any more. */
export function isEnded(pid: number): boolean {
  try {
    // Signal 0 only tests whether the process exists.
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Where a process id is valid: one boot of the machine, and one set of namespaces in it. */
export interface ProcessPlace {
  boot: string;
  namespaces: string;
}

let ownPlace: ProcessPlace | null | undefined;

/** The place of this process, which never changes; null if the system does not show it (not Linux). */
export function processPlace(): ProcessPlace | null {
  ownPlace ??= readPlace();
  return ownPlace;
}

function readPlace(): ProcessPlace | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespaces = ['pid', 'time']
      .map((kind) => readlinkSync(`/proc/self/ns/${kind}`).replace(/\D/g, ''))
      .join('-');
    // A /proc of another PID namespace lists other ids than those that are valid here.
    return statOf('self').pid === process.pid ? { boot, namespaces } : null;
  } catch {
    return null;
  }
}

/** When a process of this place began, in ticks since boot; null if unknown. */
export function processBegan(pid: number): string | null {
  try {
    return statOf(pid).began;
  } catch {
    return null;
  }
}

function statOf(pid: number | 'self'): { pid: number; began: string | null } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in brackets, which may itself contain spaces and brackets; the 22nd is the start
  // (proc_pid_stat(5)).
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid: Number.parseInt(stat, 10), began: afterName[22 - 3] ?? null };
}

/**
 * The process that holds something in the ledger, without its start time (`host/pid/start`). People do not need that
 * number, and the log would mask it as if it were a phone number.
 */
export function processName(holder: string): string {
  const [host, process] = holder.split('/');
  return process === undefined ? holder : `process ${process} on ${host}`;
}
