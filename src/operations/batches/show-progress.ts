import { z } from 'zod';
import { batchStates, maySend } from '../../core/state/batch-state.ts';
import { batchLabel } from '../../core/state/state-texts.ts';
import { batchesBefore } from '../../engine/forecast/sending.ts';
import { type BatchRecord, findBatch } from '../../ledger/batches/batches.ts';
import { latestBatches } from '../../ledger/batches/latest-batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { Session } from '../../runtime/session/session.ts';
import { type AccountNow, accountsNow, paceOf } from '../base/account-now.ts';
import { waitsFor } from '../base/blockers.ts';
import { accountName, batchId, batchStatus, waysOn } from '../base/fields.ts';
import { finishFields, finishNow } from '../base/finish-now.ts';
import { defineOperation } from '../base/operation.ts';
import { visibleAccounts } from '../base/visible.ts';

/** The most batches that are shown at once. */
const batchesMax = 200;

const count = z.int().nullable();

/** The progress of one batch. */
const progress = z.strictObject({
  batch_id: batchId,
  run_id: z.string(),
  account: accountName,
  status: batchStatus,
  /** How the batch ended, in a few words; null while it may be sent. */
  stands: z.string().nullable(),
  /** The process that works for its account now (`host/pid/start`), or null if there is none. */
  worker: z.string().nullable(),
  rows: z.int(),
  settled: z.int(),
  failed: z.int(),
  /** Rows that wait for a person; `rows` includes them. */
  held: z.int(),
  in_doubt: z.int(),
  rate_used: count,
  rate_allowed: count,
  window_ms: z.number().nullable(),
  /**
   * What the rate is measured by: the service's window, including other programs' requests, or airbatch's own requests
   * in the last `window_ms`.
   */
  rate_of: z.enum(['service_window', 'own']).nullable(),
  /** Milliseconds until the last row can be sent, or null if that is not known. */
  left_ms: z.number().nullable(),
  ...finishFields,
  waits_for: z.string().nullable(),
  waits_ways: waysOn,
  /**
   * The batches whose rows are sent before the batch's last row, with the number of their rows that can be sent now.
   */
  batches_before: z.array(z.strictObject({ batch_id: batchId, rows: z.int(), takes_turns: z.boolean() })),
});

/** Shows the progress of one batch that may still be sent, or of all. For callers that look again and again. */
export const showProgress = defineOperation({
  name: 'show-progress',
  role: 'audit',
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({
    batch_id: batchId.optional(),
    /** Batches that are shown even if they have ended. */
    followed: z.array(batchId).default([]),
  }),
  result: z.strictObject({ batches: z.array(progress) }),
  async run({ session }, { batch_id, followed }) {
    const { db } = session;
    const accounts = visibleAccounts(session);
    const newest = { accounts, states: batchStates.filter(maySend), before: null, limit: batchesMax };
    const asked = batch_id === undefined ? await latestBatches(db, newest) : [await requireBatch(db, batch_id)];
    const open = asked.filter(({ status }) => maySend(status));
    const accountOf = accountsNow(session);
    const batches: z.output<typeof progress>[] = [];
    const ended = (await endedOf(db, followed)).filter(({ account }) => accounts?.includes(account) ?? true);
    for (const batch of [...open, ...ended])
      batches.push(await progressOf(session, batch, await accountOf(batch.account)));
    return { batches };
  },
});

/** The batches of this list that have ended. */
async function endedOf(db: Queryable, batchIds: readonly string[]): Promise<BatchRecord[]> {
  const batches = await Promise.all(batchIds.map((batchId) => findBatch(db, batchId)));
  return batches.filter((batch) => batch !== null).filter(({ status }) => !maySend(status));
}

async function progressOf(
  session: Session,
  batch: BatchRecord,
  account: AccountNow,
): Promise<z.output<typeof progress>> {
  const { batch_id, run_id, status } = batch;
  const counts = await countRows(session.db, batch_id);
  const of = (...states: string[]) => states.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
  const pace = paceOf(account, batch);
  const ready = of('ready');
  const wait = await waitsFor(session, batch, counts, account);
  const before = pace === null ? [] : batchesBefore(batch, { ready, pace, sending: account.sending });
  return {
    ...{ batch_id, run_id, account: batch.account, status },
    stands: maySend(status) ? null : batchLabel(batch),
    worker: account.worker,
    rows: of('ready', 'held', 'sending', 'accepted', 'in_doubt', 'completed', 'failed'),
    settled: of('completed', 'failed'),
    failed: of('failed'),
    held: of('held'),
    in_doubt: of('in_doubt'),
    rate_used: pace?.used ?? null,
    rate_allowed: pace?.limit ?? null,
    window_ms: pace?.outlook.windowMs ?? null,
    rate_of: pace && (pace.isFromService ? 'service_window' : 'own'),
    left_ms: pace && (ready === 0 ? 0 : (account.foreseen().get(batch_id)?.sentMs ?? null)),
    ...finishNow(batch, account, session.clock.now()),
    waits_for: wait?.text ?? null,
    waits_ways: [...(wait?.ways ?? [])],
    batches_before: before
      .filter(({ stands }) => !stands)
      .map(({ batch: id, rows, takesTurns }) => ({ batch_id: id, rows, takes_turns: takesTurns })),
  };
}
