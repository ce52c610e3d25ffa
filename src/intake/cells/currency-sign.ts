/** Signs and short names of one currency only. */
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
  ['frw', 'RWF'],
  ['fbu', 'BIF'],
  ['fc', 'CDF'],
  ['kz', 'AOA'],
  ['mt', 'MZN'],
  ['R', 'ZAR'],
]);

/** The code of the only currency with this sign or short name, in any case ("₦", "KSh", "ksh"), or null. */
export function currencyOfSign(sign: string): string | null {
  return currencyBySign.get(sign) ?? currencyBySign.get(sign.toLowerCase()) ?? null;
}

/** Signs that several currencies share: they do not show which currency is meant, but exclude most others. */
const sharedSigns = /[$£₨]/;

/** The sign in a cell that several currencies share, or null. */
export function signOfSeveral(cell: string): string | null {
  return sharedSigns.exec(cell)?.[0] ?? null;
}

/** The symbols of currencies, by code. Finding one takes longer than checking ten rows. */
const symbols = new Map<string, string>();

/** Whether amounts in a currency (by code) are written with that sign, according to Unicode's tables (CLDR). */
export function isWrittenWith(code: string, sign: string): boolean {
  const symbol = symbols.get(code) ?? symbolOf(code);
  symbols.set(code, symbol);
  return symbol.includes(sign) || (sign === '₨' && symbol.startsWith('Rs'));
}

function symbolOf(code: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' });
  return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? '';
}
