import type { Readable } from 'node:stream';
import { z } from 'zod';
import { reasonOfWhy } from '../../core/state/event-whys.ts';
import { csvRecords } from '../../reports/text/csv-records.ts';
import { batchId, pageSize, rowNo, stableReason } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { openReportFile } from './report-file.ts';

const line = z.strictObject({
  row: rowNo,
  /** A column of `results.csv`, or the kind of an event: the service has changed the row after it ended. */
  column: z.string(),
  before: z.string(),
  after: z.string(),
  /** Of an event: says the same as `after`. */
  after_reason: stableReason,
});

/** Shows what differs in a version of the reports from the version before. */
export const showDifference = defineOperation({
  name: 'show-difference',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    version: z.int().min(1),
    /** Whether to read the masked reports. */
    masked: z.boolean().default(false),
    limit: pageSize(200, 1_000),
  }),
  result: z.strictObject({
    /** The first lines of `difference.csv`; null if the version has no such file. */
    lines: z.array(line).nullable(),
    /** Whether the file has more lines. */
    is_cut: z.boolean(),
  }),
  async run({ session }, { batch_id, version, masked, limit }) {
    const file = await openReportFile(session, { batch_id, name: 'difference.csv', version, isMasked: masked });
    if (file === null) return { lines: null, is_cut: false };
    const lines = await firstLines(file.content, limit + 1);
    return { lines: lines.slice(0, limit), is_cut: lines.length > limit };
  },
});

async function firstLines(content: Readable, max: number): Promise<z.output<typeof line>[]> {
  const found: z.output<typeof line>[] = [];
  try {
    for await (const [row, , , column, before, after] of csvRecords(content, { from_line: 2 })) {
      const after_reason = column?.startsWith('row.') ? reasonOfWhy(after ?? '') : null;
      found.push({ row: Number(row), column: column ?? '', before: before ?? '', after: after ?? '', after_reason });
      if (found.length === max) break;
    }
  } finally {
    content.destroy();
  }
  return found;
}
