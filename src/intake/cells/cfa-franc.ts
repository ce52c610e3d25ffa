/**
 * How people write CFA francs: one name for two currencies that are worth the same, of which a country has one. It
 * stands for neither code, and is no code itself.
 */
export const cfaFranc = 'FCFA';

const name = /^(?:F|FR|FRS|FRANCS?)?[ .]*CFA\.?$/i;

/** The same in several words beside an amount, where spaces and dots also group and part digits. */
const nameInWords = /(?<!\p{L})(?:F|FR|FRS|FRANCS?)[ .]*CFA(?!\p{L})\.?/iu;

/** A plain text with that name in one word: "5 000 F CFA" is "5 000 FCFA". */
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

/** Whether a currency, by its code, is one of the two. */
export function isCalledCfaFranc(code: string): boolean {
  return Object.hasOwn(countriesOf, code);
}

/** The code of the one that a country has (by its two letters), or null where it has neither. */
export function cfaFrancOf(country: string): string | null {
  return Object.keys(countriesOf).find((code) => countriesOf[code]?.has(country)) ?? null;
}
