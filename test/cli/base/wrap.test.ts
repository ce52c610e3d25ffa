import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleText } from 'node:util';
import { tableText } from '../../../src/cli/base/table.ts';
import { wrapped } from '../../../src/cli/base/wrap.ts';

test('a long line continues below its own column, and every word and every amount stays complete', () => {
  const line = 'Balance    USD 16,267.524 in all: USD 10,000.00; KES 500,000.00; NGN 2,000,000.00; ZAR 20,000.00';
  assert.equal(
    wrapped(line, 60),
    [
      'Balance    USD 16,267.524 in all: USD 10,000.00;',
      '           KES 500,000.00; NGN 2,000,000.00; ZAR 20,000.00',
    ].join('\n'),
  );
  assert.equal(wrapped(line, 200), line);
  assert.equal(wrapped(line, Number.POSITIVE_INFINITY), line);
});

test('a line without a column of its own continues with more indentation', () => {
  assert.equal(wrapped('  2 rows failed: nothing was paid', 20), '  2 rows failed:\n    nothing was paid');
  assert.equal(
    wrapped('Note: the account\nis paused for a person', 16),
    'Note: the\n  account\nis paused for a\n  person',
  );
});

test('colours take no room, and wide characters take two columns', () => {
  const red = styleText('red', 'Error:', { validateStream: false });
  assert.equal(wrapped(`${red} no such file`, 19), `${red} no such file`);
  assert.equal(wrapped('給与 給与 給与', 9), '給与 給与\n  給与');
});

test('a command is not broken: half of it would be another command', () => {
  const command = 'airbatch run reports/20261122-224333-0307/failed.csv --run-id file-a94630ae71c560bf';
  assert.equal(
    wrapped(`Next       correct the file, then ${command}: nothing is paid twice`, 80),
    `Next       correct the file, then\n           ${command}:\n           nothing is paid twice`,
  );
  assert.equal(
    wrapped('Waits for  a program ("airbatch resume 20261122-224333-0307" or "airbatch serve")', 60),
    'Waits for  a program ("airbatch resume 20261122-224333-0307"\n           or "airbatch serve")',
  );
});

test('a file name is broken after its signs before a table is given up', () => {
  const columns = [{ name: 'batch' }, { name: 'file', breaksInWords: true }] as const;
  const text = tableText({ answerColumns: 19, paint: (_style, name) => name }, columns, [
    ['20261122-1', 'monthly-payroll_11.csv'],
  ]);
  assert.deepEqual(text.split('\n').slice(2), ['20261122-1 monthly-', '           payroll_', '           11.csv']);
});

test('a time stays with its unit', () => {
  assert.equal(wrapped('all sent in about 2 h 5 min; then', 25), 'all sent in about 2 h\n  5 min; then');
});

test('words that belong together stay together as far as a line has room for them', () => {
  const held = (text: string) => text.replaceAll(' ', '\u00a0');
  const text = ` ████ ${held('5 of 90 rows settled')} · ${held('85 to send, about 1 min 46 s left; waits for 17 rows of 20261124-234847-d847 to be sent before its own')} · ${held('2 under way')}`;
  assert.deepEqual(wrapped(text, 60).replaceAll('\u00a0', ' ').split('\n'), [
    ' ████ 5 of 90 rows settled · 85 to send, about 1 min 46 s',
    '   left; waits for 17 rows of 20261124-234847-d847 to be',
    '   sent before its own · 2 under way',
  ]);
});

test('a table becomes narrower at its words, and if it does not fit, each line becomes few lines of cells with their names', () => {
  const columns = [{ name: 'batch' }, { name: 'status' }, { name: 'paid', align: 'right' }] as const;
  const lines = [
    ['20261122-224333-0307', 'paused: balance too low', '1,200'],
    ['20261122-224334-41ab', 'finished', '3'],
  ];
  const table = (answerColumns: number) =>
    tableText({ answerColumns, paint: (_style, text) => text }, columns, lines).split('\n');
  assert.deepEqual(table(Number.POSITIVE_INFINITY), [
    'batch                 status                    paid',
    '────────────────────  ───────────────────────  ─────',
    '20261122-224333-0307  paused: balance too low  1,200',
    '20261122-224334-41ab  finished                     3',
  ]);
  assert.deepEqual(
    table(48),
    [
      'batch                 status                paid',
      '────────────────────  ───────────────────  ─────',
      '20261122-224333-0307  paused: balance too  1,200',
      '                      low                       ',
      '20261122-224334-41ab  finished                 3',
    ].map((line) => line.trimEnd()),
  );
  assert.deepEqual(table(30), [
    'batch 20261122-224333-0307',
    '  status paused: balance too low',
    '  paid 1,200',
    '',
    'batch 20261122-224334-41ab',
    '  status finished · paid 3',
  ]);
});

test('a long table is laid out in pieces, and looks like one: 20,000 lines in seconds instead of a minute', () => {
  const lines = Array.from({ length: 350 }, (_, index) => [
    `batch ${index}`,
    'x'.repeat(1 + (index % 7)),
    String(index),
  ]);
  const columns = [{ name: 'batch' }, { name: 'file' }, { name: 'rows', align: 'right' }] as const;
  const text = tableText({ answerColumns: 80, paint: (_style, name) => name }, columns, lines).split('\n');
  const expected = lines.map(
    ([batch = '', file = '', rows = '']) => `${batch.padEnd(11)}${file.padEnd(9)}${rows.padStart(4)}`,
  );
  assert.deepEqual(text, ['batch      file     rows', '─────────  ───────  ────', ...expected]);
});
