import { currencyWritten, decimalsOf } from './amount.ts';
import { cfaFranc } from './cfa-franc.ts';
import { withoutSharedSigns } from './currency-sign.ts';

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

const ending =
  /^(?<name>.+?)(?<before>[\s([{:,/_-]+(?:(?:in|en|em)\s+)?)(?<code>(?:F|FR|FRS|FRANCS?)[ .]*CFA|[\p{L}\p{Sc}]{1,4})[\s)\]}.:]*$/iu;

/** The currency with which a header ends, or null for none. Signs that several share name none (`signOfSeveral`). */
export function headerCurrency(header: string): HeaderCurrency | null {
  if (header.length > headerLengthMax) return null;
  const parts = ending.exec(withoutSharedSigns(header.normalize('NFKC')).trim())?.groups;
  if (parts === undefined) return null;
  const { name = '', before = '', code = '' } = parts;
  const capitals = code.toUpperCase();
  const currency = currencyWritten(code);
  if (currency !== cfaFranc && decimalsOf(currency) === null) return null;
  const isSetApart = /[([{]|\s(?:in|en|em)\s/iu.test(before) || /\p{Sc}/u.test(code);
  const isName = code.length > 2 && (code === capitals || currency !== capitals);
  return { name, currency, isCertain: isSetApart || isName };
}
