import { existsSync } from 'node:fs';
import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { dayMs } from '../../core/time/clock.ts';
import { requireBatch } from '../../engine/batches/batch-commands.ts';
import { type Forgotten, forgetBatch, forgetEnded, requireForgettable } from '../../engine/batches/forget.ts';
import type { Actor } from '../../ledger/actor.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { batchesToForget } from '../../ledger/batches/forget-rows.ts';
import { reportFolder } from '../../reports/versions/folders.ts';
import type { Session } from '../../runtime/session/session.ts';
import { filesLeft } from '../../runtime/upkeep/job-files-left.ts';
import { batchId, reason } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** Batches that are counted before they are forgotten, and named because their people are still needed. */
const batchesMax = 1_000;

/** A batch, or all that ended before a time; without either, before the time that the configuration sets. */
const which = {
  batch_id: batchId.optional(),
  before: z.iso.datetime({ offset: true }).optional(),
};

/** Which batches `forget-batches` would forget, at most 1,000 of them. Fails where one that is named may not be. */
export const listForgettable = defineOperation({
  name: 'list-forgettable',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject(which),
  result: z.strictObject({ batches: z.array(batchId) }),
  async run({ session }, { batch_id, before }) {
    if (batch_id === undefined) return { batches: await endedBefore(session, timeBefore(session, before)) };
    await requireForgettable(session.db, await requireBatch(session.db, batch_id), session.clock.now());
    return { batches: [batch_id] };
  },
});

/** Takes what names persons out of batches that have ended, for good. */
export const forgetBatches = defineOperation({
  name: 'forget-batches',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({ ...which, why: reason.default('retention') }),
  result: z.strictObject({
    batches: z.array(batchId),
    /** Of those, files that were rejected: they have no rows. */
    rejected: z.int(),
    rows: z.int(),
    /** Rows without a reference of their own: all numbers can still be tried on their row refs and keys. */
    traceable: z.int(),
    /** Batches that ended before then but still name people, since files are compared with their numbers. */
    kept: z.array(batchId),
    /** Folders of reports that still name people. */
    reports: z.array(z.string()),
    /** Files that jobs brought, likewise. */
    files: z.array(z.string()),
  }),
  async run({ session, actor }, input) {
    const { db, config } = session;
    const done = await forget(session, actor, input);
    await db.compact();
    const found = await Promise.all(done.batches.map((id) => findBatch(db, id)));
    const folders = done.batches.flatMap((id) => [false, true].map((mask) => reportFolder(config.out, id, { mask })));
    return {
      ...done,
      rejected: found.filter((batch) => batch?.status === 'rejected').length,
      reports: folders.filter(existsSync),
      files: (await Promise.all(done.batches.map((id) => filesLeft(session, id)))).flat(),
    };
  },
});

async function forget(
  session: Session,
  actor: Actor,
  { batch_id, before, why }: { batch_id?: string | undefined; before?: string | undefined; why: string },
): Promise<Forgotten & { batches: string[]; kept: string[] }> {
  if (batch_id !== undefined) return { batches: [batch_id], kept: [], ...(await forgetBatch(actor, batch_id, why)) };
  const until = timeBefore(session, before);
  const forgotten = await forgetEnded(actor, until, why);
  return { ...forgotten, kept: await endedBefore(session, until) };
}

/** The time (epoch ms) before which batches ended that are forgotten, as it is said or configured. */
function timeBefore({ clock, config }: Session, before: string | undefined): number {
  if (before !== undefined) return Date.parse(before);
  const days = config.retention.personalDataDays;
  if (days !== undefined) return clock.now() - days * dayMs;
  throw new AirbatchError('USAGE', 'it is not said what is to be forgotten', {
    hint: 'Name a batch, or say --before DATE, or set "retention.personalDataDays" in the configuration.',
  });
}

async function endedBefore({ db }: Session, before: number): Promise<string[]> {
  return (await batchesToForget(db, { endedBefore: before, job: null }, batchesMax)).map(({ batch_id }) => batch_id);
}
