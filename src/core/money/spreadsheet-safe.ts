/**
 * What a spreadsheet would run as a formula when a cell begins with it, in half and full width (OWASP "CSV
 * injection"). A line feed counts like a carriage return: what follows it may be read as a cell of its own.
 */
const formulaStart = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A phone number in E.164 begins with "+" and must stay readable; nothing of this form computes anything. */
const phoneNumber = /^\+\d{7,15}$/;

/**
 * `text` as a cell that no spreadsheet runs as a formula: it is preceded by an apostrophe where it would be one. For
 * every cell of every file that people open, and for texts that came from outside above all.
 */
export function spreadsheetSafe(text: string): string {
  // Nearly every cell begins with another character: digits, or letters and what follows them, up to the full-width
  // forms.
  const first = text.charCodeAt(0);
  if ((first > 0x40 && first < 0xff00) || (first > 0x2d && first < 0x3d)) return text;
  return formulaStart.test(text) && !phoneNumber.test(text) ? `'${text}` : text;
}

/**
 * Where a cell of CSV may begin within one of ours: a spreadsheet whose lists have semicolons (as Excel's do in
 * French, Portuguese and Spanish) opens a file with commas by those, and then our quotes begin no cell and keep no
 * line together.
 */
const anyBreak = /[;\t\r\n]/;
const innerFormula = /(?<=[;\t\r\n])(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])(?!\+\d{7,15}(?:[;\t\r\n]|$))/g;
/**
 * The same after a comma, at which an English spreadsheet cuts what has other delimiters. "500,-" is an amount, and
 * computes nothing.
 */
const afterComma = /(?<=,)(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])(?!\+\d{7,15}(?:,|$)|--?$)/g;
const innerGuard = /(?<=[,;\t\r\n])'(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/**
 * `text` as a cell of a CSV file, of which no spreadsheet runs any part as a formula, whatever it separates cells by.
 */
export function csvSafe(text: string, delimiter = ','): string {
  const safe = spreadsheetSafe(text);
  const inner = anyBreak.test(safe) ? safe.replace(innerFormula, "'") : safe;
  // Between our quotes a comma cuts nothing where cells are separated by commas.
  return delimiter !== ',' && inner.includes(',') ? inner.replace(afterComma, "'") : inner;
}

/**
 * The text that `csvSafe` made `cell` of; any other cell stays as it is. For files of ours that come back: a reference
 * must be the same again.
 */
export function withoutSpreadsheetGuard(cell: string): string {
  if (!cell.includes("'")) return cell;
  const inner = cell.replace(innerGuard, '');
  const texts = [inner, cell].flatMap((text) => (text.startsWith("'") ? [text.slice(1), text] : [text]));
  return texts.find((text) => csvSafe(text) === cell || csvSafe(text, ';') === cell) ?? cell;
}
