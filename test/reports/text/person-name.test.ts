import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedName, personColumns, personNamed } from '../../../src/reports/text/person-name.ts';

const found: [columns: string[], indexes: number[]][] = [
  [['phone', 'Name'], [1]],
  [['employee', 'phone_number'], [0]],
  [
    ['Nom', 'Prénom', 'Téléphone'],
    [1, 0],
  ],
  [['Nom', 'Téléphone'], [0]],
  [
    ['first_name', 'Last Name'],
    [0, 1],
  ],
  [
    ['Surname', 'Name'],
    [1, 0],
  ],
  [['Full name', 'First name', 'Last name'], [0]],
  [['firstName', 'x'], [0]],
  [['Jina', 'Simu'], [0]],
  [['Nom de l’employé', 'Tél'], [0]],
  [['Empfänger'], [0]],
  [['network name', 'employee id', 'file name', 'product name'], []],
];
for (const [columns, indexes] of found) {
  test(`of the columns ${columns.join(', ')} these are names: ${indexes.join(', ') || 'none'}`, () => {
    assert.deepEqual(personColumns(columns), indexes);
  });
}

test('a name is joined from its parts, and shows its first letter if it is masked', () => {
  assert.equal(personNamed([' Amina ', 'x', 'Otieno'], [0, 2]), 'Amina Otieno');
  assert.equal(personNamed(['', 'x'], [0]), null);
  assert.equal(personNamed([], [3]), null);
  assert.deepEqual(['Émile', '', '陳大文'].map(maskedName), ['É***', '', '陳***']);
});
