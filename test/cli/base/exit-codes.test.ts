import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worstExitCode } from '../../../src/cli/base/exit-codes.ts';

test('of several batches, the exit code is that of the one that most needs attention', () => {
  for (const [codes, worst] of [
    [[], 0],
    [[0, 4, 0], 4],
    [[4, 5, 0], 5],
    [[5, 3, 4], 5],
    [[1, 5], 1],
    [[130, 1, 5], 130],
  ] as const)
    assert.equal(worstExitCode(codes), worst, codes.join());
});
