import { z } from 'zod';
import { pageAccessEvents, readAccessChain } from '../../ledger/access/access-events.ts';
import { moment, pageSize } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** Lists what happened to people, sessions and API keys, the newest first, and whether that chain is whole. */
export const listAccessEvents = defineOperation({
  name: 'list-access-events',
  role: 'audit',
  ledger: 'read',
  input: z.strictObject({
    /** `next` of the previous page. */
    after: z.int().min(1).optional(),
    /** Only events before this time. */
    until: moment.optional(),
    limit: pageSize(100, 500),
    /** Only that somebody has seen complete phone numbers. */
    numbers: z.boolean().default(false),
  }),
  result: z.strictObject({
    events: z.array(
      z.strictObject({
        seq: z.int(),
        /** Milliseconds since 1970. */
        at: z.int(),
        actor: z.string(),
        kind: z.string(),
        /** JSON. */
        body: z.string(),
        hash: z.string(),
      }),
    ),
    /** Null after the last page. */
    next: z.int().nullable(),
    /**
     * The number of the first event that was edited, deleted or cut off. Null if the chain is whole, and on later
     * pages: the whole chain is read for the first one.
     */
    broken_at: z.int().nullable(),
  }),
  async run({ session: { db } }, { after, until, limit, numbers }) {
    const untilMs = until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until);
    const events = await pageAccessEvents(db, { before: after, until: untilMs, limit, onlyNumbers: numbers });
    const next = events.length < limit ? null : (events.at(-1)?.seq ?? null);
    const chain = after === undefined ? await db.snapshot((view) => readAccessChain(view)) : null;
    return { events, next, broken_at: chain?.brokenAt ?? null };
  },
});
