import type { Readable } from 'node:stream';
import { type Options, parse } from 'csv-parse';

/** The records of CSV, as they are read. An error of `content` ends them. */
export function csvRecords(content: Readable, options: Options = {}): AsyncIterable<string[]> {
  const records = content.pipe(parse({ bom: true, ...options }));
  content.on('error', (error) => records.destroy(error));
  return records;
}
