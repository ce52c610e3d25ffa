import { AirbatchError } from '../../core/basics/errors.ts';
import { plainName } from '../../core/text/plain-name.ts';
import type { V1Row } from '../../gateway/migrate.ts';
import { plainText } from '../../intake/cells/plain-text.ts';
import { meaningOf } from '../../intake/columns/column-names.ts';
import { intakeSettings } from '../../intake/columns/settings.ts';
import { openSource } from '../../intake/file/source.ts';
import { openTable } from '../../intake/table/table.ts';

/** A row of a Version 1 file, and the line of the file on which the row begins. */
export interface V1FileRow {
  line: number;
  row: V1Row;
}

/** Version 1 field names for which airbatch's own files have no column, or another name (spec section 4.9). */
const fieldByName: Readonly<Record<string, keyof V1Row>> = {
  'send sms': 'sendSMS',
  sendsms: 'sendSMS',
  'processing mode': 'processingMode',
  mode: 'processingMode',
};
const fieldByMeaning: Readonly<Record<string, keyof V1Row>> = {
  phone_number: 'msisdn',
  amount: 'amount',
  currency: 'currency',
  product_id: 'productId',
  reference: 'extRefId',
};

/**
 * Reads the rows of a CSV file or workbook in the form of Version 1; "-" is standard input. Leaves out columns that
 * Version 1 has no name for. Throws `FILE_REJECTED` if the file has no numbers, nothing to pay, or the same column
 * twice.
 */
export async function* v1FileRows(
  file: string,
  given: Readonly<Record<string, unknown>>,
  { signal, sheetIsNamed }: { signal: AbortSignal; sheetIsNamed: boolean },
): AsyncGenerator<V1FileRow> {
  const settings = intakeSettings(given);
  const source = await openSource({ file, fileBytesMax: settings.limits.fileBytesMax, sheetIsNamed, signal });
  try {
    const { header, rows } = await openTable(source, settings, signal);
    const plan = planColumns(header);
    for await (const { records, lines } of rows) {
      for (const [index, record] of records.entries()) {
        yield { line: lines[index] ?? 0, row: rowOf(record, plan) };
      }
    }
  } finally {
    await source.dispose();
  }
}

type Plan = Partial<Record<keyof V1Row, number>>;

function planColumns(header: readonly string[]): Plan {
  const plan: Plan = {};
  for (const [index, name] of header.entries()) {
    const field = fieldByName[plainName(name)] ?? fieldByMeaning[meaningOf(name) ?? ''];
    if (field === undefined) continue;
    const other = plan[field];
    if (other !== undefined) throw rejected(`the columns "${header[other]}" and "${name}" could each be the ${field}`);
    plan[field] = index;
  }
  const names = header.map((name) => `"${name.trim()}"`).join(', ');
  if (plan.msisdn === undefined) throw rejected(`the file has no column for msisdn; its first line reads ${names}`);
  if (plan.amount === undefined && plan.productId === undefined) {
    throw rejected(`the file has no column for amount or productId; its first line reads ${names}`);
  }
  return plan;
}

function rowOf(record: readonly string[], plan: Plan): V1Row {
  const cell = (field: keyof V1Row): string | null => {
    const index = plan[field];
    return index === undefined ? null : plainText(record[index] ?? '') || null;
  };
  return {
    msisdn: cell('msisdn'),
    amount: cell('amount'),
    currency: cell('currency'),
    productId: cell('productId'),
    extRefId: cell('extRefId'),
    sendSMS: cell('sendSMS'),
    processingMode: cell('processingMode'),
  };
}

function rejected(message: string): AirbatchError {
  return new AirbatchError('FILE_REJECTED', message, {
    hint: 'Give it the columns of POST /adp, such as msisdn,amount,extRefId.',
  });
}
