import type { z } from 'zod';
import { isoTime } from '../../core/time/clock.ts';
import type { DraftProblemRecord } from '../../ledger/drafts/draft-problems.ts';
import { type DraftRowRecord, splitCells } from '../../ledger/drafts/draft-rows.ts';
import { areFilesKept, type DraftRecord } from '../../ledger/drafts/drafts.ts';
import { maskNumbers } from '../../reports/text/mask.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import type { draftRow, draftSummary } from '../mending/draft-fields.ts';

export function summaryOf(draft: DraftRecord): z.output<typeof draftSummary> {
  const { draft_id, account, status, file_name, original_sha256, version, batch_id, created_by } = draft;
  return {
    ...{ draft_id, account, status, file_name, original_sha256, rows: draft.row_count, version, batch_id, created_by },
    are_files_kept: areFilesKept(draft),
    ...{ created_at: isoTime(draft.created_at), changed_at: isoTime(draft.changed_at) },
  };
}

/** Shows texts of the file to people who prepare files as they are, and to others with masked numbers. */
export function shownTo(session: Session): (text: string) => string {
  try {
    requireRole(session, 'prepare');
    return (text) => text;
  } catch {
    return maskNumbers;
  }
}

export function rowJson(
  { row_no, line, state, cells }: DraftRowRecord,
  problems: readonly DraftProblemRecord[],
  shown: (text: string) => string,
): z.output<typeof draftRow> {
  return {
    ...{ row: row_no, line, state, cells: splitCells(cells).map(shown) },
    problems: problems.map(({ code, column_no, message, suggestion, named }) => ({
      code: code as z.output<typeof draftRow>['problems'][number]['code'],
      column: column_no < 0 ? null : column_no,
      message: shown(message),
      suggestion: shown(suggestion),
      values: namedIn(named, shown),
    })),
  };
}

/** What the text of a problem names. */
export function namedIn(named: string, shown: (text: string) => string): Record<string, string> {
  const values = Object.entries(JSON.parse(named) as Record<string, string>);
  return Object.fromEntries(values.map(([name, value]) => [name, shown(value)]));
}
