import { readFileSync } from 'node:fs';

/**
 * The most memory that this process ever held, in MiB. Linux carries `maxRSS` over from the process that started this
 * one, so there the mark of this process alone is read.
 */
export function peakMiB(): number {
  const kibibytes = peakOnLinux() ?? process.resourceUsage().maxRSS;
  return Math.round(kibibytes / 1_024);
}

function peakOnLinux(): number | null {
  try {
    const [, mark] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return mark === undefined ? null : Number(mark);
  } catch {
    return null;
  }
}

/**
 * How the launcher (`src/cli/airbatch.js`) starts commands of whole files: what stands for one is started so as well.
 */
export const asLauncher = {
  execArgv: ['--max-semi-space-size=8', '--max-old-space-size=1000'],
  /** `airbatch serve`. */
  serveExecArgv: ['--max-semi-space-size=32', '--max-old-space-size=1000'],
  env: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' },
};
