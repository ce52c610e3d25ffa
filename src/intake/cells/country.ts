import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import { type CountryCode, getCountries, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';

const englishNames = new Intl.DisplayNames(['en'], { type: 'region' });

/** The country's name in English; its code if it has none. */
export function countryName(code: string): string {
  return englishNames.of(code) ?? code;
}

/** Names that people use in addition to those of the Unicode tables. */
const furtherNames: Record<string, string> = {
  uk: 'GB',
  'great britain': 'GB',
  england: 'GB',
  uingereza: 'GB',
  usa: 'US',
  america: 'US',
  marekani: 'US',
  uae: 'AE',
  'ivory coast': 'CI',
  'republic of cote divoire': 'CI',
  drc: 'CD',
  'dr congo': 'CD',
  rdc: 'CD',
  'democratic republic of the congo': 'CD',
  'congo brazzaville': 'CG',
  'republic of the congo': 'CG',
  swaziland: 'SZ',
  'the gambia': 'GM',
  'cape verde': 'CV',
  rsa: 'ZA',
};

const codesByName = new Map<string, string>();

function fillCountryNames(): void {
  const supported = getCountries();
  for (const [two = '', three = ''] of codes as string[][])
    if (isSupportedCountry(two)) codesByName.set(three.toLowerCase(), two);
  for (const language of ['de', 'sw', 'pt', 'es', 'fr', 'en']) {
    const names = new Intl.DisplayNames([language], { type: 'region' });
    for (const code of supported) codesByName.set(plainCountry(names.of(code) ?? code), code);
  }
  for (const [name, code] of Object.entries(furtherNames)) codesByName.set(name, code);
}

function plainCountry(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[^\p{L} ]/gu, '')
    .replace(/ +/g, ' ')
    .trim()
    .toLowerCase();
}

/** The only country with this calling code, or null: many countries share "1" and "44". */
function countryCalled(callingCode: string): string | null {
  const codes = getCountries().filter((code) => getCountryCallingCode(code) === callingCode);
  return codes.length === 1 ? (codes[0] ?? null) : null;
}

/**
 * The two-letter code of a country that is given by code (two or three letters), by calling code ("+254"), or by name
 * in English, French, Spanish, Portuguese, Swahili or German; null if there is no such country. `text` is plain.
 */
export function countryCodeOf(text: string): CountryCode | null {
  const code = (/^([A-Za-z]{2})$|\(([A-Za-z]{2})\)$/.exec(text)?.slice(1).find(Boolean) ?? '').toUpperCase();
  if (code !== '' && isSupportedCountry(code)) return code;
  const calling = /^\+?([0-9]{1,3})$/.exec(text)?.[1];
  if (calling !== undefined) return countryCalled(calling) as CountryCode | null;
  if (codesByName.size === 0) fillCountryNames();
  return (codesByName.get(plainCountry(text)) ?? null) as CountryCode | null;
}
