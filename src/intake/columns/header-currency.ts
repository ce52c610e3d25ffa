import { currencyWritten, decimalsOf } from '../cells/amount.ts';
import { cfaFranc } from '../cells/cfa-franc.ts';

/**
 * What a header says of the currency of what stands below it: "Amount (KES)", "Betrag in EUR", "Net pay KSh", "KES
 * amount".
 */
export interface HeaderCurrency {
  /** What stands beside it: "Amount". */
  name: string;
  /** Its code, or `cfaFranc`. */
  currency: string;
  /**
   * Whether it is one whatever the name beside it means: the Albanian lek and the Turkish lira are words otherwise
   * ("all", "try").
   */
  isCertain: boolean;
}

/** No name is longer: a header may hold a book, and the expression would look back through it. */
const headerLengthMax = 200;

/**
 * What is neither letter nor digit parts the words of a header, and so does a capital: "amountKES", "Amount€". Signs
 * that several share name none.
 */
const ending =
  /^(?<name>.+?)(?<before>[^\p{L}\p{N}€₦₵₹]+(?:(?:in|en|em)[^\p{L}\p{N}€₦₵₹]+)?)(?<code>(?:F|FR|FRS|FRANCS?)[ .]*CFA|[\p{L}€₦₵₹]{1,4})[^\p{L}\p{N}€₦₵₹]*$/iu;

const beginning =
  /^[^\p{L}\p{N}€₦₵₹]*(?<code>(?:F|FR|FRS|FRANCS?)[ .]*CFA|[\p{L}€₦₵₹]{1,4})[^\p{L}\p{N}€₦₵₹]+(?<name>\p{L}.*)$/iu;

/** Codes that begin a header as words: "All amounts", "Top amount". */
const words: ReadonlySet<string> = new Set(['ALL', 'TOP', 'TRY']);

/**
 * The currency with which a header ends or begins, or null for none; a sign that several share (`signOfSeveral`) is
 * none.
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
  // Among other capitals a code is a word like any other.
  const standsOut = code.length > 2 && code === capitals && name !== name.toUpperCase();
  return { name, currency, isCertain: standsOut || currency !== capitals };
}

function isCurrency(code: string): boolean {
  return code === cfaFranc || decimalsOf(code) !== null;
}
