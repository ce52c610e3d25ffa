/**
 * The name that people use for both CFA francs (XOF and XAF). They have the same value, and each country uses one of
 * them. The name is not a currency code.
 */
export const cfaFranc = 'FCFA';

const name = /^(?:F|FR|FRS|FRANCS?)?[ .]*CFA\.?$/i;

/** The same name in several words. Spaces and dots may otherwise also group digits. */
const nameInWords = /(?<!\p{L})(?:F|FR|FRS|FRANCS?)[ .]*CFA(?!\p{L})\.?/iu;

/** The plain text with that name in one word: "5 000 F CFA" becomes "5 000 FCFA". */
export function withCfaFrancInOneWord(text: string): string {
  return text.replace(nameInWords, cfaFranc);
}

/** Whether a plain text is that name: "FCFA", "F CFA", "francs CFA". */
export function isCfaFranc(text: string): boolean {
  return name.test(text);
}

const countriesOf: Record<string, ReadonlySet<string>> = {
  XOF: new Set(['BF', 'BJ', 'CI', 'GW', 'ML', 'NE', 'SN', 'TG']),
  XAF: new Set(['CF', 'CG', 'CM', 'GA', 'GQ', 'TD']),
};

/** Whether a currency code is one of the two. */
export function isCalledCfaFranc(code: string): boolean {
  return Object.hasOwn(countriesOf, code);
}

/** The code of the CFA franc that a country (two letters) uses, or null. */
export function cfaFrancOf(country: string): string | null {
  return Object.keys(countriesOf).find((code) => countriesOf[code]?.has(country)) ?? null;
}
