import { shortened } from '../cells/problems.ts';
import type { ColumnPlan } from '../columns/columns.ts';
import type { RecordChunk } from '../file/record-chunk.ts';

/** References that are dates in their sheet: complete after the file was read to its end. */
export interface NamedDates {
  count: number;
  first: { line: number; text: string } | null;
}

/**
 * The records, with numbers as their sheet shows them where that matters: amounts with their currency, and references
 * or messages that are dates. In other columns a number stays a number. `mayBeAmounts`: columns that a person may later
 * choose for the amounts. They are read as amounts, too.
 */
export async function* asShown(
  chunks: AsyncIterable<RecordChunk>,
  plan: ColumnPlan,
  dates: NamedDates,
  mayBeAmounts: readonly number[] = [],
): AsyncGenerator<RecordChunk> {
  for await (const { shown, ...chunk } of chunks) {
    for (const [index, cells] of shown ?? []) {
      const record = chunk.records[index] as string[];
      const put = (column: number | undefined, kind: 'amount' | 'name'): string | null => {
        const text = column === undefined ? null : (cells.get(column)?.[kind] ?? null);
        if (column === undefined || text === null) return null;
        record[column] = text;
        return text;
      };
      for (const column of [plan.amount, ...mayBeAmounts]) put(column, 'amount');
      put(plan.sms_message, 'name');
      const text = put(plan.reference, 'name');
      if (text === null) continue;
      dates.count += 1;
      dates.first ??= { line: chunk.lines[index] as number, text: shortened(text) };
    }
    yield chunk;
  }
}
