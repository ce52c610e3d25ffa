import { isSameService } from '../../core/identity/service-name.ts';
import { compareAmounts } from '../../core/money/money.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import type { Balance, BalanceOutcome } from '../../gateway/contract/gateway.ts';
import { type BatchRecord, findBatch, openBatches } from '../../ledger/batches/batches.ts';
import { clearPauses, openPauses, openPausesOfAccount } from '../../ledger/batches/pauses.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { accountState } from '../../ledger/schema/state-columns.ts';
import { askBalance } from '../pacing/ask-balance.ts';
import { shortOf } from '../plan/preflight.ts';
import type { Parts } from '../runner/context.ts';

type FundsNeeds = Parts<'account' | 'committer' | 'db' | 'gate' | 'gateway' | 'limiter' | 'log' | 'service'>;

/** The lowest balance of each wallet since the account's money ran out, by wallet id. */
type Purses = Record<string, string>;

/**
 * Deletes the lowest balances when the account's money runs out: those of an earlier shortage do not apply to this one.
 */
export function resetShortageBalances(tx: Queryable, account: string): Promise<void> {
  return accountState.lowestBalances.write(tx, account, null);
}

/**
 * Clears the pauses for lack of money when a wallet holds more than at its lowest while the batches waited. A batch
 * resumes if it has no other pause. Called from time to time if the configuration allows it (`resumeWhenFunded`). If
 * the money is still not enough, the service refuses the next row, which costs nothing, and the account waits again. A
 * batch with the policy `shortBalance: "pause"` waits until the money is enough for all of its rows. Returns whether
 * any batch resumes.
 */
export async function resumeFunded(context: FundsNeeds): Promise<boolean> {
  const { db, account, service, log } = context;
  const pauses = (await openPausesOfAccount(db, account)).filter(({ reason }) => reason === 'insufficient_balance');
  const short = new Set(pauses.map(({ batch_id }) => batch_id));
  const waiting = (await openBatches(db, account)).filter(
    // The wallets of this service do not pay for a batch of another service.
    (batch) => short.has(batch.batch_id) && isSameService(batch.service, service),
  );
  if (waiting.length === 0) return false;
  const outcome = await askBalance(context);
  if (outcome.kind !== 'balance') return false;
  const known = await accountState.lowestBalances.read(db, account);
  const low = known === null ? null : (JSON.parse(known) as Purses);
  const now = pursesOf(outcome.balance);
  const isMore = low !== null && Object.entries(now).some(([id, held]) => compareAmounts(held, low[id] ?? '0') > 0);
  const done: Record<AfterFunding, number> = { resumed: 0, still_paused: 0, still_short: 0 };
  // One after another: the money that the first batch needs is not available to the second.
  if (isMore) for (const batch of waiting) done[await endShortage(context, batch, outcome)] += 1;
  await context.committer.commit(async ({ tx }) => {
    const isOver = done.resumed + done.still_paused === waiting.length;
    await accountState.lowestBalances.write(tx, account, isOver ? null : JSON.stringify(lowest(low, now)));
  });
  if (done.resumed > 0) log.info('the balance is sufficient again; the account continues', { account });
  return done.resumed > 0;
}

/** The result for a batch that waited for money, after a wallet holds more. */
type AfterFunding = 'resumed' | 'still_paused' | 'still_short';

async function endShortage(
  { db, committer }: Parts<'committer' | 'db'>,
  waiting: BatchRecord,
  outcome: BalanceOutcome,
): Promise<AfterFunding> {
  const { batch_id } = waiting;
  const needsAll = storedPolicy(waiting.policy).shortBalance === 'pause';
  if (needsAll && (await shortOf(db, waiting, outcome)).length > 0) return 'still_short';
  return committer.commit(async (unit) => {
    const batch = await findBatch(unit.tx, batch_id);
    const reasons = batch === null ? [] : (await openPauses(unit.tx, batch)).map(({ reason }) => reason);
    // A person may have resumed the batch since it was read.
    if (batch === null || !reasons.includes('insufficient_balance')) return 'still_paused';
    const why: EventWhy = 'the balance is back';
    if (reasons.length > 1) {
      await clearPauses(unit, batch, 'insufficient_balance');
      await unit.append(batch_id, 'batch.pause_cleared', { reason: 'insufficient_balance', why });
      return 'still_paused';
    }
    // The batch may have been paused before it started.
    await unit.changeBatch(batch, 'resume', { started_at: batch.started_at ?? unit.at }, { why });
    return 'resumed';
  });
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
