import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  formatAmount,
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
} from '../../src/console/texts/format.ts';
import { regionOf, showLanguage, t } from '../../src/console/texts/i18n.ts';

Object.assign(globalThis, { document: { documentElement: {} } });

/** Spaces of languages are not those of a keyboard. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('numbers and texts in the reader’s language', () => {
  test('money keeps every digit, also if a float has none left', async () => {
    await showLanguage('en');
    assert.equal(formatAmount('12345678901234567890.123456', 'USD'), '12,345,678,901,234,567,890.123456');
    assert.equal(formatAmount('1500', 'KES'), '1,500.00');
    assert.equal(formatAmount('1500', 'UGX'), '1,500');
    assert.equal(formatAmount('0.1', 'no currency'), '0.1');
    await showLanguage('fr');
    assert.equal(plain(formatAmount('1234.5', 'EUR')), '1 234,50');
  });

  test('durations have two units', async () => {
    await showLanguage('en');
    assert.equal(formatDuration(7_500_000), '2 hr 5 min');
    assert.equal(formatDuration(400), '0 sec');
    assert.equal(formatDuration(60_000), '1 min');
    assert.equal(formatDuration(90_061_000), '1 day 1 hr');
  });

  test('a share is all of it only if nothing is missing', async () => {
    await showLanguage('en');
    assert.deepEqual([0.99999, 1, 34 / 60, 0.0004, 0].map(formatPercent), ['99.9%', '100%', '56.7%', '0%', '0%']);
  });

  test('counts, shares and sizes', async () => {
    await showLanguage('en');
    assert.deepEqual(
      [formatCount(100_000), formatPercent(0.1234), formatBytes(999), formatBytes(12_400), formatBytes(3_100_000)],
      ['100,000', '12.3%', '999 bytes', '12.4 kB', '3.1 MB'],
    );
  });

  test('plurals follow the language', async () => {
    await showLanguage('sw');
    assert.equal(t('batches.held', { count: 1 }), 'safu 1 imezuiliwa');
    assert.equal(t('batches.held', { count: 3 }), 'safu 3 zimezuiliwa');
  });

  test('a count in a text has the digits of the region, as amounts do', async ({ mock }) => {
    mock.getter(navigator, 'languages', () => ['pt-MZ']);
    await showLanguage('pt');
    assert.match(plain(t('batches.held', { count: 45_000 })), /^45 000 /);
    assert.equal(plain(formatCount(45_000)), '45 000');
  });

  test('a browser’s region counts if it has the language', () => {
    assert.equal(regionOf('pt', ['en-KE', 'pt-MZ']), 'pt-MZ');
    assert.equal(regionOf('fr', ['en-KE']), 'fr');
  });
});
