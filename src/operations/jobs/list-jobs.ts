import { z } from 'zod';
import { entityTag } from '../../core/identity/entity-tag.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { filesSince } from '../../ledger/jobs/job-files.ts';
import { listSlots, openSlots, type SlotRecord, slotStates } from '../../ledger/jobs/slots.ts';
import { holdTime } from '../../ledger/schema/lease-table.ts';
import { leftNow } from '../../runtime/inbox/remaining-files.ts';
import { catchUps, type Job } from '../../runtime/jobs/define-job.ts';
import { nextDueTimes } from '../../runtime/jobs/due-times.ts';
import { loadJobs } from '../../runtime/jobs/load-jobs.ts';
import { accountName, batchId, folder, priority, slotReasons, time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { isVisible } from '../base/visible.ts';

/** A person runs one of the latest slots again. */
const slotsInTag = 20;
const slotsShown = 10;

/** One due time of a job. */
const slot = z.strictObject({
  due_at: time,
  state: z.enum(slotStates),
  started_at: time.nullable(),
  ended_at: time.nullable(),
  /** The result of the slot, or what it waits for. */
  detail: z.string().nullable(),
  reasons: slotReasons,
});

const job = z.strictObject({
  name: z.string(),
  description: z.string(),
  account: accountName.nullable(),
  schedule: z.strictObject({ cron: z.string(), time_zone: z.string(), catch_up: z.enum(catchUps) }),
  source: z.enum(['folder', 'file', 'command', 'reconciliation', 'backup']),
  priority,
  /** The time of day. */
  finish_by: z.string().nullable(),
  /** The file that defines the job. */
  file: z.string(),
  next_run: time.nullable(),
  last_slot: slot.nullable(),
  /** The slot that is due or running. */
  open_slot: slot.nullable(),
  /** The latest 10 slots, the latest first, each with the files that it brought. */
  slots: z.array(slot.extend({ batches: z.array(z.strictObject({ batch_id: batchId, file: z.string() })) })),
  /** Files in `working` that no slot will import, or only if their slot is run again. */
  unprocessed: z.array(z.strictObject({ file: z.string(), slot: time.nullable() })),
  /** For `If-Match` of a run: it changes whenever a slot of the job begins or ends. */
  etag: z.string(),
});

/** Lists the jobs, with each job's next run and the results of its last runs. */
export const listJobs = defineOperation({
  name: 'list-jobs',
  role: 'audit',
  ledger: 'read',
  showsOnlyVisible: true,
  input: z.strictObject({}),
  result: z.strictObject({ jobs: z.array(job), folder }),
  async run({ session }) {
    const { config, db, clock } = session;
    const loaded = (await loadJobs(config.jobs)).filter(({ job }) => isVisible(session, job.account));
    const now = await holdTime(db, clock.now());
    return {
      jobs: await Promise.all(
        loaded.map(async (one) => ({ ...jobJson(one.job), file: one.file, ...(await known(db, one.job, now)) })),
      ),
      folder: config.jobs,
    };
  },
});

/** How a job reads and pays is in its file, so the result leaves it out. */
function jobJson({ name, description, account, schedule, source, priority, finishBy }: Job) {
  const { cron, timeZone, catchUp } = schedule;
  const when = { cron, time_zone: timeZone, catch_up: catchUp };
  const order = { priority, finish_by: finishBy };
  return { name, description, account: account ?? null, schedule: when, source: source.kind, ...order };
}

export async function jobTag(db: Queryable, name: string): Promise<string> {
  return entityTag(await listSlots(db, name, slotsInTag));
}

async function known(db: Queryable, job: Job, now: number) {
  const slots = await listSlots(db, job.name, slotsShown);
  const [last] = slots;
  const oldest = slots.at(-1);
  const files = oldest ? await filesSince(db, job.name, oldest.due_at) : [];
  const [open] = await openSlots(db, job.name, now);
  const left = await leftNow(db, job);
  return {
    next_run: isoOrNull(nextDueTimes(job.schedule, now, 1)[0] ?? null),
    last_slot: last ? slotJson(last) : null,
    open_slot: open ? slotJson(open) : null,
    slots: slots.map((one) => ({
      ...slotJson(one),
      batches: files
        .filter(({ due_at }) => due_at === one.due_at)
        .map(({ batch_id, name }) => ({ batch_id, file: name })),
    })),
    unprocessed: left.map(({ file, due_at }) => ({ file, slot: isoOrNull(due_at) })),
    etag: await jobTag(db, job.name),
  };
}

function slotJson({ due_at, state, started_at, ended_at, detail, reasons }: SlotRecord) {
  return {
    due_at: isoTime(due_at),
    state,
    started_at: isoOrNull(started_at),
    ended_at: isoOrNull(ended_at),
    detail,
    reasons: reasons === null ? null : (JSON.parse(reasons) as z.output<typeof slotReasons>),
  };
}
