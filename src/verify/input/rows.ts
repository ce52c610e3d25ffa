import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse';
import { atOnceMax, ownFile } from './files.ts';

/** One row of results.csv, by column. */
export type ResultRow = Record<string, string>;

/** The rows of results.csv in order, one at a time. */
export async function* resultRows(dir: string): AsyncGenerator<ResultRow> {
  let header: string[] | null = null;
  for await (const line of csvLines(join(dir, 'results.csv'))) {
    if (header === null) header = checkedHeader(line);
    else yield rowOf(header, line);
  }
}

/** The lines of a CSV file as cells, one at a time; the first is its header. */
export async function* csvLines(path: string): AsyncGenerator<string[], undefined> {
  await ownFile(path);
  const bytes = createReadStream(path);
  // Our files have no byte order mark; a program that saved one may have added it.
  const lines = bytes.pipe(parse({ bom: true, max_record_size: atOnceMax }));
  bytes.on('error', (error) => lines.destroy(error));
  yield* lines as AsyncIterable<string[]>;
}

/** The columns before those of the file itself, in order. */
const firstColumns = [
  ...['row', 'row_ref', 'status', 'phone_number', 'network_id', 'amount', 'currency', 'product_id', 'generation'],
  ...['attempts', 'topup_id', 'reference', 'idempotency_key', 'service_status', 'provider_reference', 'cost'],
  ...['cost_currency', 'failure_code', 'failure_reason', 'first_sent_at', 'completed_at'],
];
/** The index of the first column of the file. */
export const firstInputAt = firstColumns.length;
/** The columns that may follow; reports of old program versions lack some. */
const lastColumns = [
  ...['sms_message', 'line', 'failure_column', 'refunded_at', 'refund_amount', 'refund_currency'],
  ...['contradicted', 'second_topup_id'],
];

/**
 * Refuses a column that is not one of ours: readers would trust it, and nothing proves it. Of two columns with one
 * name, readers would take either, so only columns of the file may share a name. All but the first of a name get their
 * place added, so that each keeps its cells.
 */
function checkedHeader(header: string[]): string[] {
  const doubled = header.find((name, at) => !name.startsWith('input_') && header.indexOf(name) !== at);
  if (doubled !== undefined) throw new Error(`it has the column "${doubled}" twice`);
  const place = header.findIndex((name, at) =>
    at < firstColumns.length
      ? name !== firstColumns[at]
      : !name.startsWith('input_') && !lastColumns.includes(name) && !firstColumns.includes(name),
  );
  if (place >= 0) throw new Error(`its column ${place + 1}, "${header[place]}", is not one of the results`);
  if (header.length < firstColumns.length) throw new Error('it lacks columns that results have');
  return header.map((name, at) => (header.indexOf(name) === at ? name : `${name}\0${at}`));
}

function rowOf(header: readonly string[], line: readonly string[]): ResultRow {
  const row: ResultRow = {};
  for (let at = 0; at < header.length; at++) row[header[at] as string] = line[at] as string;
  return row;
}
