import { AirbatchError } from '../../core/basics/errors.ts';
import { idempotencyKey, parseReference } from '../../core/identity/ids.ts';
import { paymentsPerPageMax, type ReadProblem } from '../../gateway/contract/gateway.ts';
import { findPayments } from '../../ledger/rows/payments.ts';
import { findUnendedRow, pageRowsInState, type RowRecord } from '../../ledger/rows/rows.ts';
import { unansweredWaitMs } from '../pacing/read-trouble.ts';
import { paymentNames } from '../payments/payment-request.ts';
import type { Asks, Parts } from '../runner/context.ts';
import type { OpenBatch } from '../runner/open-batches.ts';

export type OlderCopyNeeds = Parts<Asks | 'account' | 'batches' | 'clock' | 'db' | 'restoredAt' | 'stopping'>;

/**
 * Rows of a batch that are looked up if the list does not show all payments. The newer copy of the ledger has sent the
 * next rows of this copy first, so a few rows prove it as well as all would.
 */
const rowsLookedUp = 3;
/**
 * Ready rows that are read to find these: some of them already have a payment, for example one that was refused for
 * lack of money.
 */
const rowsRead = 50;

/** A payment of the service's list that has a reference. */
interface Listed {
  topupId: string;
  reference: string;
}

/** What the service shows that the ledger may lack. Read once, when a runner first has rows to send. */
interface ServiceView {
  /** The payments on the newest page of the list that have a reference. */
  listed: readonly Listed[];
  /** Whether the service has no other payments. */
  isAll: boolean;
}

/**
 * Makes a function that compares the open batches with the service: each batch once in the life of a runner, before it
 * sends more. The question is whether the service has a payment of a row that this ledger has not sent. The function
 * waits until the service has answered. It returns false if the runner stops before that, and fails with
 * `LEDGER_RESTORED` if the ledger is an older copy. After a restore it is not needed, because every row is looked up.
 */
export function makeServiceComparison(context: OlderCopyNeeds): () => Promise<boolean> {
  let reading: Promise<ServiceView | null> | null = null;
  const compared = new Map<string, Promise<boolean>>();
  const compareBatch = async (open: OpenBatch) => {
    reading ??= readView(context);
    const view = await reading;
    if (view === null) return false;
    await compareListed(context, open, view.listed);
    return view.isAll || lookUpNext(context, open);
  };
  return async () => {
    if (context.restoredAt !== null) return true;
    const results = [...context.batches.all()].map(([batchId, open]) => {
      const comparing = compared.get(batchId) ?? compareBatch(open);
      compared.set(batchId, comparing);
      return comparing;
    });
    return !(await Promise.all(results)).includes(false);
  };
}

/**
 * The newest page of the list; null if the runner stops before the service has answered. Version 1 has no list, so
 * nothing is listed.
 */
async function readView(context: OlderCopyNeeds): Promise<ServiceView | null> {
  const { list } = context.gateway;
  if (list === null) return { listed: [], isAll: false };
  const query = { page: 1, perPage: paymentsPerPageMax, fromMs: null, toMs: null };
  const page = await untilAnswered(context, async () => {
    const outcome = await context.limiter.admit('read', () => list(query));
    return outcome.kind === 'page' ? { kind: 'answer', answer: outcome } : outcome;
  });
  if (page === null) return null;
  const entries = [...page.payments, ...page.unreadable];
  const isAll = !page.hasNext && entries.length >= page.total;
  const listed = entries.flatMap(({ topupId, reference }) => (reference === null ? [] : [{ topupId, reference }]));
  return { listed, isAll };
}

/**
 * Fails if a payment of the batch's own rows has a key that this ledger has not bound. Payments of other ledgers match
 * no row of its file.
 */
async function compareListed(
  { db, account }: Parts<'account' | 'db'>,
  { batch, file }: OpenBatch,
  listed: readonly Listed[],
): Promise<void> {
  const ours = listed.flatMap(({ topupId, reference }) => {
    const identity = parseReference(reference);
    if (identity?.runId !== batch.run_id) return [];
    return [{ topupId, rowRef: identity.rowRef, key: idempotencyKey({ account, ...identity }) }];
  });
  const bound = await findPayments(
    db,
    ours.map(({ key }) => key),
  );
  for (const { topupId, rowRef, key } of ours) {
    if (bound.has(key) || !(await file.read(db))(rowRef)) continue;
    const row = await findUnendedRow(db, batch.batch_id, rowRef);
    if (row) throw olderCopy(row, topupId);
  }
}

/**
 * Looks up the next rows without a payment in the ledger. Returns false if the runner stops before all lookups were
 * answered.
 */
async function lookUpNext(context: OlderCopyNeeds, { batch }: OpenBatch): Promise<boolean> {
  const { db, gateway, limiter } = context;
  const ready = await pageRowsInState(db, batch.batch_id, 'ready', 0, rowsRead);
  const named = ready.map((row) => ({ row, ...paymentNames(batch, row, row.generation) }));
  const bound = await findPayments(
    db,
    named.map(({ key }) => key),
  );
  const next = named.filter(({ key }) => !bound.has(key)).slice(0, rowsLookedUp);
  const found = await Promise.all(
    next.map(({ reference }) =>
      untilAnswered(context, async () => {
        const outcome = await limiter.admit('read', () => gateway.lookup(reference));
        return outcome.kind === 'found' || outcome.kind === 'not_found' ? { kind: 'answer', answer: outcome } : outcome;
      }),
    ),
  );
  for (const [index, { row }] of next.entries()) {
    const outcome = found[index];
    if (outcome?.kind === 'found') throw olderCopy(row, outcome.payments[0]?.topupId);
  }
  return !found.includes(null);
}

/** Repeats the question until the service answers; null if the runner stops first. */
async function untilAnswered<Answer>(
  context: Parts<'clock' | 'readTrouble' | 'stopping'>,
  ask: () => Promise<{ kind: 'answer'; answer: Answer } | ReadProblem>,
): Promise<Answer | null> {
  const { clock, stopping } = context;
  let troubleSince: number | null = null;
  while (!stopping.aborted) {
    const outcome = await ask();
    if (outcome.kind === 'answer') return outcome.answer;
    const retryMs = await context.readTrouble(outcome);
    troubleSince ??= clock.now();
    await clock.sleep(unansweredWaitMs(clock.now() - troubleSince, retryMs), stopping);
  }
  return null;
}

/** The payment is named by its id, because a reference may be a phone number. */
function olderCopy({ row_no, batch_id }: RowRecord, topupId: string | undefined): AirbatchError {
  return new AirbatchError(
    'LEDGER_RESTORED',
    `the service has payment ${topupId} for row ${row_no} of batch ${batch_id}, and this ledger has not sent it: it seems to be an older copy`,
  );
}
