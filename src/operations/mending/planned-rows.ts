import type { Problem } from '../../intake/cells/problems.ts';
import type { Findings } from '../../intake/check/findings-shape.ts';
import type { CheckedRow } from '../../intake/rows/file-rows.ts';
import { pageIncluded } from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, noteChecked } from '../../ledger/drafts/drafts.ts';
import { pageRows } from '../../ledger/rows/rows.ts';
import type { LineShifts } from '../../runtime/drafts/mended-lines.ts';
import type { Session } from '../../runtime/session/session.ts';
import { storeResults } from './check-draft.ts';
import type { DraftTotals } from './draft-fields.ts';

/** Rows whose results are stored in one transaction. */
const rowsPerUnit = 2_000;

/**
 * Gives the rows of a checked draft the states that they have in its planned batch, which compares them with earlier
 * payments too. The next change of the draft lets the whole file be checked again.
 */
export async function takePlannedStates(
  session: Session,
  draft: DraftRecord,
  batchId: string,
  { found, shifts }: { found: Findings; shifts: LineShifts },
): Promise<void> {
  const { db } = session;
  const { draft_id, version } = draft;
  const checked = JSON.parse(draft.findings ?? 'null') as DraftTotals | null;
  if (checked === null) return;
  const isHeldOrSkipped = ({ counts }: Pick<Findings, 'counts'>) => counts.held + counts.skipped > 0;
  if (isHeldOrSkipped(found) || isHeldOrSkipped(checked)) await storePlanned(session, draft, batchId, shifts);
  const { counts, sums, countries, product_rows, text_rows, unusual } = found;
  const findings = JSON.stringify({ ...checked, counts, sums, countries, product_rows, text_rows, unusual });
  await db.transact((tx) => noteChecked(tx, draft_id, { version, findings, rejection: null }));
}

/** The rows of the batch are those of the draft that are in the file, in the same order. */
async function storePlanned(
  { db, clock }: Session,
  draft: DraftRecord,
  batchId: string,
  shifts: LineShifts,
): Promise<void> {
  let [after, ownAfter] = [0, 0];
  for (;;) {
    const rows = await pageRows(db, batchId, after, rowsPerUnit);
    const own = await pageIncluded(db, draft.draft_id, ownAfter, rows.length);
    // Without any more rows, or if somebody has changed the draft meanwhile, which has it checked again.
    if (rows.length === 0 || own.length < rows.length) return;
    if (rows.some(({ status }, index) => status === 'held' || status !== own[index]?.state)) {
      const results = rows.map(({ status, problems }) => ({
        status: status as CheckedRow['status'],
        problems: JSON.parse(problems ?? '[]') as Problem[],
      }));
      await storeResults(db, draft, own, { results, shifts });
    }
    [after, ownAfter] = [rows.at(-1)?.row_no ?? after, own.at(-1)?.row_no ?? ownAfter];
    await clock.turn();
  }
}
