import { currencyWritten, decimalsOf } from '../cells/amount.ts';
import { cfaFranc } from '../cells/cfa-franc.ts';

/** The currency in a header: "Amount (KES)", "Betrag in EUR", "Net pay KSh", "KES amount". */
export interface HeaderCurrency {
  /** The rest of the header: "Amount". */
  name: string;
  /** Its code, or `cfaFranc`. */
  currency: string;
  /**
   * Whether it is a currency whatever the rest means. The codes of the Albanian lek and the Turkish lira are also words
   * ("all", "try").
   */
  isCertain: boolean;
}

/** No name is longer. A header may contain a whole book, and the expression would search back through it. */
const headerLengthMax = 200;

/**
 * Words of a header end at characters that are neither letters nor digits, and at capitals: "amountKES", "Amount€". A
 * sign of several currencies names none.
 */
const ending =
  /^(?<name>.+?)(?<before>[^\p{L}\p{N}€₦₵₹]+(?:(?:in|en|em)[^\p{L}\p{N}€₦₵₹]+)?)(?<code>(?:F|FR|FRS|FRANCS?)[ .]*CFA|[\p{L}€₦₵₹]{1,4})[^\p{L}\p{N}€₦₵₹]*$/iu;

const beginning =
  /^[^\p{L}\p{N}€₦₵₹]*(?<code>(?:F|FR|FRS|FRANCS?)[ .]*CFA|[\p{L}€₦₵₹]{1,4})[^\p{L}\p{N}€₦₵₹]+(?<name>\p{L}.*)$/iu;

/** Codes that are also words at the beginning of a header: "All amounts", "Top amount". */
const words: ReadonlySet<string> = new Set(['ALL', 'TOP', 'TRY']);

/**
 * The currency at the end or the beginning of a header; null for none, or for a sign that several share
 * (`signOfSeveral`).
 */
export function headerCurrency(header: string): HeaderCurrency | null {
  if (header.length > headerLengthMax) return null;
  const parted = header
    .normalize('NFKC')
    .replace(/(?<=[a-z])(?=[A-Z])|(?<=\p{L}{3})(?=[€₦₵₹])|(?<=[€₦₵₹])(?=\p{L})/gu, ' ');
  return endingCurrency(parted) ?? beginningCurrency(parted);
}

function endingCurrency(header: string): HeaderCurrency | null {
  const { name = '', before = '', code = '' } = ending.exec(header)?.groups ?? {};
  const capitals = code.toUpperCase();
  const currency = currencyWritten(code);
  if (!isCurrency(currency)) return null;
  const isSetApart = /[([{]|in|en|em/i.test(before) || /[€₦₵₹]/.test(code);
  const isName = code.length > 2 && (code === capitals || currency !== capitals);
  return { name, currency, isCertain: isSetApart || isName };
}

function beginningCurrency(header: string): HeaderCurrency | null {
  const { name = '', code = '' } = beginning.exec(header)?.groups ?? {};
  const capitals = code.toUpperCase();
  const currency = currencyWritten(code);
  if (!isCurrency(currency) || words.has(capitals)) return null;
  // Among other capitals, a code is an ordinary word.
  const standsOut = code.length > 2 && code === capitals && name !== name.toUpperCase();
  return { name, currency, isCertain: standsOut || currency !== capitals };
}

function isCurrency(code: string): boolean {
  return code === cfaFranc || decimalsOf(code) !== null;
}
