import { errorMessage } from '../../core/basics/errors.ts';
import { hasAnchors } from '../../ledger/audit/anchors.ts';
import type { OutsideHead } from '../../ledger/reporting/chain-walk.ts';
import type { Session } from '../../runtime/session/session.ts';
import { placeOf } from '../../runtime/settings/anchor-places.ts';
import { anchoredHeads } from '../../verify/checks/anchors.ts';

/**
 * The heads from all readable places. The ledger's own record of them is not enough: it may have been edited with the
 * ledger.
 */
export interface OutsideHeads {
  byBatch: ReadonlyMap<string, OutsideHead[]>;
  /** Places that could not be read completely, and why. */
  unread: { place: string; why: string }[];
}

/**
 * Reads the heads of one batch, or of all, from every file in `anchors`. A file that was never written to is not an
 * error.
 */
export async function readOutsideHeads({ config, db }: Session, batchId: string | null): Promise<OutsideHeads> {
  const byBatch = new Map<string, OutsideHead[]>();
  const unread: OutsideHeads['unread'] = [];
  for (const anchor of config.anchors) {
    if (anchor.kind !== 'file') continue;
    const place = placeOf(anchor);
    try {
      for await (const { batch_id, events, head } of anchoredHeads(anchor.path))
        if (batchId === null || batch_id === batchId)
          byBatch.set(batch_id, [...(byBatch.get(batch_id) ?? []), { place, events, head }]);
    } catch (error) {
      if ((await hasAnchors(db, place)) || !isMissing(error)) unread.push({ place, why: errorMessage(error) });
    }
  }
  return { byBatch, unread };
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
