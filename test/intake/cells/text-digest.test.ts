import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { digestWords, writeDigest } from '../../../src/intake/cells/text-digest.ts';

function digestOf(parts: readonly (string | null)[]): string {
  const words = new Uint32Array(digestWords);
  writeDigest(parts, words, 0);
  return words.join('.');
}

describe('a digest of texts', () => {
  test('is equal for equal lists of texts only, wherever one text ends and the next begins', () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\u0000', '\uffff', '😀'), maxLength: 3 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        assert.equal(digestOf(one) === digestOf(other), JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 5_000 },
    );
  });

  test('differs in each of its words for texts that differ little, as references and numbers do', () => {
    const count = 200_000;
    const words = new Uint32Array(digestWords);
    const seen = Array.from({ length: digestWords }, () => new Set<number>());
    const buckets = new Uint32Array(256);
    for (let row = 0; row < count; row++) {
      writeDigest(row % 2 === 0 ? [`R-${row}`] : [`+2547${row}`, '100', 'KES', null], words, 0);
      for (const [index, set] of seen.entries()) set.add(words[index] as number);
      buckets[(words[0] as number) % buckets.length] = (buckets[(words[0] as number) % buckets.length] as number) + 1;
    }
    // Of words drawn at random some 5 pairs are alike: n^2 / 2^33.
    for (const set of seen) assert.ok(set.size > count - 20, `${count - set.size} pairs of words are alike`);
    for (const inBucket of buckets) assert.ok(inBucket > 600 && inBucket < 1_000, `${inBucket} in a bucket`);
  });
});
