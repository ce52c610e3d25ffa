import type { TextWriter } from '../core/text-writer.ts';
import type { NewRow } from '../ledger/rows.ts';
import type { CheckedRow, FileRow } from './file-rows.ts';
import type { Problem } from './problems.ts';

/** Rows of a file as one text in UTF-8: several times as quick to write and to read as JSON, and to hand to another thread. */
export type PackedRows = Uint8Array;

/** What a row mostly comes to. */
export const bytesPerRow = 256;

const fieldsPerRow = 15;
const none: Problem[] = [];

export function packRows(rows: readonly FileRow[], writer: TextWriter): PackedRows {
  for (const row of rows) packRow(row, row.input, writer);
  return takePacked(writer);
}

/**
 * Every field on a line of its own; an empty one is null, which no field is otherwise. No value has a line break: what is read of a cell is
 * without control characters, and a message, which may have them, is JSON like problems and input. `input` is that JSON, or the cells
 * of which it is made.
 */
export function packRow(row: CheckedRow, input: string | readonly string[], writer: TextWriter): void {
  writer.writeNumber(row.row_no, '\n');
  writer.writeNumber(row.line, '\n');
  writer.write(row.status, '\n');
  writer.write(row.row_ref ?? '', '\n');
  writer.write(row.has_reference ? '1' : '', '\n');
  writer.write(row.phone_number ?? '', '\n');
  writer.write(row.country ?? '', '\n');
  if (row.network_id === null) writer.write('\n');
  else writer.writeNumber(row.network_id, '\n');
  writer.write(row.amount ?? '', '\n');
  writer.write(row.currency ?? '', '\n');
  writer.write(row.product_id ?? '', '\n');
  if (row.sms_message === null) writer.write('\n');
  else writer.writeJson(row.sms_message, '\n');
  writer.write(row.problems.length === 0 ? '' : JSON.stringify(row.problems), '\n');
  if (typeof input === 'string') writer.write(input, '\n');
  else writeCells(input, writer);
  writer.write(row.before ?? '', '\n');
}

/** A line of its own for them, too. There is one cell at least. */
function writeCells(cells: readonly string[], writer: TextWriter): void {
  writer.write('[');
  const last = cells.length - 1;
  for (let index = 0; index < last; index++) writer.writeJson(cells[index] as string, ',');
  writer.writeJson(cells[last] as string, ']');
  writer.write('\n');
}

/** The rows that were packed since the last time. */
export function takePacked(writer: TextWriter): PackedRows {
  return new Uint8Array(writer.take());
}

export function unpackRows(packed: PackedRows): FileRow[] {
  const fields = fieldsOf(packed);
  const rows: FileRow[] = [];
  // What follows the last line break is no field.
  for (let at = 0; at + fieldsPerRow <= fields.length; at += fieldsPerRow) {
    const { batch_id: _, problems, ...row } = newRowAt(fields, at, '');
    rows.push({
      ...row,
      status: row.status as FileRow['status'],
      has_reference: fields[at + 4] !== '',
      problems: problems === null ? none : (JSON.parse(problems) as Problem[]),
      before: (fields[at + 14] || null) as FileRow['before'],
    });
  }
  return rows;
}

/** The same as the ledger takes them. */
export function unpackNewRows(packed: PackedRows, batchId: string): NewRow[] {
  const fields = fieldsOf(packed);
  const rows: NewRow[] = [];
  for (let at = 0; at + fieldsPerRow <= fields.length; at += fieldsPerRow) rows.push(newRowAt(fields, at, batchId));
  return rows;
}

function fieldsOf({ buffer, byteOffset, byteLength }: PackedRows): string[] {
  return Buffer.from(buffer, byteOffset, byteLength).toString().split('\n');
}

function newRowAt(fields: readonly string[], at: number, batchId: string): NewRow {
  const networkId = fields[at + 7] as string;
  const message = fields[at + 11] as string;
  return {
    batch_id: batchId,
    row_no: Number(fields[at]),
    line: Number(fields[at + 1]),
    row_ref: fields[at + 3] || null,
    status: fields[at + 2] as NewRow['status'],
    phone_number: fields[at + 5] || null,
    country: fields[at + 6] || null,
    network_id: networkId === '' ? null : Number(networkId),
    amount: fields[at + 8] || null,
    currency: fields[at + 9] || null,
    product_id: fields[at + 10] || null,
    sms_message: message === '' ? null : (JSON.parse(message) as string),
    problems: fields[at + 12] || null,
    input: fields[at + 13] as string,
  };
}
