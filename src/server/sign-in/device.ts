/** The first one that fits: most browsers also name those that came before them. */
const browsers: readonly [name: string, sign: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const systems: readonly [name: string, sign: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/**
 * From what somebody signs in, by the header `User-Agent`: "Firefox, Windows". Only names of this file are kept,
 * because the sender can write anything into the header. Null if it names none of them.
 */
export function deviceOf(userAgent: string | undefined): string | null {
  const named = [browsers, systems].flatMap((list) => list.find(([, sign]) => sign.test(userAgent ?? ''))?.[0] ?? []);
  return named.length === 0 ? null : named.join(', ');
}
