import { z } from 'zod';
import { pagesOf } from '../../core/basics/pages.ts';
import { readAccessChain } from '../../ledger/access/access-events.ts';
import { anchorsOf } from '../../ledger/audit/anchors.ts';
import { nextNamedBatch, orphanedPayments } from '../../ledger/audit/audit-pages.ts';
import { accessChainName } from '../../ledger/audit/events.ts';
import { findBatch, pageBatches } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { notAsAnchored, type OutsideHead } from '../../ledger/reporting/chain-walk.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { batchId } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { auditBatch, type BatchAudit } from './audit-rows.ts';
import { type OutsideHeads, readOutsideHeads } from './outside-heads.ts';

const batchesPerPage = 100;

const why = z.array(z.strictObject({ batch_id: batchId, why: z.string() }));

/**
 * Checks whether the audit chain of a batch, or of all batches, is whole, and whether the rows and payments match it.
 */
export const auditLedger = defineOperation({
  name: 'audit-ledger',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId.optional() }),
  result: z.strictObject({
    /** Null: all batches. */
    batch_id: batchId.nullable(),
    chain: z.strictObject({ whole: z.boolean(), batches: z.int(), events: z.int(), broken: why }),
    rows: z.strictObject({
      /** Whether the chain is whole and nothing was edited. */
      agree: z.boolean(),
      edited: why,
      /** Batches whose rows could not be compared with the validated rows. */
      unread: why,
    }),
    /** The chain of what happened to people, sessions and keys; null if only one batch is audited. */
    access: z.strictObject({ whole: z.boolean(), events: z.int(), broken: z.string().nullable() }).nullable(),
    /** Places outside the ledger from which not all anchored heads could be read. */
    anchors: z.strictObject({ unread: z.array(z.strictObject({ place: z.string(), why: z.string() })) }),
    /** Whether all of these chains are whole, and nothing was edited. */
    is_good: z.boolean(),
  }),
  async run({ session }, { batch_id = null }) {
    const { db } = session;
    if (batch_id !== null) await requireBatch(db, batch_id);
    const outside = await readOutsideHeads(session, batch_id);
    const audits =
      batch_id === null ? auditAll(db, outside) : [await auditBatch(db, batch_id, outside.byBatch.get(batch_id))];
    let [batches, events] = [0, 0];
    const broken: z.output<typeof why> = [];
    const edited: z.output<typeof why> = [];
    const unread: z.output<typeof why> = [];
    for await (const audit of audits) {
      const { batch_id } = audit;
      if (audit.events > 0) batches += 1;
      events += audit.events;
      if (audit.broken !== null) broken.push({ batch_id, why: audit.broken });
      if (audit.unread !== null) unread.push({ batch_id, why: audit.unread });
      edited.push(...audit.edited.map((why) => ({ batch_id, why })));
    }
    const whole = broken.length === 0;
    const agree = whole && edited.length === 0;
    const access = batch_id === null ? await auditAccess(db, outside.byBatch.get(accessChainName)) : null;
    return {
      batch_id,
      chain: { whole, batches, events, broken },
      rows: { agree, edited, unread },
      access,
      anchors: { unread: outside.unread },
      is_good: agree && access?.whole !== false,
    };
  },
});

/** Reads the chain of access events, and compares it with its anchored heads. */
function auditAccess(db: Database, outside: readonly OutsideHead[] = []) {
  return db.snapshot(async (view) => {
    const anchors = [...(await anchorsOf(view, accessChainName)), ...outside];
    const { events, brokenAt, hashes } = await readAccessChain(view, new Set(anchors.map((one) => one.events)));
    const changed = `event ${brokenAt} was edited, deleted or cut off`;
    const broken = brokenAt === null ? notAsAnchored(anchors, hashes) : changed;
    return { whole: broken === null, events, broken };
  });
}

/** Audits the chains of all batches, and reports traces of a deleted batch in the ledger or in the anchored heads. */
async function* auditAll(db: Database, { byBatch }: OutsideHeads): AsyncGenerator<BatchAudit> {
  const read = (last: { batch_id: string } | undefined, limit: number) => pageBatches(db, last?.batch_id ?? '', limit);
  for await (const page of pagesOf(batchesPerPage, read))
    for (const { batch_id } of page) yield await auditBatch(db, batch_id, byBatch.get(batch_id));
  for (let id = await nextNamedBatch(db, ''); id !== null; id = await nextNamedBatch(db, id))
    if (!byBatch.has(id) && !(await findBatch(db, id))) yield gone(id, 'its batch is missing from the ledger');
  for (const [id, [head]] of byBatch)
    if (head && id !== accessChainName && !(await findBatch(db, id)))
      yield gone(id, `its batch is missing from the ledger, but its head is anchored (${head.place})`);
  for (const { batch_id, count, first_row } of await orphanedPayments(db)) {
    const payments = `the ledger has ${counted(count, 'payment')} of missing rows, the first of row ${first_row}`;
    yield { ...gone(batch_id, null), edited: [payments] };
  }
}

function gone(batchId: string, broken: string | null): BatchAudit {
  return { batch_id: batchId, events: 0, broken, edited: [], unread: null };
}
