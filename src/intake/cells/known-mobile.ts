import { type CountryCode, getCountries, getCountryCallingCode, Metadata } from 'libphonenumber-js/max';

/** A mobile number that needs no closer look. */
export interface KnownMobile {
  number: string;
  country: string;
}

/**
 * What the library's numbering plan can do besides what its types tell; the test that compares the two would notice a
 * change.
 */
interface LibraryPlan {
  /** An expression; plainly "0" in most countries, and an operator's choice of digits in some. */
  nationalPrefixForParsing(): string | undefined;
  nationalNumberPattern(): string;
  possibleLengths(): number[];
  type(name: 'MOBILE'): { pattern(): string | undefined; possibleLengths(): number[] | undefined } | undefined;
}

interface Plan {
  country: string;
  callingCode: string;
  /** Whether national numbers are dialled with a "0" before them, and with nothing else. */
  isDialledWithZero: boolean;
  /** Lengths of its mobile numbers in E.164, with the "+". */
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

/** How many digits mobile numbers of a country have after its calling code; none where the library does not say. */
export function mobileLengths(country: string): readonly number[] {
  const plan = libraryPlan(country as CountryCode);
  return plan?.type('MOBILE')?.possibleLengths() ?? plan?.possibleLengths() ?? [];
}

/**
 * The plans of the countries that have a calling code for themselves, made of the library's own metadata. Nearly every
 * number of a file is a plain mobile number of one of them, and telling so by one expression takes a tenth of a full
 * parse (measured; at a million rows parsing was the largest cost of all). Everything else is the library's: a test
 * holds the two against each other.
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

/** Of a text such as "+254712345678", the mobile number that it plainly is; null: look closer. */
export function knownMobile(text: string): KnownMobile | null {
  plans ??= loadPlans();
  let callingCode = 0;
  for (let length = 1; length <= callingCodeLengthMax; length++) {
    // Whatever is no digit leads to a plan whose expression refuses it, or to none.
    callingCode = callingCode * 10 + text.charCodeAt(length) - zero;
    const plan = plans.byCallingCode.get(callingCode);
    if (plan) return mobileOf(plan, text);
  }
  return null;
}

/**
 * Of digits as they are dialled in a country ("0712345678"), the mobile number that they plainly are; null: look
 * closer.
 */
export function knownNationalMobile(digits: string, country: string): KnownMobile | null {
  plans ??= loadPlans();
  const plan = plans.byCountry.get(country);
  // Without the prefix that is dialled before national numbers, the digits could be an international one as well.
  if (!plan?.isDialledWithZero || !digits.startsWith('0')) return null;
  return mobileOf(plan, `+${plan.callingCode}${digits.slice(1)}`);
}

function mobileOf({ country, lengths, mobile }: Plan, number: string): KnownMobile | null {
  return lengths.has(number.length) && mobile.test(number) ? { number, country } : null;
}
