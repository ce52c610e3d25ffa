import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutCredentials, withoutNumbers } from '../../../src/core/text/redact.ts';

test('a phone number is removed, however people and services write it', () => {
  const written = [
    '+254712405118',
    '254712405118',
    '00254712405118',
    '00254 712 405 118',
    '0712405118',
    '0712 405 118',
    '0712-405-118',
    '0712–405–118',
    '0712 - 405 - 118',
    '0712.405.118',
    '712.405.118',
    '(0712) 405-118',
    '(0712)405118',
    '+254 (0)712 405 118',
    '+254-(0)-712-405-118',
    '(+254) 712405118',
    '+254 712405118',
    '0712\u00a0405\u00a0118',
    '+254\t712\t405\t118',
    '+33 6 12 34 56 78',
    '07 12 40 51 18',
    '71.24.15.18',
    '7124-0518',
    '+1 (415) 555-2671',
    '415-555-2671',
    '+2207712345',
    '7712345',
    '＋٢٥٤٧١٢٤٠٥١١٨',
    '٠٧١٢ ٤٠٥ ١١٨',
  ];
  const around = [
    ['', ''],
    ['No subscriber has ', '.'],
    ['National: ', ', or another'],
    ['"', '"'],
    ['Wanjiku (', ') has it'],
    ['msisdn=', '; try again'],
    ['HTTP 404: ', ' 500.00 refused'],
    ['On 2026-11-22 09:30 ', '!'],
  ];
  for (const number of written) {
    for (const [before, after] of around)
      assert.equal(withoutNumbers(`${before}${number}${after}`), `${before}[number]${after}`);
  }
});

test('each number is removed among other words and digits', () => {
  const lines = [
    ['No subscriber has +254712405118. National 0712405118.', 'No subscriber has [number]. National [number].'],
    ['254712405118,500.00', '[number],500.00'],
    ['254712405118 0722405118', '[number] [number]'],
    ['254712405118\n0712405118', '[number]\n[number]'],
    ['msisdn254712405118', 'msisdn[number]'],
    ['/subscribers/254712405118/plan', '/subscribers/[number]/plan'],
    ['HTTP 404 254712405118', 'HTTP 404 [number]'],
    ['0712405118 since 2026-11-22', '[number] since 2026-11-22'],
    // Two numbers in groups, and a word before one, cannot be told apart for certain: all of it goes.
    ['0712 405 118 0722 405 118', '[number]'],
    ['404 0712 405 118', '[number]'],
    ['20261125-0900~0712405118.csv', '20261125-0900~[number].csv'],
    ['20261125-0900', '[number]-0900'],
    ['254712405T118405000Z 20261126T143000190', '[number]T[number]Z [number]T[number]'],
  ];
  for (const [line, clean] of lines) assert.equal(withoutNumbers(line as string), clean);
});

test('text that is not a personal number stays', () => {
  const lines = [
    '',
    'The service answered HTTP 503, and 404 before',
    '550e8400-e29b-41d4-a716-446655440000',
    '550E8400-E29B-41D4-A716-446655440000',
    'HTTP 404 12345678-1234-5234-8234-123456789012',
    'batch 20261121-030832-12ba.',
    'batch 20261121-030832-1234, row 12',
    'file-a94630ae71c560bf',
    'file-a94630ae71c560bf/9b2f0123456789012345-1~2',
    `sha256 ${'0123456789'.repeat(6)}abcd`,
    'payroll-2026-11/0012',
    'payroll-2026-11-22',
    '2026-11-22T19:00:00.000Z',
    '2026-11-22 19:00:00 UTC',
    'from 2026-11-21 until 2026-11-22 3 times',
    'in cash on 22.11.2026, by Alice',
    'KES 1,234.50 of 12345.67',
    '123456.78, 1234567.89 and 1234567.890',
    'KES 12,345,678.90 for 1,234,567 rows',
    '104.18.132.147:443',
    "rename '/srv/pay/payroll/working/20261125-0900~november.csv'",
    '.airbatch/jobs/friday-promo/20261127-1700.csv',
    '/mnt/backup/airbatch-20261126T143000190Z is made',
    '1234567x and 123456 and 12 345',
    '0 6 1,15 * *',
  ];
  for (const line of lines) assert.equal(withoutNumbers(line), line);
});

test('a long line takes time in proportion to its length', () => {
  const length = 1_000_000;
  const started = process.cpuUsage();
  for (const piece of ['1', '1 ', '1.', '(+', '1234567-', '0a', '12345678-1234-', '123456789.'])
    withoutNumbers(`${piece.repeat(length / piece.length)}g`);
  // A second or two; a length squared would take hours.
  assert.ok(process.cpuUsage(started).user < 60_000_000);
});

test('what looks like a secret is removed from the output of a program', () => {
  const outputs: [output: string, clean: string][] = [
    ['DB_PASSWORD=x1 refused', 'DB_PASSWORD=[secret] refused'],
    ['my-api-key: "a b", next', 'my-api-key: [secret], next'],
    ['{"access_token_v2":"abc"}', '{"access_token_v2":[secret]}'],
    ['tool --db-password hunter2 failed', 'tool --db-password [secret] failed'],
    ['the token expired', 'the token expired'],
  ];
  for (const [output, clean] of outputs) assert.equal(withoutCredentials(output), clean);
});

test('output without spaces takes no longer than its length asks for', () => {
  const started = process.cpuUsage();
  for (const piece of ['password', 'token-', 'a', '-a', 'a.', '--', 'a1B'])
    withoutCredentials(`${piece.repeat(16_384 / piece.length)}!`);
  // A tenth of a second; without limits, the first one took minutes.
  assert.ok(process.cpuUsage(started).user < 10_000_000);
});
