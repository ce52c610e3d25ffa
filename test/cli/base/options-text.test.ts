import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionsText, sameFileOptionsText } from '../../../src/cli/base/options-text.ts';

test('the header line and the total line options are repeated for the same file, and not for a file of corrections, which has neither', () => {
  const kept = { header_line: '3', total_line: 'skip', country: 'KE' };
  assert.equal(sameFileOptionsText(kept), ' --header-line 3 --total-line skip --country KE');
  assert.equal(optionsText(kept), ' --country KE');
});
