import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { type EventPlace, latestEvents, pageRowEvents } from '../../ledger/audit/audit-pages.ts';
import { type AuditEvent, pageEvents } from '../../ledger/audit/events.ts';
import { whyReasonOf } from '../../ledger/audit/why-reason.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { batchId, moment, rowNo, stableReason } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { visibleAccounts } from '../base/visible.ts';

/** The most events in one page. */
const limitMax = 1_000;
/** The most events if no batch is named. */
const latestDefault = 100;

const placeForm = /^([0-9]{1,15}) (\S{1,200}) ([0-9]{1,15})$/;

/**
 * Lists the events of a batch or of one row, page by page. Without a batch, it lists the actions of people, from the
 * latest on.
 */
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
    /** Without a batch: only events before this time. */
    until: moment.optional(),
    /** Without a batch: `older` of the previous page. */
    before: z.string().regex(placeForm, { error: 'is no place of a previous page' }).optional(),
  }),
  result: z.strictObject({
    /** In the form of the lines in `events.jsonl`, and with `why_reason`; the oldest first. */
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
        /** Why it happened: the same as `why` or `detail` of the body. Null: in own words, or there is no reason. */
        why_reason: stableReason,
      }),
    ),
    /** Null after the last page, and without a batch. */
    next: z.int().nullable(),
    /** Without a batch: for older events. Null after the last page. */
    older: z.string().nullable(),
  }),
  async run({ session, nameOf }, { batch_id, row, after, limit = batch_id ? limitMax : latestDefault, until, before }) {
    const { db } = session;
    if (batch_id === undefined) {
      if (row !== undefined)
        throw new AirbatchError('USAGE', `${nameOf('row')} needs ${nameOf('batch_id')}: rows are numbered in it`);
      const place = before === undefined ? upTo(until) : placeIn(before);
      const latest = await latestEvents(db, visibleAccounts(session), { before: place, limit });
      const last = latest.length < limit ? undefined : latest.at(-1);
      const older = last ? `${last.at} ${last.batch_id} ${last.seq}` : null;
      return { events: latest.reverse().map(explained), next: null, older };
    }
    await requireBatch(db, batch_id);
    const events =
      row === undefined
        ? await pageEvents(db, batch_id, after, limit)
        : await pageRowEvents(db, batch_id, row, after, limit);
    return {
      events: events.map(explained),
      next: events.length < limit ? null : (events.at(-1)?.seq ?? null),
      older: null,
    };
  },
});

function explained(event: AuditEvent) {
  return { ...event, why_reason: whyReasonOf(event) };
}

/** The place after all events before a time, or after all. */
function upTo(until: string | undefined): EventPlace {
  const at = until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until);
  return { at, batch_id: '', seq: 0 };
}

function placeIn(text: string): EventPlace {
  const [, at, batch_id = '', seq] = placeForm.exec(text) ?? [];
  return { at: Number(at), batch_id, seq: Number(seq) };
}
