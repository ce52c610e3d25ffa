import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { secondsOfChildren } from './processor-time.ts';

/**
 * Loaded before each test file by `npm test`: notes what the process took of the processors, with those that it
 * started. Processes that a test starts with the same options are not its own children, and note nothing.
 */
const { AIRBATCH_SUITE_TIMES: path, AIRBATCH_SUITE_PID: suite } = process.env;
if (isMainThread && path !== undefined && suite === String(process.ppid))
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    const seconds = (userCPUTime + systemCPUTime) / 1_000_000 + (secondsOfChildren() ?? 0);
    appendFileSync(path, `${JSON.stringify({ file: process.argv[1], seconds })}\n`);
  });
