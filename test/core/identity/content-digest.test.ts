import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type MeantRow, makeContentDigest } from '../../../src/core/identity/content-digest.ts';
import { sha256 } from '../../../src/core/identity/ids.ts';

const text = fc.option(fc.string({ unit: 'binary', maxLength: 12 }).map((plain) => `${plain}"\\\ud800`));
const plainText = fc.option(fc.string({ maxLength: 12 }));
const row: fc.Arbitrary<MeantRow> = fc.record({
  row_no: fc.nat(),
  row_ref: fc.oneof(text, plainText),
  status: fc.constantFrom('ready', 'invalid', 'held', 'skipped'),
  phone_number: plainText,
  network_id: fc.option(fc.nat()),
  amount: plainText,
  currency: plainText,
  product_id: plainText,
  sms_message: fc.oneof(text, plainText),
});

const digestOf = (rows: readonly MeantRow[]): string => {
  const digest = makeContentDigest();
  for (const one of rows) digest.add(one);
  return digest.hex();
};

/** The form that approvals of every version are bound to: it may never change. */
const lineOf = (one: MeantRow): string =>
  `${JSON.stringify([
    one.row_no,
    one.row_ref,
    one.status !== 'invalid',
    one.phone_number,
    one.network_id,
    one.amount,
    one.currency,
    one.product_id,
    one.sms_message,
  ])}\n`;

test('the digest of rows is that of one JSON line for each, whatever their texts contain', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
      assert.equal(digestOf(rows), sha256(rows.map(lineOf).join('')));
    }),
    { numRuns: 1_000 },
  );
});

test('the digest of many rows does not depend on the size of the chunks', () => {
  const rows = fc.sample(row, 3_000);
  assert.equal(digestOf(rows), sha256(rows.map(lineOf).join('')));
});
