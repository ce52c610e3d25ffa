import type { Judged, Verdict } from './invariants.ts';

/** Where a payment that has arrived is shown: as its row's own, as one that contradicts its row, or as a second one. */
const shownSql = `SELECT row_no FROM rows
  WHERE (topup_id = ? AND (status IN ('accepted', 'in_doubt', 'completed') OR contradicted IS NOT NULL))
    OR contradicted_by = ? OR second_topup_id = ?
    OR EXISTS (SELECT 1 FROM late_charges
      WHERE late_charges.topup_id = ? AND late_charges.batch_id = rows.batch_id AND late_charges.row_no = rows.row_no)`;

/**
 * I17: once a program has read again what has ended, the ledger names every payment that has arrived, and shows each
 * row that has two. Of what a restore lost nobody can say that.
 */
export async function allSeen({ db, payments, restoredAt, haveReadAgain }: Judged): Promise<Verdict[]> {
  if (!haveReadAgain || restoredAt !== null) return [];
  const faults: Verdict[] = [];
  const arrived = payments.filter(({ live }) => live);
  for (const { topupId, reference } of arrived) {
    const shown = await db.query(shownSql, [topupId, topupId, topupId, topupId]);
    if (shown.length === 0)
      faults.push({ invariant: 'I17', what: `${reference} (${topupId}) has arrived, and no row shows it` });
  }
  const ofRows = Map.groupBy(arrived, ({ reference }) => reference.replace(/~[0-9]+$/, ''));
  for (const [reference, some] of ofRows) {
    if (some.length > 1 && !(await areShown(db, reference)))
      faults.push({ invariant: 'I17', what: `${reference} was paid ${some.length} times, and no row shows it` });
  }
  return faults;
}

/** Whether a row shows a second payment, or two rows (of files with the same rows) one each. */
async function areShown(db: Judged['db'], reference: string): Promise<boolean> {
  const [runId = '', ...rowRef] = reference.split('/');
  const rows = await db.query<{ status: string; contradicted: string | null; second_topup_id: string | null }>(
    `SELECT rows.status, contradicted, second_topup_id FROM rows JOIN batches ON batches.batch_id = rows.batch_id
     WHERE run_id = ? AND row_ref = ?`,
    [runId, rowRef.join('/')],
  );
  const paid = rows.filter(({ status, contradicted }) => status === 'completed' || contradicted !== null);
  return paid.length > 1 || rows.some(({ second_topup_id }) => second_topup_id !== null);
}
