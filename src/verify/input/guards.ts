/**
 * The apostrophe before what a spreadsheet would run as a formula where semicolons or line breaks begin a cell for it.
 */
const innerGuard = /(?<=[;\t\r\n])'(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
/** The same at the start of a cell; a phone number stands there without one. */
const firstGuard = /^'(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])(?!\+\d{7,15}$)/;

/** The text of a cell without the apostrophes that were written within it: one at its start may be its own. */
export function withoutInnerGuards(cell: string): string {
  return cell.replace(innerGuard, '');
}

/** The text of a cell without any apostrophe that was written before what a spreadsheet would run as a formula. */
export function unguarded(cell: string | undefined): string | undefined {
  return cell?.includes("'") ? withoutInnerGuards(cell).replace(firstGuard, '') : cell;
}
