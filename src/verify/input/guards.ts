/**
 * The apostrophe before a part that a spreadsheet would run as a formula, if semicolons or line breaks begin a cell for
 * it.
 */
const innerGuard = /(?<=[;\t\r\n])'(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
/** The same at the start of a cell; a phone number has none. */
const firstGuard = /^'(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])(?!\+\d{7,15}$)/;

/** The text of a cell without added apostrophes inside it. One at its start may be part of the text. */
export function withoutInnerGuards(cell: string): string {
  return cell.replace(innerGuard, '');
}

/** The text of a cell without any added apostrophe. */
export function unguarded(cell: string | undefined): string | undefined {
  return cell?.includes("'") ? withoutInnerGuards(cell).replace(firstGuard, '') : cell;
}
