import { currencyWritten, decimalsOf } from './amount.ts';
import { cfaFranc } from './cfa-franc.ts';

/** What a header says of the currency of what stands below it: "Amount (KES)", "Betrag in EUR", "Net pay KSh". */
export interface HeaderCurrency {
  /** What stands before it: "Amount". */
  name: string;
  /** Its code, or `cfaFranc`. */
  currency: string;
  /** Whether it is one whatever the name before it means: the Albanian lek and the Turkish lira are words otherwise ("all", "try"). */
  isCertain: boolean;
}

/** No name is longer: a header may hold a book, and the expression would look back through it. */
const headerLengthMax = 200;

/** What is neither letter nor digit parts the words of a header, and so does a capital: "amountKES", "Amount€". Signs that several share name none. */
const ending =
  /^(?<name>.+?)(?<before>[^\p{L}\p{N}€₦₵₹]+(?:(?:in|en|em)[^\p{L}\p{N}€₦₵₹]+)?)(?<code>(?:F|FR|FRS|FRANCS?)[ .]*CFA|[\p{L}€₦₵₹]{1,4})[^\p{L}\p{N}€₦₵₹]*$/iu;

/** The currency with which a header ends, or null for none; a sign that several share (`signOfSeveral`) is none. */
export function headerCurrency(header: string): HeaderCurrency | null {
  if (header.length > headerLengthMax) return null;
  const words = header.normalize('NFKC').replace(/(?<=[a-z])(?=[A-Z])|(?<=\p{L}{3})(?=[€₦₵₹])/gu, ' ');
  const parts = ending.exec(words)?.groups;
  if (parts === undefined) return null;
  const { name = '', before = '', code = '' } = parts;
  const capitals = code.toUpperCase();
  const currency = currencyWritten(code);
  if (currency !== cfaFranc && decimalsOf(currency) === null) return null;
  const isSetApart = /[([{]|in|en|em/i.test(before) || /[€₦₵₹]/.test(code);
  const isName = code.length > 2 && (code === capitals || currency !== capitals);
  return { name, currency, isCertain: isSetApart || isName };
}
