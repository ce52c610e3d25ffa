import { createReadStream } from 'node:fs';
import { parseReference, paymentReference } from '../../core/identity/ids.ts';
import { csvText } from '../text/csv.ts';
import { csvRecords } from '../text/csv-records.ts';
import { maskNumbers } from '../text/mask.ts';
import { itemColumns } from './reconciliation.ts';

/** How many lines are written at once. */
const linesMax = 1_000;

/**
 * The reference of a payment for people who only audit. The run stays readable. The row's own name may come from the
 * file, so whatever looks like a phone number in it is masked.
 */
export function maskReference(reference: string): string {
  const { runId, rowRef, generation } = parseReference(reference) ?? {};
  if (runId === undefined || rowRef === undefined || generation === undefined) return maskNumbers(reference);
  return paymentReference({ runId, rowRef: maskNumbers(rowRef), generation });
}

/** The lines of a written reconciliation.csv with masked references. */
export async function* maskedLines(csvPath: string): AsyncGenerator<string> {
  const column = itemColumns.indexOf('reference');
  const lines: string[][] = [];
  for await (const record of csvRecords(createReadStream(csvPath))) {
    lines.push(record.with(column, maskReference(record[column] ?? '')));
    if (lines.length === linesMax) yield csvText(lines.splice(0));
  }
  yield csvText(lines);
}
