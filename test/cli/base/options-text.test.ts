import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionsText, readWithOf, sameFileOptionsText } from '../../../src/cli/base/options-text.ts';
import { intakeSettingsWith } from '../../../src/cli/files/intake-settings.ts';

test('the line of the header and the total are repeated for the same file, and not for a file of corrections, which has neither', () => {
  const given = { headerLine: '3', totalLine: 'skip', country: 'KE', yes: true };
  const kept = readWithOf(given);
  assert.equal(sameFileOptionsText(kept), ' --header-line 3 --total-line skip --country KE');
  assert.equal(optionsText(kept), ' --country KE');
  const { headerLine, totalLine } = intakeSettingsWith({}, given);
  assert.deepEqual([headerLine, totalLine], [3, 'skip']);
});

test('a slip in them names the option', () => {
  assert.throws(() => intakeSettingsWith({}, { headerLine: 'three' }), /--header-line takes a whole number/);
  assert.throws(() => intakeSettingsWith({}, { headerLine: '0' }), /--header-line/);
  assert.throws(() => intakeSettingsWith({}, { totalLine: 'leave' }), /--total-line: is "skip" or "invalid"/);
});
