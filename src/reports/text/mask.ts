import { isContentRowRef } from '../../core/identity/ids.ts';

/**
 * Digits of any script, with what people write between them and a plus before them: long enough to be a phone number. A
 * masked number has no plus: a spreadsheet would take that for a formula, and the apostrophe against it would show.
 */
const numberLike = /[+\uFF0B]?\p{Nd}(?:[\s().\-\u00A0\u2007\u202F]*\p{Nd}){6,}/gu;

/** A row ref that was derived from a row's content (`isContentRowRef`), anywhere in a text. */
const madeRowRef = /(?<![0-9a-f])[0-9a-f]{20}-[0-9]+/g;

/** How many digits at the end stay readable, so that people can still talk about a row. */
const readableDigits = 3;

/**
 * Masks everything that may be a phone number except its last digits, and completely masks row refs that were derived
 * from one. If unsure, it masks.
 */
export function maskNumbers(text: string): string {
  return text.replace(madeRowRef, '********').replace(numberLike, maskDigits);
}

/** Masks a phone number (E.164) except its first digit and its last digits: "2********118". */
export function maskPhone(phoneNumber: string): string {
  return phoneNumber.slice(1, 2) + maskDigits(phoneNumber.slice(2));
}

/** Masks this number's digits wherever they occur in the text; other digits (a digest, a date) stay. */
export function maskOccurrences(text: string, phoneNumber: string | null): string {
  if (phoneNumber === null) return maskNumbers(text);
  // National and international spellings of a number share the last seven digits.
  const tail = phoneNumber.slice(-7);
  return text.replace(numberLike, (run) => (run.replace(/\P{Nd}/gu, '').includes(tail) ? maskDigits(run) : run));
}

/** A row ref without its row's number; null if it was derived from the number, so that no part of it can be shown. */
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
