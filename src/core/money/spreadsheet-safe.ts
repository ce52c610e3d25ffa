/**
 * Characters with which a spreadsheet begins a formula, in half and full width (OWASP "CSV injection"). A line feed
 * counts like a carriage return: what follows may be read as a new cell.
 */
const formulaStart = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A phone number in E.164 begins with "+" and must stay readable. As a formula it computes nothing. */
const phoneNumber = /^\+\d{7,15}$/;

/**
 * The text as a cell that no spreadsheet runs as a formula: an apostrophe is put before it if it would be one. For
 * every cell of every file that people open.
 */
export function spreadsheetSafe(text: string): string {
  // Nearly every cell begins with a digit or a letter.
  const first = text.charCodeAt(0);
  if ((first > 0x40 && first < 0xff00) || (first > 0x2d && first < 0x3d)) return text;
  return formulaStart.test(text) && !phoneNumber.test(text) ? `'${text}` : text;
}

/**
 * Where another cell may begin within one of ours. In languages where Excel separates cells by semicolons (French,
 * Portuguese, Spanish), it opens a CSV with commas that way, and then our quotes neither begin a cell nor keep a line
 * together.
 */
const anyBreak = /[;\t\r\n]/;
const innerFormula = /(?<=[;\t\r\n])(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])(?!\+\d{7,15}(?:[;\t\r\n]|$))/g;
/**
 * The same after a comma: an English spreadsheet splits there even if the file has another delimiter. "500,-" is an
 * amount, and computes nothing.
 */
const afterComma = /(?<=,)(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])(?!\+\d{7,15}(?:,|$)|--?$)/g;
const innerGuard = /(?<=[,;\t\r\n])'(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/**
 * The text as a cell of a CSV file in which no spreadsheet runs any part as a formula, at whatever delimiter it splits.
 */
export function csvSafe(text: string, delimiter = ','): string {
  const safe = spreadsheetSafe(text);
  const inner = anyBreak.test(safe) ? safe.replace(innerFormula, "'") : safe;
  // If cells are separated by commas, our quotes protect the commas within a cell.
  return delimiter !== ',' && inner.includes(',') ? inner.replace(afterComma, "'") : inner;
}

/**
 * The text from which `csvSafe` made the cell; other cells stay unchanged. A file of ours that comes back must have the
 * same references again.
 */
export function withoutSpreadsheetGuard(cell: string): string {
  if (!cell.includes("'")) return cell;
  const inner = cell.replace(innerGuard, '');
  const texts = [inner, cell].flatMap((text) => (text.startsWith("'") ? [text.slice(1), text] : [text]));
  return texts.find((text) => csvSafe(text) === cell || csvSafe(text, ';') === cell) ?? cell;
}
