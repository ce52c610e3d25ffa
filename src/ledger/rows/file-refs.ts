import { pagesOf } from '../../core/basics/pages.ts';
import { contentRefParts, sha256 } from '../../core/identity/ids.ts';
import { countRows } from '../batches/row-counts.ts';
import type { Queryable } from '../drivers/database.ts';

/** The row refs of one batch's file. */
export interface FileRefs {
  /** Reads all refs from the ledger at the first call. */
  read(db: Queryable): Promise<HasRef>;
}

/** Whether a row with this ref is in the file. */
export type HasRef = (rowRef: string) => boolean;

/** Rows read at once. Their refs take about 30 bytes each. */
const rowsPerPage = 10_000;

/** What intake wrote about a file's rows never changes, so it is read once and kept with 8 bytes a row. */
export function makeFileRefs(batchId: string): FileRefs {
  let marks: BigUint64Array | null = null;
  return {
    async read(db) {
      marks ??= await readMarks(db, batchId);
      const all = marks;
      return (rowRef) => {
        const { mark, occurrence } = markOf(rowRef);
        return all[firstAtLeast(all, mark) + occurrence - 1] === mark;
      };
    },
  };
}

/**
 * The mark leaves out the occurrence, so rows with the same content have the same mark, once for each row. While a file
 * is being read, the refs of later ones do not contain their occurrence yet.
 */
function markOf(rowRef: string): { mark: bigint; occurrence: number } {
  const { digest, occurrence } = contentRefParts(rowRef) ?? { digest: sha256(rowRef), occurrence: 1 };
  return { mark: BigInt(`0x${digest.slice(0, 16)}`), occurrence };
}

async function readMarks(db: Queryable, batchId: string): Promise<BigUint64Array> {
  const counts = [...(await countRows(db, batchId)).values()];
  const marks = new BigUint64Array(counts.reduce((sum, count) => sum + count, 0));
  let found = 0;
  const sql = `SELECT row_no, row_ref FROM rows WHERE batch_id = ? AND row_no > ? AND row_ref IS NOT NULL ORDER BY row_no LIMIT ?`;
  const read = (last: { row_no: number } | undefined, limit: number) =>
    db.query<{ row_no: number; row_ref: string }>(sql, [batchId, last?.row_no ?? 0, limit]);
  for await (const rows of pagesOf(rowsPerPage, read))
    for (const { row_ref } of rows) marks[found++] = markOf(row_ref).mark;
  return marks.subarray(0, found).sort();
}

/** The first position in a sorted list with a mark of at least this value. */
function firstAtLeast(marks: BigUint64Array, mark: bigint): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((marks[middle] ?? 0n) < mark) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Refs derived from content, except the first of each content: 20 characters, and then not "-1". */
const laterContentRefs = `row_ref LIKE '____________________-%' AND row_ref NOT LIKE '____________________-1'`;

/**
 * The failed occurrences of each content, except the first occurrence, in all files of the run: by digest, in ascending
 * order.
 */
export async function failedOccurrences(
  db: Queryable,
  { account, run_id }: { account: string; run_id: string },
): Promise<Map<string, number[]>> {
  const failed = await db.query<{ row_ref: string }>(
    `SELECT DISTINCT rows.row_ref FROM batches JOIN rows ON rows.batch_id = batches.batch_id
     WHERE batches.account = ? AND batches.run_id = ? AND rows.status = 'failed' AND ${laterContentRefs}`,
    [account, run_id],
  );
  const parts = failed.map(({ row_ref }) => contentRefParts(row_ref)).filter((one) => one !== null);
  parts.sort((a, b) => a.occurrence - b.occurrence);
  const occurrences = new Map<string, number[]>();
  for (const { digest, occurrence } of parts) occurrences.set(digest, [...(occurrences.get(digest) ?? []), occurrence]);
  return occurrences;
}
