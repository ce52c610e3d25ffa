import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileInput, readWithOf, settingsWith } from '../../../src/operations/files/file-input.ts';

test('settings of a file override the configuration, and are kept for a file of corrections', () => {
  const said = { file: '/a.csv', map: { amount: 'Net pay' }, header_line: 3, total_line: 'skip', expect_rows: 2 };
  const input = fileInput.parse({ ...said, account: 'main', country: 'KE' });
  const settings = {
    country: 'UG',
    currency: 'UGX',
    columns: { amount: 'Sum', reference: 'No' },
    guards: { rowsMax: 9 },
  };
  assert.deepEqual(settingsWith(settings, input), {
    country: 'KE',
    currency: 'UGX',
    headerLine: 3,
    totalLine: 'skip',
    columns: { amount: 'Net pay', reference: 'No' },
    guards: { rowsMax: 9, expectedRows: 2 },
  });
  assert.deepEqual(readWithOf(input), {
    account: 'main',
    'header-line': '3',
    'total-line': 'skip',
    country: 'KE',
    map: ['amount=Net pay'],
  });
});
