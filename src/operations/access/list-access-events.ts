import { z } from 'zod';
import { pageAccessEvents, readAccessChain } from '../../ledger/access/access-events.ts';
import { defineOperation } from '../base/operation.ts';

const limitDefault = 100;
const limitMax = 500;

/** Lists what happened to people, sessions and API keys, the newest first, and whether that chain is whole. */
export const listAccessEvents = defineOperation({
  name: 'list-access-events',
  role: 'audit',
  ledger: 'read',
  input: z.strictObject({
    /** `next` of the previous page. */
    after: z.int().min(1).optional(),
    limit: z.int().min(1).max(limitMax).default(limitDefault),
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
    /** The number of the first event that was edited, deleted or cut off; null if the chain is whole. */
    broken_at: z.int().nullable(),
  }),
  async run({ session: { db } }, { after, limit, numbers }) {
    const events = await pageAccessEvents(db, { before: after, limit, onlyNumbers: numbers });
    const next = events.length < limit ? null : (events.at(-1)?.seq ?? null);
    const { brokenAt } = await db.snapshot((view) => readAccessChain(view));
    return { events, next, broken_at: brokenAt };
  },
});
