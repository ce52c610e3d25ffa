import { AirbatchError } from '../../core/basics/errors.ts';
import { listApiKeys } from '../../ledger/access/api-keys.ts';
import { findUser } from '../../ledger/access/users.ts';
import { chainHead } from '../../ledger/audit/events.ts';
import { findDraft } from '../../ledger/drafts/drafts.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { findEndpoint } from '../../ledger/outbox/webhook-endpoints.ts';
import { apiKeyTag } from '../../operations/access/api-key-fields.ts';
import { userJson } from '../../operations/access/user-fields.ts';
import { jobTag } from '../../operations/jobs/list-jobs.ts';
import { endpointTag } from '../../operations/webhooks/webhook-fields.ts';
import type { Route } from './route-table.ts';

/** The entity tag, as it is now, of what an input names; null if it names nothing that is there. */
type TagOf = (db: Queryable, name: string) => Promise<string | null>;

/** By the field that names it; `name` names one thing below each path. */
const byField: Readonly<Record<string, TagOf>> = {
  async draft_id(db, id) {
    const draft = await findDraft(db, id);
    return draft && `"${draft.version}"`;
  },
  async batch_id(db, id) {
    const head = await chainHead(db, id);
    return head && `"${head.seq}"`;
  },
  async endpoint_id(db, id) {
    const endpoint = await findEndpoint(db, id);
    return endpoint && endpointTag(endpoint);
  },
  async '/users/:name'(db, name) {
    const user = await findUser(db, name);
    return user && (await userJson(db, user)).etag;
  },
  async '/api-keys/:name'(db, name) {
    const key = (await listApiKeys(db)).find((one) => one.name === name && one.revoked_at === null);
    return key === undefined ? null : apiKeyTag(key);
  },
  '/jobs/:name': jobTag,
};

/** Finds the tag of what a request names. */
export type FindTag = (db: Queryable) => Promise<string | null>;

export function tagFinder({ path }: Pick<Route, 'path'>, input: unknown): FindTag {
  for (const [field, tagOf] of Object.entries(byField)) {
    const value = (Object(input) as Record<string, unknown>)[field.startsWith('/') ? 'name' : field];
    if (typeof value === 'string' && (path.startsWith(field) || !field.startsWith('/')))
      return (db) => tagOf(db, value);
  }
  return async () => null;
}

/**
 * The ledger for a request with `If-Match`: each transaction fails with `CHANGED_MEANWHILE` if what the input names is
 * not what the sender has seen, until one of them has changed it. So of two requests at the same time, one is refused.
 */
export function matchingLedger(db: Database, ifMatch: string, find: FindTag): Database {
  let hasChanged = false;
  return {
    ...db,
    async transact(work) {
      if (hasChanged) return db.transact(work);
      const { result, changes } = await db.transact(async (tx) => {
        const before = await requireMatch(tx, ifMatch, find);
        const result = await work(tx);
        return { result, changes: (await find(tx)) !== before };
      });
      hasChanged = changes;
      return result;
    },
  };
}

/** Returns the tag. Throws `CHANGED_MEANWHILE` if the sender of `If-Match` has seen another state. */
export async function requireMatch(db: Queryable, ifMatch: string, find: FindTag): Promise<string | null> {
  const now = await find(db);
  const seen = ifMatch.split(',').map(asSent);
  if (seen.includes('*') || (now !== null && seen.includes(now))) return now;
  throw new AirbatchError('CHANGED_MEANWHILE', 'Somebody else, or the program, has changed this since it was read.', {
    hint: 'Read it again, and decide again.',
  });
}

/** A proxy that compresses answers marks their tags: nginx makes `W/"7"` of `"7"`, and Apache `"7-gzip"`. */
function asSent(tag: string): string {
  return tag
    .trim()
    .replace(/^W\//, '')
    .replace(/-(?:gzip|br)"$/, '"');
}
