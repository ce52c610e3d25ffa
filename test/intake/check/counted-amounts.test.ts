import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeCountedAmounts } from '../../../src/intake/check/counted-amounts.ts';
import { check, csv, goodRow } from '../support.ts';

describe('amounts far from the usual one', () => {
  test('are found in a file, with the first lines that have them, whatever stands between', async () => {
    const amounts = ['10', '2000', '10', '9000', '12', '9000.00', '10', '9000', '11', '9000', '10', '10'];
    const rows = amounts.map((amount, index) => goodRow({ amount, phone_number: `+2547123456${10 + index}` }));
    const { findings } = await check(csv(rows));
    assert.deepEqual(findings.unusual, [{ currency: 'KES', amount: '9000', usual: '11', lines: [5, 7, 9] }]);
  });

  test('are found below and above it: a thousands comma that was read as a decimal comma', async () => {
    const amounts = ['1500', '2000', '1.50', '1800', '90000', '1500', '1.5'];
    const rows = amounts.map((amount, index) => goodRow({ amount, phone_number: `+2547123456${10 + index}` }));
    const { findings } = await check(csv(rows));
    assert.deepEqual(findings.unusual, [
      { currency: 'KES', amount: '90000', usual: '1500', lines: [6] },
      { currency: 'KES', amount: '1.5', usual: '1500', lines: [4, 8] },
    ]);
  });

  test('are looked for only among the rows to send', async () => {
    const row = (index: number, amount: string) => goodRow({ amount, phone_number: `+25471234561${index}` });
    const rows = [...[0, 1, 2, 3, 4].map((index) => row(index, '10')), { ...row(5, '9000'), network_id: '' }];
    assert.deepEqual((await check(csv(rows))).findings.unusual, []);
  });

  test('are left to the ledger if there are more amounts than memory keeps', () => {
    const counted = makeCountedAmounts();
    counted.add('KES', '99999999', 1);
    for (let line = 2; line <= 100_001; line++) {
      if (line === 100_001) assert.equal(counted.unusual().length, 1);
      counted.add('KES', String(100_000 + line), line);
    }
    assert.deepEqual(counted.unusual(), []);
  });
});
