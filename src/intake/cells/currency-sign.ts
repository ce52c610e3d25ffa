/** Signs and short names that stand for one currency alone. */
const currencyBySign: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['₦', 'NGN'],
  ['₵', 'GHS'],
  ['gh₵', 'GHS'],
  ['₹', 'INR'],
  ['ksh', 'KES'],
  ['kshs', 'KES'],
  ['ush', 'UGX'],
  ['ushs', 'UGX'],
  ['tsh', 'TZS'],
  ['tshs', 'TZS'],
  ['R', 'ZAR'],
]);

/**
 * The code of the currency for which a sign or short name stands alone, in capitals or not ("₦", "KSh", "ksh"), or
 * null.
 */
export function currencyOfSign(sign: string): string | null {
  return currencyBySign.get(sign) ?? currencyBySign.get(sign.toLowerCase()) ?? null;
}

/** Signs that several currencies share: none of them tells which is meant, but each tells that most are not. */
const sharedSigns = /[$£₨]/;

/** The sign beside an amount that several currencies share, or null. */
export function signOfSeveral(cell: string): string | null {
  return sharedSigns.exec(cell)?.[0] ?? null;
}

/** How amounts in a currency are written, by its code: to find that takes longer than to check ten rows. */
const symbols = new Map<string, string>();

/** Whether amounts in a currency, by its code, are written with that sign, by Unicode's tables (CLDR). */
export function isWrittenWith(code: string, sign: string): boolean {
  const symbol = symbols.get(code) ?? symbolOf(code);
  symbols.set(code, symbol);
  return symbol.includes(sign) || (sign === '₨' && symbol.startsWith('Rs'));
}

function symbolOf(code: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' });
  return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? '';
}
