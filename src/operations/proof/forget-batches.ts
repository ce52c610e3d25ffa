import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { dayMs } from '../../core/time/clock.ts';
import { type Forgotten, forgetBatch, forgetEnded, requireForgettable } from '../../engine/batches/forget.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { batchesToForget } from '../../ledger/batches/forget-rows.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { reportPlace } from '../../ledger/reporting/report-places.ts';
import { reportName } from '../../reports/versions/folders.ts';
import { eraseDraftOfBatch } from '../../runtime/drafts/erase-drafts.ts';
import type { Session } from '../../runtime/session/session.ts';
import { archivedFilesOf } from '../../runtime/upkeep/job-file-places.ts';
import { reportStore } from '../../runtime/upkeep/report-store.ts';
import { batchId, moment, reason } from '../base/fields.ts';
import { defineOperation, type OperationContext } from '../base/operation.ts';

/**
 * The most batches that are counted before they are erased, and that are listed because their people's data is still
 * needed.
 */
const batchesMax = 1_000;

/** One batch, or all that ended before a time. If both are left out, the time follows from the configuration. */
const which = {
  batch_id: batchId.optional(),
  before: moment.optional(),
};

/**
 * Lists the batches that `forget-batches` would erase, at most 1,000 of them. Throws if a named batch may not be
 * erased.
 */
export const listForgettable = defineOperation({
  name: 'list-forgettable',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject(which),
  result: z.strictObject({ batches: z.array(batchId) }),
  async run(context, { batch_id, before }) {
    const { session } = context;
    if (batch_id === undefined) return { batches: await endedBefore(session, timeBefore(context, before)) };
    await requireForgettable(session.db, await requireBatch(session.db, batch_id), session.clock.now());
    return { batches: [batch_id] };
  },
});

/** Erases for good what names persons in batches that have ended. */
export const forgetBatches = defineOperation({
  name: 'forget-batches',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({ ...which, why: reason.default('retention') }),
  result: z.strictObject({
    batches: z.array(batchId),
    /** How many of them are rejected files, which have no rows. */
    rejected: z.int(),
    rows: z.int(),
    /**
     * Rows without a reference of their own: by trying all phone numbers, somebody could still find theirs from their
     * row refs and keys.
     */
    traceable: z.int(),
    /** Batches that ended before then but still name people, because files are compared with their numbers. */
    kept: z.array(batchId),
    /** Folders of reports that still name people, or their addresses in a bucket. */
    reports: z.array(z.string()),
    /** Files of jobs that still name people, and those of drafts in a bucket that cannot be reached. */
    files: z.array(z.string()),
  }),
  async run(context, input) {
    const { session } = context;
    const { db } = session;
    const done = await forget(context, input);
    const drafts: string[] = [];
    for (const id of done.batches) {
      const place = await eraseDraftOfBatch(session, id);
      if (place !== null) drafts.push(place);
    }
    await db.compact();
    const found = await Promise.all(done.batches.map((id) => findBatch(db, id)));
    return {
      ...done,
      rejected: found.filter((batch) => batch?.status === 'rejected').length,
      reports: (await Promise.all(done.batches.map((id) => reportsNaming(session, id)))).flat(),
      files: [...(await Promise.all(done.batches.map((id) => archivedFilesOf(session, id)))).flat(), ...drafts],
    };
  },
});

type Forgetting = Pick<OperationContext, 'session' | 'nameOf'>;

async function forget(
  context: Forgetting,
  { batch_id, before, why }: { batch_id?: string | undefined; before?: string | undefined; why: string },
): Promise<Forgotten & { batches: string[]; kept: string[] }> {
  const { session } = context;
  if (batch_id !== undefined) return { batches: [batch_id], kept: [], ...(await forgetBatch(session, batch_id, why)) };
  const until = timeBefore(context, before);
  const forgotten = await forgetEnded(session, until, why);
  return { ...forgotten, kept: await endedBefore(session, until) };
}

/**
 * Where reports of a batch are: in the configured place, and in the folder that a run named. A bucket that cannot be
 * reached may have some.
 */
async function reportsNaming(session: Session, batchId: string): Promise<string[]> {
  const { db, config } = session;
  const places = new Set([config.out, (await reportPlace(db, batchId)) ?? config.out]);
  const found = [...places].flatMap((out) =>
    [false, true].map((mask) => {
      const [store, name] = [reportStore(session, out), reportName(batchId, { mask })];
      return store.find(name).catch(() => `${store.place}/${name}`);
    }),
  );
  return (await Promise.all(found)).filter((place) => place !== null);
}

/** The time (epoch ms) of the input or the configuration; batches that ended before it are erased. */
function timeBefore({ session: { clock, config }, nameOf }: Forgetting, before: string | undefined): number {
  if (before !== undefined) return Date.parse(before);
  const days = config.retention.personalDataDays;
  if (days !== undefined) return clock.now() - days * dayMs;
  throw new AirbatchError('USAGE', 'no batch and no date is named', {
    hint: `Name a batch, or give ${nameOf('before')} DATE, or set "retention.personalDataDays" in the configuration.`,
  });
}

async function endedBefore({ db }: Session, before: number): Promise<string[]> {
  return (await batchesToForget(db, { endedBefore: before, job: null }, batchesMax)).map(({ batch_id }) => batch_id);
}
