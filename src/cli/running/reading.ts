import type { FileProgress } from '../../intake/check/check-file.ts';
import { interruptedExitCode } from '../base/exit-codes.ts';
import type { Terminal } from '../base/terminal.ts';
import { onInterrupt } from '../session/interrupt.ts';

/** The time in which a command reads a file and nothing was sent yet. */
export interface Reading {
  /** The first Ctrl-C aborts it. The code that reads the file then deletes its temporary files. */
  signal: AbortSignal;
  /** Shows how far the file was read, where a person watches. */
  onProgress(progress: FileProgress): void;
  /**
   * The time is over: Ctrl-C is somebody else's from here on. The process goes on listening to the end of the command:
   * a signal that comes while nobody listens is lost, or ends the process.
   */
  end(): void;
}

/** Files below this are read before a person could read how far. */
const shownBytesMin = 4 * 2 ** 20;

function startReading(terminal: Terminal): Reading & { dispose(): void } {
  const stop = new AbortController();
  let shown = -1;
  let isOver = false;
  const interrupt = onInterrupt(() => {
    if (isOver) return;
    terminal.error('\nStopping: nothing was sent. (Ctrl-C again ends at once.)\n');
    stop.abort();
  });
  return {
    signal: stop.signal,
    onProgress({ bytes, bytesTotal, rows }) {
      if (!terminal.isInteractive || bytesTotal < shownBytesMin) return;
      const percent = Math.floor((100 * bytes) / bytesTotal);
      if (percent === shown) return;
      shown = percent;
      terminal.show([`Reading    ${percent}% · ${rows.toLocaleString('en-US')} rows`]);
      if (percent === 100) terminal.keep();
    },
    end() {
      isOver = true;
    },
    dispose: interrupt.dispose,
  };
}

/** Does what a command does with a file. Interrupted before anything was sent, it gives the exit code of that. */
export async function whileReading(terminal: Terminal, work: (reading: Reading) => Promise<number>): Promise<number> {
  const reading = startReading(terminal);
  try {
    return await work(reading);
  } catch (error) {
    if (reading.signal.aborted) return interruptedExitCode;
    throw error;
  } finally {
    reading.dispose();
  }
}
