import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readAmount } from '../../../src/intake/cells/amount.ts';
import { amountsIn, InputAmounts } from '../../../src/verify/checks/input-amount.ts';
import { Findings } from '../../../src/verify/input/findings.ts';
import { firstInputAt } from '../../../src/verify/input/rows.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { makeChooser, makePack, signAnew } from '../pack.ts';

const changedOrRead = 'it was read as another amount, or one of the two was changed.';

/** Edits by somebody who holds the key, who signs them anew. */
const edits: [what: string, was: string | RegExp, is: string, found: string][] = [
  [
    'the amount',
    /^(3,.*?,)100\.50/m,
    '$1900.5',
    `row 3 has 900.5 as its amount, and 100.50 as input_amount: ${changedOrRead}`,
  ],
  [
    'the cell of the file',
    /^(3,.*\+254\d+,1,)100\.50/m,
    '$19.00',
    `row 3 has 100.50 as its amount, and 9.00 as input_amount: ${changedOrRead}`,
  ],
  [
    'the amount, which is taken away',
    /^(3,.*?,)100\.50/m,
    '$1',
    `row 3 has no as its amount, and 100.50 as input_amount: ${changedOrRead}`,
  ],
];

for (const [what, was, is, found] of edits)
  test(`a row whose amount differs from the file is reported with both amounts: ${what}`, async (t) => {
    const pack = await makePack(t);
    const text = String(pack.files.get('results.csv'));
    const changed = text.replace(was, is);
    assert.notEqual(changed, text);
    await pack.put(signAnew(pack, 'results.csv', Buffer.from(changed)));
    const { findings } = await verifyReports(pack.dir);
    const named = findings.filter(({ message }) => message.includes('input_amount')).map(({ message }) => message);
    assert.deepEqual(named, [found]);
  });

interface Compared {
  place?: number | null | undefined;
  isChanged?: boolean;
  status?: string;
}

/** What is said of rows with these amounts and cells; the file has a salary as its `amount` beside what is paid. */
function compared(rows: [amount: string, cell: string][], options: Compared = {}) {
  const { isChanged = false, status = 'ready' } = options;
  const inputs = new InputAmounts('place' in options ? options.place : 1);
  const own = Object.fromEntries(Array.from({ length: firstInputAt }, (_, at) => [`own_${at}`, '']));
  for (const [index, [amount, cell]] of rows.entries())
    inputs.add({ ...own, input_amount: '9000', input_pay: cell, status, amount }, index + 1);
  const findings = new Findings();
  inputs.report(isChanged, findings);
  return { found: findings.list.map(({ message }) => message), notes: findings.notes };
}

test('the column is the one that the chain names, whatever the names of others', () => {
  assert.deepEqual(compared([['500', '500.00']]), { found: [], notes: [] });
  assert.deepEqual(compared([['9000', '500.00']]).found, [
    `row 1 has 9000 as its amount, and 500.00 as input_pay: ${changedOrRead}`,
  ]);
  assert.deepEqual(compared([['500', '600']], { place: null }), { found: [], notes: [] });
});

test('of many such rows some are listed, with the number of the others', () => {
  const { found } = compared(Array.from({ length: 30 }, () => ['500', '600']));
  assert.deepEqual([found.length, found.at(-1)], [21, 'has another amount than input_pay in 10 rows more.']);
});

test('if the chain does not name the column, a difference is a note, or a finding if most rows agree', () => {
  const rows: [string, string][] = [
    ['9000', ''],
    ['900', ''],
    ['9000', ''],
  ];
  const { found, notes } = compared(rows, { place: undefined });
  assert.deepEqual([found.length, notes.length], [0, 1]);
  assert.match(
    notes[0] ?? '',
    /^In 1 row the amount is not the one in input_amount: row 2 has 900 as its amount, and 9000/,
  );
  assert.equal(compared(rows, { place: undefined, isChanged: true }).found.length, 1);
  assert.equal(compared(rows.slice(1), { place: undefined, isChanged: true }).found.length, 0);
});

test('a cell without a clear number is reported as not compared, but not products, masks and forgotten rows', () => {
  for (const cell of ['-500', '5 to 6', 'free', '5%', '1,23,4'])
    assert.deepEqual(
      compared([
        ['500', '500'],
        ['500', cell],
      ]),
      {
        found: [],
        notes: ['The amount of 1 row was not compared with the file: input_pay shows no one number, first in row 2.'],
      },
    );
  assert.deepEqual(
    compared([
      ['', ''],
      ['500', ''],
      ['1500000', '1 *** **0'],
    ]),
    { found: [], notes: [] },
  );
  for (const status of ['invalid', 'skipped'])
    assert.deepEqual(compared([['', '500']], { status }), { found: [], notes: [] });
});

describe('a cell is read in every way that intake may use', () => {
  const readIn = (cell: string): string[] => {
    const reading = readAmount(cell);
    if (reading.kind === 'none' || reading.negative) return [];
    return reading.kind === 'read' ? [reading.value] : [reading.grouped, reading.decimal];
  };
  const agree = (cell: string) => {
    for (const value of readIn(cell))
      assert.ok(amountsIn(cell).includes(value), `${JSON.stringify(cell)}: ${value} is not in ${amountsIn(cell)}`);
    return readIn(cell).length > 0;
  };
  const cells = [
    ...['500', '1250.50', '1,250.50', '1.250,50', '1 250,50', '1,500', '1.500', '12,34,567', "1'234.50", '0.5', '.5'],
    ...[
      'KES 1,234.50',
      '1.234,50 €',
      'R500',
      'KSh1,500',
      'Ksh. 500',
      '₦ 2.000',
      '5,000/=',
      '500/-',
      '500,-',
      '500,–',
      '500/–',
      '5 000 F CFA',
    ],
    ...[
      '\u0661\u0662\u066B\u0665',
      '\uFF15\uFF10\uFF10',
      "'500",
      '="500"',
      ' 500 ',
      '+500',
      '007.50',
      '1\u202F500,00',
      '5\u200B00',
    ],
  ];
  for (const cell of cells) test(JSON.stringify(cell), () => assert.ok(agree(cell)));

  test('and in no other', () => {
    const chooser = makeChooser(7);
    const parts = [
      ...'0123456789',
      ...'0.,',
      ' ',
      "'",
      '.',
      ',',
      '000',
      ',500',
      '.50',
      'KES',
      '/=',
      '\u066B',
      '\u00A0',
      '-',
    ];
    let read = 0;
    for (let turn = 0; turn < 20_000; turn++) {
      const cell = Array.from({ length: 1 + chooser.below(7) }, () => chooser.pick(parts)).join('');
      if (agree(cell)) read += 1;
    }
    assert.ok(read > 2_000, String(read));
  });
});

test('amounts in the many notations of files equal the amounts of their rows', async (t) => {
  const folder = folderOf(t);
  const amounts = ['"1,500.00"', '500', '"KES 1,234.50"', '"2,000/="', '1 250.50', '٥٠٠', 'KSh 75', '"12,500.00"'];
  const lines = amounts.map((amount, index) => `+25471240${5100 + index},1,9999,${amount},KES`);
  const text = `phone_number,network_id,amount,amount paid in airtime,currency\n${lines.join('\n')}\n`;
  await writeFile(join(folder, 'pay.csv'), text);
  const args = ['run', 'pay.csv', '--yes', '--json', '--map', 'amount=amount paid in airtime'];
  const { stdout } = await runHere(args, { cwd: folder });
  const { reports } = JSON.parse(stdout) as { reports: { dir: string } };
  const { findings, notes, rows } = await verifyReports(reports.dir);
  assert.deepEqual([findings, notes, rows], [[], [], amounts.length]);
  const results = await readFile(join(reports.dir, 'results.csv'), 'utf8');
  assert.match(results, /,1234\.5,KES,/);
});
