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
  /** Adds the rows that a durable unit wrote. */
  note(written: readonly RowRecord[]): void;
}

export function makeFollowed(): Followed {
  const rows = new Map<string, RowRecord>();
  return {
    get: (topupId) => rows.get(topupId) ?? null,
    note(written) {
      for (const row of written) {
        if (row.topup_id === null) continue;
        if (row.status !== 'accepted') rows.delete(row.topup_id);
        else if (rows.size < rowsMax || rows.has(row.topup_id)) rows.set(row.topup_id, row);
      }
    },
  };
}
