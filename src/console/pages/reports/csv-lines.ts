/** The lines of a CSV text (RFC 4180), `max` at most. */
export function csvLines(text: string, max: number): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r?\n|$)/y;
  cell.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  while (cell.lastIndex < text.length && lines.length < max) {
    const found = cell.exec(text);
    // What follows is no CSV.
    if (found === null) break;
    const [, quoted, plain = '', end] = found;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    lines.push(cells);
    cells = [];
  }
  return lines;
}
