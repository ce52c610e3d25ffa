import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse';

/** One row of results.csv, by its columns. */
export type ResultRow = Record<string, string>;

/** The rows of results.csv in their order, one at a time. */
export async function* resultRows(dir: string): AsyncGenerator<ResultRow> {
  let header: string[] | null = null;
  for await (const line of csvLines(join(dir, 'results.csv'))) {
    if (header === null) header = checkedHeader(line);
    else yield rowOf(header, line);
  }
}

/** The lines of a CSV file by their cells, one at a time; the first is its header. */
export async function* csvLines(path: string): AsyncGenerator<string[], undefined> {
  const bytes = createReadStream(path);
  // Ours has no byte order mark; a program that saved it anew may have written one.
  const lines = bytes.pipe(parse({ bom: true }));
  bytes.on('error', (error) => lines.destroy(error));
  yield* lines as AsyncIterable<string[]>;
}

/** Of two columns of one name readers would take one or the other. Only those of the file itself may be such, where it names none. */
function checkedHeader(header: string[]): string[] {
  const doubled = header.find((name, at) => !name.startsWith('input_') && header.indexOf(name) !== at);
  if (doubled !== undefined) throw new Error(`it has the column "${doubled}" twice`);
  return header;
}

function rowOf(header: readonly string[], line: readonly string[]): ResultRow {
  const row: ResultRow = {};
  for (let at = 0; at < header.length; at++) row[header[at] as string] = line[at] as string;
  return row;
}
