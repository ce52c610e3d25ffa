import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qrPath } from '../../../../src/console/pages/people/qr-path.ts';

test('a QR code is drawn the right way round, within a light frame', () => {
  const { path, size } = qrPath('otpauth://totp/airbatch:amina?issuer=airbatch&secret=JBSWY3DPEHPK3PXP');
  const dark = new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`));
  const isDark = (x: number, y: number) => dark.has(`${x} ${y}`);
  const [first, last] = [4, size - 5];
  for (let at = 0; at < size; at += 1)
    for (const edge of [0, 1, 2, 3, size - 4, size - 3, size - 2, size - 1])
      assert.deepEqual([isDark(at, edge), isDark(edge, at)], [false, false], `frame ${at} ${edge}`);
  /** Whether a square of seven with a ring in it begins there: there is one in each corner but the last. */
  const isFinder = (left: number, top: number) =>
    [0, 1, 2, 3, 4, 5, 6].every(
      (at) =>
        isDark(left + at, top) && isDark(left, top + at) && isDark(left + at, top + 6) && isDark(left + 6, top + at),
    ) && !isDark(left + 1, top + 1);
  assert.deepEqual(
    [isFinder(first, first), isFinder(last - 6, first), isFinder(first, last - 6), isFinder(last - 6, last - 6)],
    [true, true, true, false],
  );
  // One module beside the lower left corner is always dark; its mirror image beside the upper right belongs to the data.
  assert.equal(isDark(first + 8, last - 7), true);
  assert.equal(dark.size, path.split('z').length - 1);
});
