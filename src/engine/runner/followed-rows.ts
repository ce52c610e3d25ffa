import type { RowRecord } from '../../ledger/rows/rows.ts';

/**
 * The most rows in the cache: about 10 MB. Other rows are read from the ledger. When the cache is full, the oldest rows
 * stay, because the list shows them first.
 */
const rowsMax = 8_192;

/**
 * A cache of the accepted rows that this runner wrote, by the service's payment id, so that most list entries need no
 * read of the ledger. It proves nothing: every write is guarded by the row's state in the ledger.
 */
export interface Followed {
  get(topupId: string): RowRecord | null;
  /** How many rows of the batch are in the cache. */
  countOf(batchId: string): number;
  /** Adds the rows that a durable unit wrote. */
  note(written: readonly RowRecord[]): void;
}

export function makeFollowed(): Followed {
  const rows = new Map<string, RowRecord>();
  const counts = new Map<string, number>();
  const count = (batchId: string, change: number) => counts.set(batchId, (counts.get(batchId) ?? 0) + change);
  return {
    countOf: (batchId) => counts.get(batchId) ?? 0,
    get: (topupId) => rows.get(topupId) ?? null,
    note(written) {
      for (const row of written) {
        if (row.topup_id === null) continue;
        if (row.status !== 'accepted') {
          if (rows.delete(row.topup_id)) count(row.batch_id, -1);
        } else if (rows.size < rowsMax || rows.has(row.topup_id)) {
          if (!rows.has(row.topup_id)) count(row.batch_id, 1);
          rows.set(row.topup_id, row);
        }
      }
    },
  };
}
