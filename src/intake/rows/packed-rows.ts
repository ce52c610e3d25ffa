import { assert } from '../../core/basics/assert.ts';
import type { TextWriter } from '../../core/text/text-writer.ts';
import type { NewRow } from '../../ledger/rows/rows.ts';
import type { Problem } from '../cells/problems.ts';
import type { CheckedRow, FileRow } from './file-rows.ts';

/** Rows of a file as one UTF-8 text: several times as fast as JSON to write, to read, and to hand to another thread. */
export type PackedRows = Uint8Array;

/** The usual size of a packed row. */
export const bytesPerRow = 256;

const none: Problem[] = [];

export function packRows(rows: readonly FileRow[], writer: TextWriter): PackedRows {
  for (const row of rows) packRow(row, row.input, writer);
  return takePacked(writer);
}

/**
 * Writes every field on a line of its own. An empty line is null, because no field is an empty text. No value contains
 * a line break: the text of a cell has no control characters, and a message, which may have them, is written as JSON,
 * as are problems and input. `input` is that JSON, or the cells from which it is made.
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

/** The cells take one line too. There is at least one cell. */
function writeCells(cells: readonly string[], writer: TextWriter): void {
  writer.write('[');
  const last = cells.length - 1;
  for (let index = 0; index < last; index++) writer.writeJson(cells[index] as string, ',');
  writer.writeJson(cells[last] as string, ']');
  writer.write('\n');
}

/** The rows that were packed since the last call. */
export function takePacked(writer: TextWriter): PackedRows {
  return new Uint8Array(writer.take());
}

export function unpackRows(packed: PackedRows): FileRow[] {
  const fields = makeFields(packed);
  const rows: FileRow[] = [];
  while (fields.areLeft()) {
    const { batch_id: _, problems, has_reference, before, ...row } = nextRow(fields, '');
    rows.push({
      ...row,
      status: row.status as FileRow['status'],
      has_reference: has_reference !== null,
      problems: problems === null ? none : (JSON.parse(problems) as Problem[]),
      before: before as FileRow['before'],
    });
  }
  return rows;
}

/** The same rows in the form that the ledger takes. */
export function unpackNewRows(packed: PackedRows, batchId: string): NewRow[] {
  const fields = makeFields(packed);
  const rows: NewRow[] = [];
  while (fields.areLeft()) rows.push(nextRow(fields, batchId));
  return rows;
}

/**
 * Reads the fields one after the other. Splitting them all at once takes twice as long: half of them are empty or
 * numbers.
 */
interface Fields {
  areLeft(): boolean;
  /** Null if the field is empty. */
  text(): string | null;
  /** Null if the field is empty. Never negative. */
  integer(): number | null;
}

const lineBreak = 10;
const zero = 48;

function makeFields({ buffer, byteOffset, byteLength }: PackedRows): Fields {
  const packed = Buffer.from(buffer, byteOffset, byteLength).toString();
  let at = 0;
  const isEmpty = () => {
    if (packed.charCodeAt(at) !== lineBreak) return false;
    at += 1;
    return true;
  };
  return {
    areLeft: () => at < packed.length,
    text() {
      if (isEmpty()) return null;
      const begin = at;
      const end = packed.indexOf('\n', at);
      assert(end >= 0, 'each field ends with a line break');
      at = end + 1;
      return packed.slice(begin, end);
    },
    integer() {
      if (isEmpty()) return null;
      let value = 0;
      for (;;) {
        const digit = packed.charCodeAt(at++) - zero;
        // A line break; or NaN beyond the end.
        if (!(digit >= 0)) return value;
        value = 10 * value + digit;
      }
    },
  };
}

/** A row in the form that the ledger takes, and the other packed fields. */
interface UnpackedRow extends NewRow {
  has_reference: string | null;
  before: string | null;
}

function nextRow(fields: Fields, batchId: string): UnpackedRow {
  // In the order in which they were packed.
  return {
    batch_id: batchId,
    row_no: fields.integer() as number,
    line: fields.integer() as number,
    status: statusOf(fields.text()),
    row_ref: fields.text(),
    has_reference: fields.text(),
    phone_number: fields.text(),
    country: fields.text(),
    network_id: fields.integer(),
    amount: fields.text(),
    currency: fields.text(),
    product_id: fields.text(),
    sms_message: messageOf(fields.text()),
    problems: fields.text(),
    input: fields.text() as string,
    before: fields.text(),
  };
}

/**
 * Returns a constant in most cases: for a text that is created anew for each row, its hash is computed anew as well
 * when rows are counted by it.
 */
function statusOf(text: string | null): NewRow['status'] {
  return text === 'ready' ? 'ready' : (text as NewRow['status']);
}

function messageOf(json: string | null): string | null {
  return json === null ? null : (JSON.parse(json) as string);
}
