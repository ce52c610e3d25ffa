import { errorMessage } from '../../core/basics/errors.ts';
import { hasAnchors } from '../../ledger/audit/anchors.ts';
import type { OutsideHead } from '../../ledger/reporting/chain-walk.ts';
import type { Session } from '../../runtime/session/session.ts';
import { type Anchor, placeOf } from '../../runtime/settings/anchor-places.ts';
import { anchoredHeads, type BatchHead } from '../../verify/checks/anchors.ts';
import { headsInBucket } from './bucket-heads.ts';

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
 * Reads the heads of one batch, or of all, from every file and bucket in `anchors`. One in which nothing was ever
 * stored is not an error.
 */
export async function readOutsideHeads({ config, db }: Session, batchId: string | null): Promise<OutsideHeads> {
  const byBatch = new Map<string, OutsideHead[]>();
  const unread: OutsideHeads['unread'] = [];
  for (const anchor of config.anchors) {
    if (anchor.kind !== 'file' && anchor.kind !== 's3') continue;
    const place = placeOf(anchor);
    let found = 0;
    try {
      for await (const { batch_id, events, head } of headsIn(anchor, batchId)) {
        found += 1;
        if (batchId === null || batch_id === batchId)
          byBatch.set(batch_id, [...(byBatch.get(batch_id) ?? []), { place, events, head }]);
      }
      if (anchor.kind === 's3' && found === 0 && (await hasAnchors(db, place, batchId)))
        unread.push({ place, why: 'the heads that were stored there are missing' });
    } catch (error) {
      if ((await hasAnchors(db, place, null)) || !isMissing(error)) unread.push({ place, why: errorMessage(error) });
    }
  }
  return { byBatch, unread };
}

function headsIn(anchor: Extract<Anchor, { kind: 'file' | 's3' }>, batchId: string | null): AsyncIterable<BatchHead> {
  return anchor.kind === 'file' ? anchoredHeads(anchor.path) : headsInBucket(anchor.bucket, batchId);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
