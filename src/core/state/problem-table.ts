/**
 * What can be wrong with a row, by stable code. Intake collects every problem of a row. The row is then `invalid` (or
 * `held`, if a person may release it), and the rest of the file continues. The command line and the reports show these
 * texts. `docs/problems.md` contains the same table with an example for each code, and a test keeps the two equal.
 */
export const problemTable = {
  ROW_TOO_LONG: { title: 'The row has more cells than the header', verdict: 'invalid' },
  ROW_CUT_SHORT: { title: 'The file ends in the middle of the row', verdict: 'invalid' },
  ROW_SWALLOWED: { title: 'A cell seems to hold further rows of the file', verdict: 'invalid' },
  QUOTE_STRAY: { title: 'A stray quotation mark makes it unclear where a cell ends', verdict: 'invalid' },
  FORMULA_WITHOUT_VALUE: { title: 'A cell holds a formula instead of its value', verdict: 'invalid' },
  PHONE_MISSING: { title: 'The phone number is missing', verdict: 'invalid' },
  PHONE_NOT_A_NUMBER: { title: 'The phone number contains characters that are not digits', verdict: 'invalid' },
  PHONE_DIGITS_LOST: { title: 'A spreadsheet has destroyed digits of the phone number', verdict: 'invalid' },
  PHONE_ROUNDED: { title: 'A spreadsheet may have rounded the phone number', verdict: 'held' },
  PHONE_SEVERAL: { title: 'The cell holds more than one phone number', verdict: 'invalid' },
  PHONE_NEEDS_COUNTRY: {
    title: 'The phone number has no country code, and its country is not known',
    verdict: 'invalid',
  },
  PHONE_AMBIGUOUS: { title: 'The phone number can be read in two ways', verdict: 'invalid' },
  PHONE_INVALID: { title: 'There is no such phone number', verdict: 'invalid' },
  PHONE_NOT_MOBILE: { title: 'The phone number is not a mobile number', verdict: 'invalid' },
  PHONE_OTHER_COUNTRY: { title: 'The phone number belongs to another country than the row says', verdict: 'invalid' },
  COUNTRY_UNKNOWN: { title: 'There is no such country', verdict: 'invalid' },
  COUNTRY_NOT_ALLOWED: { title: 'The country is not among those allowed', verdict: 'invalid' },
  NETWORK_MISSING: { title: 'The network is missing', verdict: 'invalid' },
  NETWORK_UNKNOWN: { title: 'There is no such network in the country of the number', verdict: 'invalid' },
  NETWORK_AMBIGUOUS: { title: 'The name fits more than one network', verdict: 'invalid' },
  NETWORK_UNRESOLVED: {
    title: 'The network is given by name, and the service did not give its list of networks',
    verdict: 'invalid',
  },
  NOTHING_TO_PAY: { title: 'The row has neither an amount nor a product', verdict: 'invalid' },
  AMOUNT_AND_PRODUCT: { title: 'The row has both an amount and a product', verdict: 'invalid' },
  AMOUNT_NOT_A_NUMBER: { title: 'The amount is not a number', verdict: 'invalid' },
  AMOUNT_AMBIGUOUS: { title: 'The amount can be read in two ways', verdict: 'invalid' },
  AMOUNT_DECIMALS: { title: 'The amount has more decimals than its currency allows', verdict: 'invalid' },
  AMOUNT_NOT_POSITIVE: { title: 'The amount is zero or negative', verdict: 'invalid' },
  AMOUNT_TOO_SMALL: { title: 'The amount is below the configured minimum', verdict: 'invalid' },
  AMOUNT_TOO_LARGE: { title: 'The amount is above the maximum', verdict: 'invalid' },
  CURRENCY_MISSING: { title: 'The currency is missing', verdict: 'invalid' },
  CURRENCY_UNKNOWN: { title: 'There is no such currency', verdict: 'invalid' },
  CURRENCY_CONFLICT: { title: 'Two currencies are named for one amount', verdict: 'invalid' },
  CURRENCY_OF_OTHER_COUNTRY: { title: 'The network is paid in another currency', verdict: 'invalid' },
  PRODUCT_INVALID: { title: 'This cannot be the id of a product', verdict: 'invalid' },
  PRODUCT_UNKNOWN: { title: 'The network has no such product', verdict: 'invalid' },
  REFERENCE_INVALID: { title: 'The reference cannot be used', verdict: 'invalid' },
  REFERENCE_TWICE: { title: 'More than one row has the same reference', verdict: 'invalid' },
  SMS_NOT_A_TEXT: { title: 'The text message is only a yes or no', verdict: 'invalid' },
  SMS_TOO_LONG: { title: 'The text message is too long', verdict: 'invalid' },
  TOTAL_LINE: { title: 'The line is the total of the rows', verdict: 'skipped' },
  DUPLICATE: { title: 'The same number gets the same payment twice', verdict: 'held' },
  NUMBER_MAXIMUM: { title: 'One number gets more than the configured maximum', verdict: 'held' },
  ALREADY_PAID: { title: 'An earlier batch of the run has paid this row', verdict: 'skipped' },
  ALREADY_SENT: { title: 'An earlier batch of the run has sent this row, and it is not finished', verdict: 'skipped' },
  FAILED_BEFORE: { title: 'An earlier batch of the run tried this row, and it failed', verdict: 'held' },
  MAY_BE_PAID: { title: 'The row failed before, but the service now says that it may be paid', verdict: 'held' },
  NOT_LOOKED_UP: { title: 'The service did not say whether this row was already paid', verdict: 'held' },
  REFERENCE_REUSED: { title: 'An earlier batch of the run used the reference for another payment', verdict: 'held' },
  SENT_LATELY: { title: 'Another batch recently sent this number the same payment', verdict: 'held' },
  PAID_OTHERWISE: {
    title: 'The run has already sent this number another payment, which is not in this file',
    verdict: 'held',
  },
  RECIPIENT_MAXIMUM: {
    title: 'With this row the number would get more than the maximum over all batches',
    verdict: 'held',
  },
  SKIPPED_BY_PERSON: { title: 'A person decided not to pay this row', verdict: 'skipped' },
} as const satisfies Record<string, { title: string; verdict: 'invalid' | 'held' | 'skipped' }>;

/** Whether a row with these problems is held for a person, who may release it: none of them makes it invalid. */
export function canBeReleased(problems: readonly { code: ProblemCode }[]): boolean {
  return problems.every(({ code }) => problemTable[code].verdict === 'held');
}

export type ProblemCode = keyof typeof problemTable;

/**
 * What the text of a problem names, for programs that write it in another language: countries as two-letter codes,
 * amounts as decimals. `why` tells cases of one code apart.
 */
export type ProblemValues = Readonly<Record<string, string>>;

/** Problems that the file alone does not show (`airbatch validate`): they come from what other batches have sent. */
export const ledgerProblems: ReadonlySet<ProblemCode> = new Set([
  'ALREADY_PAID',
  'ALREADY_SENT',
  'FAILED_BEFORE',
  'MAY_BE_PAID',
  'NOT_LOOKED_UP',
  'PAID_OTHERWISE',
  'RECIPIENT_MAXIMUM',
  'REFERENCE_REUSED',
  'SENT_LATELY',
  'SKIPPED_BY_PERSON',
]);

/** The title of a problem. The ledger may have codes that only another version of the program knows. */
export function problemTitle(code: string): string {
  return Object.hasOwn(problemTable, code) ? problemTable[code as ProblemCode].title : readableCode(code);
}

/** A code as the start of a sentence: "Amount too large". */
export function readableCode(code: string): string {
  const words = code.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
