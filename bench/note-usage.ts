import { writeFileSync } from 'node:fs';
import { peakMiB } from './memory.ts';

/** What a process used, written when it ends: for commands that are measured from outside, by `node --import`. */
export interface Usage {
  cpuSeconds: number;
  peakMiB: number;
}

export const usageVariable = 'AIRBATCH_BENCH_USAGE';

const path = process.env[usageVariable];
if (path) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const usage: Usage = { cpuSeconds: (user + system) / 1_000_000, peakMiB: peakMiB() };
    writeFileSync(path, JSON.stringify(usage));
  });
}
