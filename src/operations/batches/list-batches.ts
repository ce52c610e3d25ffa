import { z } from 'zod';
import { type BatchState, batchStates, maySend } from '../../core/state/batch-state.ts';
import { type RequestedTotals, requestedNow } from '../../engine/plan/preflight.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { latestBatches } from '../../ledger/batches/latest-batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { accountsNow } from '../base/account-now.ts';
import { accountName, batchId, batchStatus, pageSize, sums } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { requireVisible, visibleAccounts } from '../base/visible.ts';
import { type Status, statusOf, statusShape } from './batch-status.ts';

const undecided: readonly BatchState[] = ['validated', 'awaiting_approval'];

/** The most older open batches that the first page contains in addition. */
const olderMax = 200;

/**
 * Lists the batches, the newest first, page by page. The first page also contains the older batches that have not
 * ended, unless the input asks for certain states.
 */
export const listBatches = defineOperation({
  name: 'list-batches',
  role: 'audit',
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({
    /** `next` of the previous page. */
    before: batchId.optional(),
    limit: pageSize(50, 200),
    /** Only batches of this account. */
    account: accountName.optional(),
    /** Only batches in one of these states. */
    status: z.array(batchStatus).min(1).optional(),
    /** Also add up what the batches that nobody has decided about would pay: this reads all of their rows. */
    with_sums: z.boolean().default(false),
  }),
  result: z.strictObject({
    batches: z.array(
      statusShape.extend({
        /** What it would pay, and its rows that buy a product; null once it is decided, or if not asked for. */
        to_pay: z.strictObject({ sums, products: z.int() }).nullable(),
      }),
    ),
    /** Null after the last page. */
    next: batchId.nullable(),
  }),
  async run({ session }, { before, limit, status, account, with_sums }) {
    const { db } = session;
    const accounts = account === undefined ? visibleAccounts(session) : [account];
    if (before !== undefined) await requireVisible(session, {}, { batch_id: before });
    const from = before === undefined ? null : await requireBatch(db, before);
    const page = await latestBatches(db, { accounts, states: status ?? batchStates, before: from, limit });
    const isOlder = ({ batch_id }: BatchRecord) => !page.some((one) => one.batch_id === batch_id);
    const open = { accounts, states: batchStates.filter(maySend), before: null, limit: olderMax };
    const older = from || status ? [] : (await latestBatches(db, open)).filter(isOlder);
    const accountOf = accountsNow(session);
    const batches: (Status & { to_pay: ToPay | null })[] = [];
    for (const batch of [...page, ...older]) {
      const isAdded = with_sums && undecided.includes(batch.status);
      batches.push({
        ...(await statusOf(session, batch, await accountOf(batch.account))),
        to_pay: isAdded ? await toPayOf(db, batch.batch_id) : null,
      });
    }
    return { batches, next: page.length < limit ? null : (page.at(-1)?.batch_id ?? null) };
  },
});

type ToPay = Pick<RequestedTotals, 'sums' | 'products'>;

async function toPayOf(db: Database, batchId: string): Promise<ToPay> {
  const { sums, products } = await requestedNow(db, batchId);
  return { sums, products };
}
