import { chainHead } from '../../ledger/audit/events.ts';
import { findDraft } from '../../ledger/drafts/drafts.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { Refused } from '../base/problem.ts';

/** The entity tag of the draft or the batch that an input names, as it is now; null if it names none. */
export async function etagOf(db: Queryable, input: unknown): Promise<string | null> {
  const { draft_id, batch_id } = Object(input) as { draft_id?: unknown; batch_id?: unknown };
  if (typeof draft_id === 'string') {
    const draft = await findDraft(db, draft_id);
    return draft && `"${draft.version}"`;
  }
  const head = typeof batch_id === 'string' ? await chainHead(db, batch_id) : null;
  return head && `"${head.seq}"`;
}

/**
 * The ledger for a request with `If-Match`: each transaction fails with `CHANGED_MEANWHILE` if what the input names is
 * not what the sender has seen, until one of them has changed it. So of two requests at the same time, one is refused.
 */
export function matchingLedger(db: Database, ifMatch: string, input: unknown): Database {
  let hasChanged = false;
  return {
    ...db,
    async transact(work) {
      if (hasChanged) return db.transact(work);
      const { result, changes } = await db.transact(async (tx) => {
        const before = await requireMatch(tx, ifMatch, input);
        const result = await work(tx);
        return { result, changes: (await etagOf(tx, input)) !== before };
      });
      hasChanged = changes;
      return result;
    },
  };
}

/** Returns the tag. Throws `CHANGED_MEANWHILE` if the sender of `If-Match` has seen another state. */
export async function requireMatch(db: Queryable, ifMatch: string, input: unknown): Promise<string | null> {
  const now = await etagOf(db, input);
  const seen = ifMatch.split(',').map((one) => one.trim());
  if (seen.includes('*') || (now !== null && seen.includes(now))) return now;
  throw new Refused('CHANGED_MEANWHILE', 'Somebody else, or the program, has changed this since it was read.', {
    hint: 'Read it again, and decide again.',
  });
}
