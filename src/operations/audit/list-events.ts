import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { latestEvents, pageRowEvents } from '../../ledger/audit/audit-pages.ts';
import { pageEvents } from '../../ledger/audit/events.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { batchId, rowNo } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { visibleAccounts } from '../base/visible.ts';

/** The most events in one page. */
const limitMax = 1_000;
/** The most events if no batch is named. */
const latestDefault = 100;

/** Lists the events of a batch or of one row, page by page. Without a batch, it lists the latest actions of people. */
export const listEvents = defineOperation({
  name: 'list-events',
  role: 'audit',
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({
    batch_id: batchId.optional(),
    row: rowNo.optional(),
    /** `next` of the previous page. */
    after: z.int().min(0).default(0),
    limit: z.int().min(1).max(limitMax).optional(),
  }),
  result: z.strictObject({
    /** In the form of the lines in `events.jsonl`, the oldest first. */
    events: z.array(
      z.strictObject({
        batch_id: batchId,
        seq: z.int(),
        /** Milliseconds since 1970. */
        at: z.int(),
        actor: z.string(),
        kind: z.string(),
        row_no: z.int().nullable(),
        /** JSON. */
        body: z.string(),
        hash: z.string(),
      }),
    ),
    /** Null after the last page. */
    next: z.int().nullable(),
  }),
  async run({ session, nameOf }, { batch_id, row, after, limit = batch_id ? limitMax : latestDefault }) {
    const { db } = session;
    if (batch_id === undefined) {
      if (row !== undefined)
        throw new AirbatchError('USAGE', `${nameOf('row')} needs ${nameOf('batch_id')}: rows are numbered in it`);
      return { events: (await latestEvents(db, visibleAccounts(session), limit)).reverse(), next: null };
    }
    await requireBatch(db, batch_id);
    const events =
      row === undefined
        ? await pageEvents(db, batch_id, after, limit)
        : await pageRowEvents(db, batch_id, row, after, limit);
    return { events, next: events.length < limit ? null : (events.at(-1)?.seq ?? null) };
  },
});
