import type { FileRow } from './file-rows.ts';
import type { Problem } from './problems.ts';

/** Rows of a file as one text, several times as quick to write and to read as JSON. */
export type PackedRows = string;

const fieldsPerRow = 15;
const none: Problem[] = [];

/**
 * Every field on a line of its own; an empty one is null, which no field is otherwise. No value has a line break: what is read of a cell is
 * without control characters, and a message, which may have them, is JSON like problems and input.
 */
export function packRows(rows: readonly FileRow[]): PackedRows {
  const parts: (string | number | null)[] = [];
  for (const row of rows) {
    parts.push(
      row.row_no,
      row.line,
      row.status,
      row.row_ref,
      row.has_reference ? 1 : null,
      row.phone_number,
      row.country,
      row.network_id,
      row.amount,
      row.currency,
      row.product_id,
      row.sms_message === null ? null : JSON.stringify(row.sms_message),
      row.problems.length === 0 ? null : JSON.stringify(row.problems),
      row.input,
      row.before,
    );
  }
  return parts.join('\n');
}

export function unpackRows(packed: PackedRows): FileRow[] {
  const parts = packed.split('\n');
  const rows: FileRow[] = [];
  for (let at = 0; at < parts.length; at += fieldsPerRow) {
    const text = (field: number) => parts[at + field] as string;
    rows.push({
      row_no: Number(text(0)),
      line: Number(text(1)),
      status: text(2) as FileRow['status'],
      row_ref: text(3) || null,
      has_reference: text(4) !== '',
      phone_number: text(5) || null,
      country: text(6) || null,
      network_id: text(7) === '' ? null : Number(text(7)),
      amount: text(8) || null,
      currency: text(9) || null,
      product_id: text(10) || null,
      sms_message: text(11) === '' ? null : (JSON.parse(text(11)) as string),
      problems: text(12) === '' ? none : (JSON.parse(text(12)) as Problem[]),
      input: text(13),
      before: (text(14) || null) as FileRow['before'],
    });
  }
  return rows;
}
