import type { RowRecord } from '../ledger/rows.ts';

/** Rows kept at most: some 10 MB. Whatever is not at hand is read from the ledger. The oldest stay, for the list tells of them first. */
const rowsMax = 8_192;

/**
 * The accepted rows that this runner wrote last, as it wrote them, by the service's id of their payment: what the list tells of them need
 * not be looked for in the ledger. Nothing is proved by them: a write is guarded by the row's state, whoever changed it meanwhile.
 */
export interface Followed {
  get(topupId: string): RowRecord | null;
  /** Rows as a durable unit left them, in its order. */
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
