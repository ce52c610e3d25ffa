import { isSameService } from '../../core/identity/service-name.ts';
import { can, type PauseReason } from '../../core/state/batch-state.ts';
import type { Why } from '../../core/state/pause-texts.ts';
import type { BalanceOutcome, ListOutcome } from '../../gateway/contract/gateway.ts';
import { type BatchRecord, openBatches } from '../../ledger/batches/batches.ts';
import { haltAccount, openPauses, openPausesOfAccount, whyOf } from '../../ledger/batches/pauses.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { inUnit, type Unit } from '../../ledger/unit-of-work.ts';
import { askBalance } from '../pacing/ask-balance.ts';
import type { Parts } from '../runner/context.ts';
import { resetShortageBalances } from './funds.ts';
import { type OpenBatchesNeeds, refreshBatches } from './refresh-batches.ts';

export type PausingNeeds = Parts<'clock' | 'gate' | 'lease' | 'wakes'> & OpenBatchesNeeds;

/**
 * Pauses every open batch of the account. Rejects if the pause cannot be written: the ledger may work again a moment
 * later, and the batches, which are still running in the ledger, would continue.
 */
export async function pauseAccount(context: PausingNeeds, reason: PauseReason, why: Why): Promise<void> {
  // Several running requests can meet the same refusal, which is logged once. A payment that does not match its row is
  // logged each time.
  const { text: detail } = why;
  const logged = reason === 'service_mismatch' ? `${reason}: ${detail}` : reason;
  if (context.batches.notePause(logged))
    context.log.warn('the account is paused', { account: context.account, reason, detail });
  // From here on no row is taken, even before the pause is durable.
  context.picker.setBatches([]);
  const { db, clock, lease } = context;
  await inUnit(db, { clock, actor: 'engine', fence: lease.fence }, (unit) => writePause(unit, context, reason, why));
  await refreshBatches(context);
  if (reason === 'credentials_rejected') {
    // Set after the pause is durable, because the run may end as soon as it is set.
    context.gate.setRefused(true);
    context.wakes.supervise.wake();
  }
  context.wakes.funds.wake();
}

/**
 * Pauses every batch of the account that is being sent or about to be, including one that this program does not know
 * yet: the person who approved it a moment ago did not know of the trouble. Some causes do not come up again, or not at
 * once: a row that is left to a person, a webhook that was handled, an answer that names another payment. The caller
 * writes these in the transaction that also writes the pause, because a crash between two transactions would lose the
 * pause.
 */
export async function writePause(
  unit: Unit,
  context: Parts<'account' | 'service'>,
  reason: PauseReason,
  why: Why,
): Promise<void> {
  for (const batch of await openBatches(unit.tx, context.account)) {
    if (!isSameService(batch.service, context.service)) continue;
    // A lack of money affects only batches that may still send. Rows that were sent are followed all the same.
    if (reason === 'insufficient_balance' && !(await mayYetSend(unit.tx, batch.batch_id))) continue;
    // A batch that is already paused gets this pause as well. Otherwise it would resume when money arrives, or when a
    // person who knows only of the other reason resumes it. That includes another payment that does not match.
    const isNews =
      can(batch.status, 'pause') ||
      (reason === 'service_mismatch' &&
        !(await openPauses(unit.tx, batch)).some((one) => one.reason === reason && one.detail === why.text));
    if (isNews) await unit.pauseBatch(batch, { reason, why });
  }
  if (reason === 'insufficient_balance') await resetShortageBalances(unit.tx, context.account);
  if (reason === 'service_mismatch') await haltAccount(unit, context.account, why);
}

/**
 * Pauses the batches that were approved or reopened since the account was halted, or that are halted for an earlier
 * reason. The halt may have happened while no batch was open, or in another program. `open`: the open batches, read a
 * moment ago. The pauses of the batches and the halt are read at once, because a person's `resume` clears both in one
 * transaction.
 */
export async function keepHalted(context: PausingNeeds, open: readonly BatchRecord[]): Promise<void> {
  const pauses = await openPausesOfAccount(context.db, context.account);
  const halts = pauses.filter(({ reason }) => reason === 'service_mismatch');
  const halt = halts.find(({ batch_id }) => batch_id === null);
  if (halt === undefined) return;
  const halted = new Set(halts.filter(({ detail }) => detail === halt.detail).map(({ batch_id }) => batch_id));
  const isAnyUnaware = open.some(
    ({ batch_id, service }) => isSameService(service, context.service) && !halted.has(batch_id),
  );
  if (isAnyUnaware) await pauseAccount(context, 'service_mismatch', whyOf(halt));
}

async function mayYetSend(db: Queryable, batchId: string): Promise<boolean> {
  const counts = await countRows(db, batchId);
  return ['ready', 'sending', 'in_doubt'].some((state) => counts.has(state));
}

/**
 * Whether the service has refused the account's credentials, and they cannot read payments either. Then only a person
 * can make progress, and it is useless to wait for lookups. The service is asked once for each refusal, and again after
 * a throttle, because credentials that may not create payments may still read them.
 */
export async function isShutOut(context: Parts<'gate' | 'gateway' | 'limiter'>): Promise<boolean> {
  if (!context.gate.isRefused() || context.limiter.isHeld('read')) return false;
  const outcome = await askToRead(context);
  if (outcome.kind !== 'throttled') context.gate.setRefused(false);
  return outcome.kind === 'account_blocked';
}

/** Reads one entry of the list, because a key that may read the balance may lack the permission to read payments. */
async function askToRead(context: Parts<'gate' | 'gateway' | 'limiter'>): Promise<ListOutcome | BalanceOutcome> {
  const { list } = context.gateway;
  // Version 1 has no list and no permissions: valid credentials may read everything.
  if (list === null) return askBalance(context);
  const outcome = await context.limiter.admit('read', () => list({ page: 1, perPage: 1, fromMs: null, toMs: null }));
  if (outcome.kind === 'throttled') await context.gate.throttled('read', outcome);
  return outcome;
}
