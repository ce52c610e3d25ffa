import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lineOfDraft, makeLineShifts, withLinesOfDraft } from '../../../src/runtime/drafts/mended-lines.ts';

/** As of a draft whose header stands in line 3, and in which the rows of lines 6 and 9 are left out. */
function gathered() {
  const { shifts, note } = makeLineShifts();
  for (const [line, own] of [
    [2, 4],
    [3, 5],
    [4, 7],
    [5, 8],
    [6, 10],
  ] as const)
    note(line, own);
  return shifts;
}

describe('the lines of a mended file', () => {
  test('are found in the draft, with an entry only where the difference changes', () => {
    const shifts = gathered();
    assert.deepEqual(
      shifts.map(({ from }) => from),
      [2, 4, 6],
    );
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7].map((line) => lineOfDraft(shifts, line)),
      [1, 4, 5, 7, 8, 10, 11],
    );
    assert.equal(lineOfDraft([], 7), 7);
  });

  test('are those of the draft in a problem, in its sentence and in its values', () => {
    const problem = {
      message: 'Line 5 pays the same as line 2: 5 KES.',
      values: { line: '5', other_line: '2', row: '5', earlier_line: '5' },
    };
    assert.deepEqual(withLinesOfDraft(problem, gathered()), {
      message: 'Line 8 pays the same as line 4: 5 KES.',
      values: { line: '8', other_line: '4', row: '5', earlier_line: '5' },
    });
  });
});
