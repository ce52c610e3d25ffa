import { interruptedExitCode } from './exit-codes.ts';

/** The signals that ask a process to end. */
export interface Interrupt {
  happened(): boolean;
  dispose(): void;
}

/** Calls `stop` at the first Ctrl-C or SIGTERM; the second ends the process at once. */
export function onInterrupt(stop: () => void): Interrupt {
  let times = 0;
  const handler = () => {
    times += 1;
    if (times > 1) process.exit(interruptedExitCode);
    stop();
  };
  process.on('SIGINT', handler);
  process.on('SIGTERM', handler);
  return {
    happened: () => times > 0,
    dispose() {
      process.off('SIGINT', handler);
      process.off('SIGTERM', handler);
    },
  };
}
