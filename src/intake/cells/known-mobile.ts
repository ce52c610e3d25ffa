import { type CountryCode, getCountries, getCountryCallingCode, Metadata } from 'libphonenumber-js/max';

/** A mobile number that needs no further check. */
export interface KnownMobile {
  number: string;
  country: string;
}

/**
 * Methods of the library's numbering plan that its types omit. The test that compares the two would notice a change.
 */
interface LibraryPlan {
  /** An expression; simply "0" in most countries, and digits for choosing an operator in some. */
  nationalPrefixForParsing(): string | undefined;
  nationalNumberPattern(): string;
  possibleLengths(): number[];
  type(name: 'MOBILE'): { pattern(): string | undefined; possibleLengths(): number[] | undefined } | undefined;
}

interface Plan {
  country: string;
  callingCode: string;
  /** Whether national numbers are dialled with "0" before them, and with no other prefix. */
  isDialledWithZero: boolean;
  /** The lengths of its mobile numbers in E.164, with the "+". */
  lengths: ReadonlySet<number>;
  /** Its mobile numbers in E.164. */
  mobile: RegExp;
}

const callingCodeLengthMax = 3;

function libraryPlan(country: CountryCode): LibraryPlan | undefined {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  return metadata.numberingPlan as unknown as LibraryPlan | undefined;
}

/**
 * The numbers of digits that mobile numbers of a country have after its calling code; empty if the library does not
 * say.
 */
export function mobileLengths(country: string): readonly number[] {
  const plan = libraryPlan(country as CountryCode);
  return plan?.type('MOBILE')?.possibleLengths() ?? plan?.possibleLengths() ?? [];
}

/**
 * The plans of countries with their own calling code, made from the library's metadata. Nearly every number of a file
 * is an ordinary mobile number of one of them. Recognising it by one expression takes a tenth of a full parse
 * (measured; at a million rows, parsing was the largest cost). The library handles everything else, and a test compares
 * the two.
 */
let plans: { byCallingCode: Map<number, Plan>; byCountry: Map<string, Plan> } | null = null;

function loadPlans() {
  const byCallingCode = new Map<number, Plan>();
  const byCountry = new Map<string, Plan>();
  const sharers = Map.groupBy(getCountries(), (country) => getCountryCallingCode(country));
  for (const [callingCode, [country, ...others]] of sharers) {
    if (country === undefined || others.length > 0) continue;
    const plan = planOf(country, callingCode);
    if (!plan) continue;
    byCallingCode.set(Number(callingCode), plan);
    byCountry.set(country, plan);
  }
  return { byCallingCode, byCountry };
}

function planOf(country: CountryCode, callingCode: string): Plan | null {
  const numberingPlan = libraryPlan(country);
  const mobile = numberingPlan?.type('MOBILE');
  const pattern = mobile?.pattern();
  if (!numberingPlan || !mobile || !pattern) return null;
  const lengths = mobile.possibleLengths() ?? numberingPlan.possibleLengths();
  return {
    country,
    callingCode,
    isDialledWithZero: numberingPlan.nationalPrefixForParsing() === '0',
    lengths: new Set(lengths.map((length) => length + callingCode.length + 1)),
    mobile: new RegExp(`^\\+${callingCode}(?=(?:${numberingPlan.nationalNumberPattern()})$)(?:${pattern})$`),
  };
}

const zero = 0x30;

/** The mobile number in a text such as "+254712345678"; null if it needs a closer look. */
export function knownMobile(text: string): KnownMobile | null {
  plans ??= loadPlans();
  let callingCode = 0;
  for (let length = 1; length <= callingCodeLengthMax; length++) {
    // Anything but digits leads to no plan, or to one whose expression refuses it.
    callingCode = callingCode * 10 + text.charCodeAt(length) - zero;
    const plan = plans.byCallingCode.get(callingCode);
    if (plan) return mobileOf(plan, text);
  }
  return null;
}

/** The mobile number of digits as dialled within a country ("0712345678"); null if they need a closer look. */
export function knownNationalMobile(digits: string, country: string): KnownMobile | null {
  plans ??= loadPlans();
  const plan = plans.byCountry.get(country);
  // Without the prefix for national numbers, the digits could also be an international number.
  if (!plan?.isDialledWithZero || !digits.startsWith('0')) return null;
  return mobileOf(plan, `+${plan.callingCode}${digits.slice(1)}`);
}

function mobileOf({ country, lengths, mobile }: Plan, number: string): KnownMobile | null {
  return lengths.has(number.length) && mobile.test(number) ? { number, country } : null;
}
