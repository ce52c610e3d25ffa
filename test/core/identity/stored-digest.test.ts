import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sha256 } from '../../../src/core/identity/ids.ts';
import { makeCellsDigest, storedDigest } from '../../../src/core/identity/stored-digest.ts';

const row = fc.record({
  row_no: fc.nat(),
  line: fc.nat(),
  cells: fc.array(
    fc.string({ unit: 'binary', maxLength: 12 }).map((plain) => `${plain}"\\\ud800`),
    { minLength: 1 },
  ),
  problems: fc.option(fc.constant('[{"code":"AMOUNT_ZERO"}]')),
});

/** Chains of every version contain digests of this form: it may never change. */
test('the digest of cells is that of one JSON line for each row, from cells or from their JSON', () => {
  const digestOf = (rows: readonly Parameters<ReturnType<typeof makeCellsDigest>['add']>[0][]) => {
    const digest = makeCellsDigest();
    for (const one of rows) digest.add(one);
    return digest.hex();
  };
  fc.assert(
    fc.property(fc.array(row, { maxLength: 200 }), (rows) => {
      const lines = rows.map(
        ({ row_no, line, cells, problems }) =>
          `${JSON.stringify([row_no, line, cells, problems === null ? null : JSON.parse(problems)])}\n`,
      );
      assert.equal(digestOf(rows), sha256(lines.join('')));
      assert.equal(digestOf(rows.map((one) => ({ ...one, cells: JSON.stringify(one.cells) }))), digestOf(rows));
    }),
  );
});

test('the digest of what intake has stored covers each of it', () => {
  const file = { file_name: 'p.csv', columns: '["amount"]', job: null, policy: '{}' };
  const digest = storedDigest(file, 'c');
  assert.equal(digest, sha256('["p.csv","[\\"amount\\"]",null,"{}","c"]'));
});
