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
