import { z } from 'zod';
import { findings } from '../../intake/check/findings-shape.ts';
import { accountName, batchId, batchStatus, folder, isRehearsal, rowNo, time, waysOn } from './fields.ts';
import { plan } from './plan.ts';

/** How far the batches are, from what is durable in the ledger. */
const progress = z.strictObject({
  kind: z.literal('progress'),
  at: time,
  batch_ids: z.array(batchId),
  /** Rows that are to be paid, in whatever state they are now: the sum of the next five fields. */
  to_pay: z.int(),
  completed: z.int(),
  failed: z.int(),
  /** Nobody knows yet whether they were paid. */
  in_doubt: z.int(),
  /** On their way to the service, or accepted by it and followed. */
  under_way: z.int(),
  /** Not sent yet. */
  to_send: z.int(),
  /** When the next row in doubt is looked up; null if no row is looked up without a person. */
  lookup_at: time.nullable(),
  /** Until the last row is sent; null if that is not known. */
  left_ms: z.number().nullable(),
  is_paused: z.boolean(),
  /** Whether a program sends rows now. */
  is_sending: z.boolean(),
  /** The wait for a service that throttles or is unreachable, in words; null if there is none. */
  service_wait: z.string().nullable(),
  unreachable_since: time.nullable(),
  /** Rows of other batches that are sent first, in words; null if there are none. */
  rows_before: z.string().nullable(),
  /** Whether the work has ended: no more progress events follow. */
  is_last: z.boolean(),
});
export type ProgressEvent = z.output<typeof progress>;

/** A batch that waits, with the reason. */
const waits = z.strictObject({
  kind: z.literal('waits'),
  batch_id: batchId,
  text: z.string(),
  ways: waysOn,
  /** Whether another program works for the account, and this one only watches. */
  is_watched: z.boolean(),
});
export type WaitsEvent = z.output<typeof waits>;

/** The result of a retry, before any of the rows is sent. */
export const retryOutcome = z.strictObject({
  retried: z.int(),
  /** Rows whose earlier payments the service did not answer about: they stay failed and can be retried again. */
  unanswered: z.int(),
  /** Rows that stay failed, and why. `person` is the name in the file; null if the file has none. */
  kept: z.array(z.strictObject({ row: rowNo, person: z.string().nullable(), why: z.string() })),
});

/** The batch of a plan. */
const plannedBatch = z.strictObject({
  batch_id: batchId,
  run_id: z.string(),
  account: accountName,
  service: z.string(),
  status: batchStatus,
});

/** Why a slot is run by hand: `named` and none of the job's due times is `named_extra`. `slotByHand` has the others. */
const slotReasons = ['named', 'named_extra', 'missed', 'failed', 'due', 'extra', 'new'] as const;

/** What an operation reports while it works, for a screen, an API stream or a program. */
export const operationEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('note'), text: z.string() }),
  z.strictObject({ kind: z.literal('account'), account: accountName, is_rehearsal: isRehearsal }),
  z.strictObject({ kind: z.literal('reading'), bytes: z.int(), bytes_total: z.int(), rows: z.int() }),
  z.strictObject({ kind: z.literal('planned'), batch: plannedBatch, plan, findings }),
  z.strictObject({ kind: z.literal('retried'), batch_id: batchId, codes: z.array(z.string()), retry: retryOutcome }),
  progress,
  waits,
  /** Another program works for the account, and this one watches. `text` says which program. */
  z.strictObject({ kind: z.literal('watching'), text: z.string() }),
  /** The other program has stopped, and this one continues its work. */
  z.strictObject({ kind: z.literal('taken_over') }),
  /** So many other batches of the account can continue, and no program works on them. */
  z.strictObject({ kind: z.literal('can_continue'), batches: z.int() }),
  /** The caller asked to stop. `unpaused` lists the batches that another program continues with. */
  z.strictObject({
    kind: z.literal('stopping'),
    stage: z.enum(['nothing_sent', 'sending', 'watching']),
    unpaused: z.array(batchId),
  }),
  /** The slot of a job that is run: the one that was named (`named`), or the one that is probably meant, and why. */
  z.strictObject({
    kind: z.literal('slot'),
    slot: time,
    time_zone: z.string(),
    /** Null for a reconciliation. */
    run_id: z.string().nullable(),
    why: z.enum(slotReasons),
    /** The last due time, if its slot has run. */
    last_due_at: time.nullable(),
  }),
  /** What came of the slot, before any of its batches is sent. */
  z.strictObject({ kind: z.literal('slot_ended'), slot: time, time_zone: z.string(), detail: z.string() }),
  /** The operation wrote the missing reports of a batch that had ended. */
  z.strictObject({ kind: z.literal('reports_written'), batch_id: batchId, dir: folder }),
]);
export type OperationEvent = z.output<typeof operationEvent>;

export type PlannedBatch = z.output<typeof plannedBatch>;
export type Findings = z.output<typeof findings>;

/** The question that an operation asks before it continues. */
export const question = z.strictObject({ kind: z.literal('send'), batch_id: batchId, plan });
export type Question = z.output<typeof question>;
