import { isContentRowRef } from '../../core/identity/ids.ts';

/**
 * Digits of any script, with what people write between them, and the plus before them: long enough to be a phone
 * number. Masked it has no plus: in that a spreadsheet would see a formula, and what keeps it from that is an
 * apostrophe that everybody sees.
 */
const numberLike = /[+\uFF0B]?\p{Nd}(?:[\s().\-\u00A0\u2007\u202F]*\p{Nd}){6,}/gu;

/** A row ref that was made of a number (`isContentRowRef`), wherever it stands. */
const madeRowRef = /(?<![0-9a-f])[0-9a-f]{20}-[0-9]+/g;

/** How many digits at the end stay readable, so that two people can still talk about a row. */
const readableDigits = 3;

/**
 * `text` with everything that may be a phone number made unreadable but for its last digits, and what was made of one
 * wholly. Over-masks rather than under.
 */
export function maskNumbers(text: string): string {
  return text.replace(madeRowRef, '********').replace(numberLike, maskDigits);
}

/** A phone number (E.164) of which only the country's first digit and the last digits can be read: "2********118". */
export function maskPhone(phoneNumber: string): string {
  return phoneNumber.slice(1, 2) + maskDigits(phoneNumber.slice(2));
}

/** `text` with this number's digits masked where they occur in it; other digits (a digest, a date) stay as they are. */
export function maskOccurrences(text: string, phoneNumber: string | null): string {
  if (phoneNumber === null) return maskNumbers(text);
  // The last seven digits are what national and international spellings of one number have in common.
  const tail = phoneNumber.slice(-7);
  return text.replace(numberLike, (run) => (run.replace(/\P{Nd}/gu, '').includes(tail) ? maskDigits(run) : run));
}

/** A row ref without its row's number; null where it was made of the number, so that nothing of it can be shown. */
export function maskRowRef(rowRef: string, phoneNumber: string | null): string | null {
  return isContentRowRef(rowRef) ? null : maskOccurrences(rowRef, phoneNumber);
}

function maskDigits(run: string): string {
  const digits = run.match(/\p{Nd}/gu)?.length ?? 0;
  let seen = 0;
  return run.replace(/^[+\uFF0B]/, '').replace(/\p{Nd}/gu, (digit) => {
    seen += 1;
    return seen > digits - readableDigits ? digit : '*';
  });
}
