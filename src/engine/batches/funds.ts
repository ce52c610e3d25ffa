import { compareAmounts } from '../../core/money/money.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import type { Balance, BalanceOutcome } from '../../gateway/contract/gateway.ts';
import { type BatchRecord, findBatch, openBatches } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { forgetFact, readFact, writeFact } from '../../ledger/schema/facts.ts';
import { askBalance } from '../pacing/ask-balance.ts';
import { shortOf } from '../plan/preflight.ts';
import type { RunnerContext } from '../runner/context.ts';
import { manualPause } from './manual-pause.ts';

/** What each wallet held at the lowest, by its id, since the account's money ran out. */
type Purses = Record<string, string>;

const factName = (account: string) => `short_of_funds:${account}`;

/** The account's money has run out: what it held in an earlier shortage says nothing about this one. */
export function resetShortageBalances(tx: Queryable, account: string): Promise<void> {
  return forgetFact(tx, factName(account));
}

/**
 * Lets the batches that wait for money go on when a wallet holds more than it did while they waited. Called now and
 * then where the configuration says so (`resumeWhenFunded`). Should it not be enough yet, the service refuses the next
 * row, which costs nothing, and the account waits again; but a batch whose policy is `shortBalance: "pause"` waits for
 * the money of all its rows. Returns whether anything goes on.
 */
export async function resumeFunded(context: RunnerContext): Promise<boolean> {
  const { db, account, log } = context;
  const waiting: BatchRecord[] = [];
  for (const batch of await openBatches(db, account)) if (await waitsForMoney(db, batch)) waiting.push(batch);
  if (waiting.length === 0) return false;
  const outcome = await askBalance(context);
  if (outcome.kind !== 'balance') return false;
  const known = await readFact(db, factName(account));
  const low = known === null ? null : (JSON.parse(known) as Purses);
  const now = pursesOf(outcome.balance);
  const isMore = low !== null && Object.entries(now).some(([id, held]) => compareAmounts(held, low[id] ?? '0') > 0);
  let resumed = 0;
  // One after the other: what the first needs is not there for the second.
  if (isMore) for (const batch of waiting) if (await resumeIfEnough(context, batch, outcome)) resumed += 1;
  await context.committer.commit(async ({ tx }) => {
    if (resumed === waiting.length) await forgetFact(tx, factName(account));
    else await writeFact(tx, factName(account), JSON.stringify(lowest(low, now)));
  });
  if (resumed > 0) log.info('the balance is back, and the account goes on', { account });
  return resumed > 0;
}

async function resumeIfEnough(context: RunnerContext, waiting: BatchRecord, outcome: BalanceOutcome): Promise<boolean> {
  const { db, committer } = context;
  const needsAll = storedPolicy(waiting.policy).shortBalance === 'pause';
  if (needsAll && (await shortOf(db, waiting, outcome)).length > 0) return false;
  return committer.commit(async (unit) => {
    const batch = await findBatch(unit.tx, waiting.batch_id);
    if (batch === null || !(await waitsForMoney(unit.tx, batch))) return false;
    const resumed = await unit.changeBatch(
      batch,
      'resume',
      // It may have been paused before it began.
      { pause_reason: null, pause_detail: null, started_at: batch.started_at ?? unit.at },
      { why: 'the balance is back' },
    );
    return resumed !== null;
  });
}

/** Whether nothing but money keeps the batch from going on: no person has stopped it besides. */
async function waitsForMoney(db: Queryable, batch: BatchRecord): Promise<boolean> {
  return (
    batch.status === 'paused' &&
    batch.pause_reason === 'insufficient_balance' &&
    (await manualPause(db, batch)) === null
  );
}

function pursesOf({ wallets }: Balance): Purses {
  return Object.fromEntries(wallets.filter(({ active }) => active).map(({ walletId, balance }) => [walletId, balance]));
}

function lowest(known: Purses | null, now: Purses): Purses {
  if (known === null) return now;
  return Object.fromEntries(
    Object.entries(now).map(([id, held]) => [
      id,
      compareAmounts(held, known[id] ?? held) < 0 ? held : (known[id] ?? held),
    ]),
  );
}
