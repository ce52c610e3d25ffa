import type { DraftRecord } from '../../src/ledger/drafts/drafts.ts';

/** An open draft without rows. */
export function aDraft(fields: Partial<DraftRecord> = {}): DraftRecord {
  return {
    ...{ draft_id: 'D-1', account: 'default', status: 'open', file_name: 'november.csv', original_sha256: 'ab' },
    ...{ original_bytes: 1, columns: '["phone_number"]', columns_sha256: 'cd', delimiter: ',', ends_open: 0 },
    ...{
      from_workbook: 0,
      hidden_columns: '[]',
      sheets: '[]',
      options: '{}',
      notes: '[]',
      salt: 'ef',
      row_count: 0,
      version: 1,
      checked_version: null,
    },
    ...{ findings: null, rejection: null, batch_id: null, batch_version: null, created_by: 'amina' },
    ...{ created_at: 0, changed_at: 0 },
    ...fields,
  };
}
