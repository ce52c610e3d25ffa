import { encode } from 'uqr';

/** The light frame that readers need around a code, in squares. */
const frame = 4;

/** The dark squares of the QR code for `text`, as the path of an SVG, and the width of it all in squares. */
export function qrPath(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: 'M', border: frame });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return { path, size };
}
