import { isSameService } from '../../core/identity/service-name.ts';
import { can, type PauseReason } from '../../core/state/batch-state.ts';
import type { BalanceOutcome, ListOutcome } from '../../gateway/contract/gateway.ts';
import { countRows } from '../../ledger/batches/batch-counts.ts';
import { openBatches } from '../../ledger/batches/batches.ts';
import { haltAccount, haltOf, openPauses, openPausesOfAccount } from '../../ledger/batches/pauses.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { inUnit, type Unit } from '../../ledger/unit-of-work.ts';
import { askBalance } from '../pacing/ask-balance.ts';
import type { Parts } from '../runner/context.ts';
import { resetShortageBalances } from './funds.ts';
import { type OpenBatchesNeeds, refreshBatches } from './open-batches.ts';

export type PausingNeeds = Parts<'clock' | 'gate' | 'lease' | 'wakes'> & OpenBatchesNeeds;

/**
 * Pauses every open batch of the account. Rejects where that cannot be written: the ledger may be well again a moment
 * later, and the batches, which still read as running, would go on.
 */
export async function pauseAccount(context: PausingNeeds, reason: PauseReason, detail: string): Promise<void> {
  // Several requests under way meet the same refusal. Each payment that is not what it should be is a matter of its
  // own.
  const logged = reason === 'service_mismatch' ? `${reason}: ${detail}` : reason;
  if (context.batches.notePause(logged))
    context.log.warn('the account is paused', { account: context.account, reason, detail });
  // Nothing more is taken from here on, even before the pause is durable.
  context.picker.setBatches([]);
  const { db, clock, lease } = context;
  await inUnit(db, { clock, actor: 'engine', fence: lease.fence }, (unit) => writePause(unit, context, reason, detail));
  await refreshBatches(context);
  if (reason === 'credentials_rejected') {
    // Only now that the pause is durable, since the run may end by it.
    context.gate.setRefused(true);
    context.wakes.supervise.wake();
  }
  context.wakes.funds.wake();
}

/**
 * Writes the pause of every batch of the account that is sent or about to be, also of one that this program does not
 * know yet: who approved it a moment ago knew nothing of the trouble. What leaves nothing that would ask for it again,
 * or not at once (a row that is a person's from now on, a webhook that was handled, an answer that names another
 * payment), writes it in its own transaction: a crash between the two would lose it.
 */
export async function writePause(
  unit: Unit,
  context: Parts<'account' | 'service'>,
  reason: PauseReason,
  detail: string,
): Promise<void> {
  for (const batch of await openBatches(unit.tx, context.account)) {
    if (!isSameService(batch.service, context.service)) continue;
    // Money matters to what is still to be sent alone: what was sent is followed all the same.
    if (reason === 'insufficient_balance' && !(await mayYetSend(unit.tx, batch.batch_id))) continue;
    // What is paused already would go on when there is money again, or by a person who knows of something else alone.
    const isNews =
      can(batch.status, 'pause') ||
      (reason === 'service_mismatch' && !(await openPauses(unit.tx, batch)).some((one) => one.reason === reason));
    if (isNews) await unit.pauseBatch(batch, { reason, detail });
  }
  if (reason === 'insufficient_balance') await resetShortageBalances(unit.tx, context.account);
  if (reason === 'service_mismatch') await haltAccount(unit, context.account, detail);
}

/**
 * Pauses what has been approved or reopened since the account was halted: the reason may have been seen while no batch
 * was open, or by another program. The batches are read before the halt, since a person's `resume` ends both in one
 * transaction.
 */
export async function keepHalted(context: PausingNeeds): Promise<void> {
  const open = await openBatches(context.db, context.account);
  const pauses = await openPausesOfAccount(context.db, context.account);
  const halted = new Set(pauses.flatMap(({ batch_id, reason }) => (reason === 'service_mismatch' ? [batch_id] : [])));
  const mayGoOn = open.some(
    ({ batch_id, service }) => isSameService(service, context.service) && !halted.has(batch_id),
  );
  const why = mayGoOn ? await haltOf(context.db, context.account) : null;
  if (why !== null) await pauseAccount(context, 'service_mismatch', why);
}

async function mayYetSend(db: Queryable, batchId: string): Promise<boolean> {
  const counts = await countRows(db, batchId);
  return ['ready', 'sending', 'in_doubt'].some((state) => counts.has(state));
}

/**
 * Whether the service has refused the account's credentials, and lets them read no payment either: then only a person
 * moves what is open, and waiting for its look-ups is in vain. It is asked once for each refusal: credentials that may
 * not create may read.
 */
export async function isShutOut(context: Parts<'gate' | 'gateway' | 'limiter'>): Promise<boolean> {
  if (!context.gate.isRefused()) return false;
  const outcome = await askToRead(context);
  if (outcome.kind !== 'throttled') context.gate.setRefused(false);
  return outcome.kind === 'account_blocked';
}

/** Reads one entry of the list, since a key that may read the balance need not have the permission to read payments. */
async function askToRead(context: Parts<'gate' | 'gateway' | 'limiter'>): Promise<ListOutcome | BalanceOutcome> {
  const { list } = context.gateway;
  // Version 1 has no list and no permissions: credentials that are right may read everything.
  if (list === null) return askBalance(context);
  const outcome = await context.limiter.admit('read', () => list({ page: 1, perPage: 1, fromMs: null, toMs: null }));
  if (outcome.kind === 'throttled') await context.gate.throttled('read', outcome);
  return outcome;
}
