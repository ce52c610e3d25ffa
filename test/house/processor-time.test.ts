import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { secondsOfChildren } from './processor-time.ts';

test('the processor time of ended children is counted', { skip: !existsSync('/proc/self/stat') }, () => {
  const before = secondsOfChildren() ?? Number.NaN;
  const busy = 'while (process.cpuUsage().user + process.cpuUsage().system < 300_000);';
  execFileSync(process.execPath, ['-e', busy]);
  const took = (secondsOfChildren() ?? Number.NaN) - before;
  assert.ok(took >= 0.28, `${took}`);
});
