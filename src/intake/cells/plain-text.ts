import { withoutIgnorable } from '../../core/text/ignorable.ts';

/**
 * Digits of other scripts, by the code point of their zero: Arabic-Indic, Persian, Devanagari, Bengali, N'Ko, full
 * width.
 */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x07c0, 0xff10];

const anySpace = /[\s\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]+/g;
const anyDash = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/g;
const notAscii = /[^\x20-\x7e]/;

/** The apostrophe with which a spreadsheet marks a text, and the ones that programs write instead. */
const leadingApostrophe = /^['\u2018\u2019`\u00B4]\s*/;

/** Programs write ="0712345678" so that a spreadsheet keeps the zero; other quotes come from documents. */
const quoted = /^=?["\u201C\u201D](.*)["\u201C\u201D]$/s;

/**
 * A cell as its writer meant it: ASCII digits, one kind of space and dash, nothing invisible, no leading apostrophe, no
 * surrounding quotes or spaces.
 */
export function plainText(cell: string): string {
  if (cell === '') return cell;
  const text = notAscii.test(cell) ? asciiText(cell) : cell;
  const trimmed = text.trim();
  const code = trimmed.charCodeAt(0);
  const lowerCase = code | 0x20;
  // Nearly every cell begins with a letter, a digit or "+", and needs no change.
  if ((lowerCase > 0x60 && lowerCase < 0x7b) || (code >= 0x30 && code < 0x3a) || code === 0x2b) return trimmed;
  return trimmed.replace(leadingApostrophe, '').replace(quoted, '$1').trim();
}

function asciiText(cell: string): string {
  let text = '';
  for (const character of withoutIgnorable(cell).replace(anySpace, ' ').replace(anyDash, '-')) {
    const code = character.codePointAt(0) ?? 0;
    const zero = zeros.find((start) => code >= start && code < start + 10);
    if (zero !== undefined) text += String(code - zero);
    // The full-width forms of ASCII are one block, at a constant distance.
    else text += code >= 0xff01 && code <= 0xff5e ? String.fromCodePoint(code - 0xfee0) : character;
  }
  return text;
}
