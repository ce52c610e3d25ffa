import { errorMessage } from '../core/basics/errors.ts';
import { moneyText } from '../core/money/money.ts';
import { can } from '../core/state/batch-state.ts';
import { pauseWhy, type Why } from '../core/state/pause-texts.ts';
import type { RowState } from '../core/state/row-state.ts';
import type { Balance } from '../gateway/contract/gateway.ts';
import { type BatchRecord, findBatch, openBatches } from '../ledger/batches/batches.ts';
import { countRows } from '../ledger/batches/row-counts.ts';
import { isAnySending } from '../ledger/rows/in-flight-rows.ts';
import { enforceGuards, rowsToSend } from './batches/enforce-guards.ts';
import { resetShortageBalances } from './batches/funds.ts';
import { isShutOut, keepHalted, type PausingNeeds } from './batches/pausing.ts';
import { refreshBatches } from './batches/refresh-batches.ts';
import { allTerminal, canProgress } from './forecast/can-progress.ts';
import { longThrottle } from './pacing/account-throttle.ts';
import { askBalance } from './pacing/ask-balance.ts';
import { balanceEventData } from './plan/known-balance.ts';
import { shortOf } from './plan/preflight.ts';
import type { UnitRows } from './runner/committer.ts';
import type { Parts } from './runner/context.ts';
import { idleMs, type OpenBatch } from './runner/open-batches.ts';
import { readDetails } from './tracking/details.ts';

export type SuperviseNeeds = Parts<
  'gateway' | 'limiter' | 'onCompleted' | 'readTrouble' | 'settings' | 'settlementStats' | 'stopping'
> &
  PausingNeeds;

/** How long a runner works: see `AccountRunner.run`. */
export interface Stay {
  patienceMs: number;
  batchIds: readonly string[] | undefined;
}

/**
 * The balances with which batches will end, by batch. They were read while requests of other batches were running, and
 * wait until these are answered.
 */
type ClosingBalances = Map<string, Balance>;

/**
 * How many ready rows of a batch the picker knows (`Infinity` until it has read them all), and the counts of all rows
 * by state.
 */
interface Standing {
  known: number;
  counts: ReadonlyMap<string, number>;
}

/** A round is worth its cost after this many rows that were sent or ended, and at the latest after `usualRoundMs`. */
const rowsPerRound = 16;
const usualRoundMs = 4_000;
/** The states through which every row goes. */
const usualStates: readonly RowState[] = ['sending', 'accepted', 'completed', 'failed'];

/**
 * Wakes the loops that may have work because of a durable change. The supervising loop is woken if a round is worth its
 * cost: at once for a change that is not usual, and for what may be the last row of a batch.
 */
export function wakeAfter(
  { followed, settings, wakes }: Parts<'followed' | 'settings' | 'wakes'>,
  { written, ended }: UnitRows,
): void {
  const states = new Set(written.map(({ status }) => status));
  if (states.has('ready')) wakes.dispatch.wake();
  if (states.has('in_doubt')) wakes.doubt.wake();
  if (states.has('accepted')) wakes.track.wakeSoon(settings.listPatienceMs, Number.POSITIVE_INFINITY);
  if (states.has('sending')) wakes.throughput.wake();
  const isUsual = written.length > 0 && [...states].every((status) => usualStates.includes(status));
  const isLast = ended.some(({ batch_id }) => followed.countOf(batch_id) === 0);
  if (isUsual && !isLast) for (const _ of written) wakes.supervise.wakeSoon(usualRoundMs, rowsPerRound);
  else wakes.supervise.wake();
}

/**
 * Completes finished batches, and stops a runner with finite patience when nothing is left that will progress by
 * itself.
 */
export async function superviseLoop(
  context: SuperviseNeeds,
  { patienceMs, batchIds }: Stay,
  stop: () => void,
): Promise<void> {
  const closing: ClosingBalances = new Map();
  const details = new Set<Promise<void>>();
  const end = (open: OpenBatch) => {
    const { batch_id } = open.batch;
    const fail = (error: unknown) =>
      context.log.warn('the details of payments could not be read', { batch_id, error: errorMessage(error) });
    const reading = readDetails(context, open.batch)
      .catch(fail)
      .finally(() => {
        details.delete(reading);
        context.onCompleted(batch_id);
        context.wakes.supervise.wake();
      });
    details.add(reading);
  };
  while (!context.stopping.aborted) {
    await startApproved(context);
    const standings = await readStandings(context);
    await enforceGuards(context, standings);
    let busy = false;
    let toSend = 0;
    for (const open of [...context.batches.all().values()]) {
      const { batch } = open;
      const standing = standings.get(batch.batch_id);
      if (standing === undefined) continue;
      toSend += rowsToSend(open, standing.counts);
      const moves = await superviseBatch(context, open, { ...standing, patienceMs, closing, end });
      if (moves && batchIds?.includes(batch.batch_id) !== false) busy = true;
    }
    context.limiter.expect('creation', toSend);
    busy ||= details.size > 0;
    if (Number.isFinite(patienceMs) && (!busy || (await isShutOut(context)))) {
      stop();
      break;
    }
    await context.clock.sleep(await roundMs(context), context.stopping);
    // A balance that was read waits for the answers of other requests.
    const closingMs = closing.size > 0 ? context.settings.idlePollMs : Infinity;
    // A run that asks whether refused credentials can read asks again when a throttle ends.
    const throttledMs =
      Number.isFinite(patienceMs) && context.gate.isRefused() ? context.limiter.usage('read').heldMs : Infinity;
    await context.wakes.supervise.wait(Math.min(closingMs, throttledMs, idleMs(context)));
  }
  await Promise.all(details);
}

/** Reads the standing of each open batch, once for the whole round. */
async function readStandings({
  batches,
  db,
  picker,
}: Parts<'batches' | 'db' | 'picker'>): Promise<Map<string, Standing>> {
  const standings = new Map<string, Standing>();
  for (const batchId of batches.all().keys()) {
    // Before the counts: rows that are sent meanwhile are then counted by neither.
    const known = picker.known(batchId);
    standings.set(batchId, { known, counts: await countRows(db, batchId) });
  }
  return standings;
}

/** Reads the list of open batches again, and starts those that are approved. */
async function startApproved(context: SuperviseNeeds): Promise<void> {
  const before = context.batches.all();
  const read = await openBatches(context.db, context.account);
  await keepHalted(context, read);
  // A pause of the account reads the batches too. What was read before it must not replace that.
  await (context.batches.all() === before ? refreshBatches(context, read) : refreshBatches(context));
  const approved = [...context.batches.all().values()].filter(({ batch }) => batch.status === 'approved');
  if (approved.length === 0) return;
  for (const { batch, policy } of approved) {
    const short = policy.shortBalance === 'pause' ? await shortfall(context, batch) : null;
    await context.committer.commit(async (unit) => {
      const started = await unit.changeBatch(batch, 'start', { started_at: unit.at }, {});
      if (!started || short === null) return;
      await unit.pauseBatch(started, { reason: 'insufficient_balance', why: short });
      await resetShortageBalances(unit.tx, context.account);
    });
  }
  await refreshBatches(context);
  context.wakes.dispatch.wake();
}

/** How much the balance lacks for the whole batch; null if it is enough, or if that is unknown. */
async function shortfall(
  context: Parts<'db' | 'gate' | 'gateway' | 'limiter'>,
  batch: BatchRecord,
): Promise<Why | null> {
  const outcome = await askBalance(context);
  const short = await shortOf(context.db, batch, outcome);
  if (short.length === 0) return null;
  const missing = short.map(({ currency, missing: sum }) => [currency, sum] as const);
  const others = short.flatMap(({ currency, others: sum }) => (sum === null ? [] : [[currency, sum] as const]));
  const inText = (sums: typeof missing) => sums.map((sum) => moneyText(...sum)).join(' and ');
  const alsoNeeded = others.length === 0 ? '' : ` (other batches still need ${inText(others)})`;
  const text = `${inText(missing)} are missing for the whole batch${alsoNeeded}; nothing was sent`;
  const listed = (sums: typeof missing) => sums.map((sum) => sum.join(' ')).join(', ');
  return pauseWhy('PAUSE_SHORT', { missing: listed(missing), others: listed(others) }, text);
}

/**
 * Completes a batch whose rows have all ended. Returns whether the batch still has something to do within `patienceMs`.
 */
async function superviseBatch(
  context: SuperviseNeeds,
  open: OpenBatch,
  {
    known,
    counts,
    patienceMs,
    closing,
    end,
  }: Standing & Pick<Stay, 'patienceMs'> & { closing: ClosingBalances; end: (open: OpenBatch) => void },
): Promise<boolean> {
  const { batch } = open;
  if (allTerminal(counts)) {
    const isCompleted = await completeBatch(context, batch.batch_id, closing);
    if (isCompleted) end(open);
    return !isCompleted;
  }
  closing.delete(batch.batch_id);
  // Rows may have been released or retried since the picker read the batch, whatever its other rows do.
  if (batch.status === 'running' && (counts.get('ready') ?? 0) > known) {
    context.picker.rescan();
    context.wakes.dispatch.wake();
  }
  // A runner with infinite patience does not end for want of progress.
  return patienceMs === Number.POSITIVE_INFINITY || canProgress(context.db, batch, context.clock.now(), patienceMs);
}

/** How often a balance request may be refused with 429 before the batch ends without a balance. */
const balanceReadsMax = 3;

async function readBalance(context: Parts<'clock' | 'gate' | 'gateway' | 'limiter'>): Promise<Balance | null> {
  for (let reads = 0; reads < balanceReadsMax; reads++) {
    // A batch whose rows have all ended does not stay open for a wait of hours.
    if (longThrottle(context, 'balance') !== null) return null;
    const outcome = await askBalance(context);
    if (outcome.kind === 'balance') return outcome.balance;
    if (outcome.kind !== 'throttled') return null;
  }
  return null;
}

/**
 * Completes the batch as it is in the ledger now, not as it was before the balance was read: a guard may have changed
 * it since, or a person may have retried a failed row. Returns whether it is completed. Requests of other batches that
 * were running when the balance was read may already be charged in it. So the batch ends only after they are answered,
 * and every unit that left the wallets belongs to a row.
 */
async function completeBatch(context: SuperviseNeeds, batchId: string, closing: ClosingBalances): Promise<boolean> {
  const { db, batches } = context;
  const balance = closing.get(batchId) ?? (await readBalance(context));
  if (balance !== null && (await isAnySending(db, [...batches.all().keys()], balance.readAt))) {
    closing.set(batchId, balance);
    return false;
  }
  closing.delete(batchId);
  const balance_after = balance === null ? null : JSON.stringify(balance);
  const completed = await context.committer.commit(async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    if (!batch || !can(batch.status, 'complete') || !allTerminal(await countRows(unit.tx, batchId))) return null;
    const fields = { balance_after, completed_at: unit.at };
    return unit.changeBatch(batch, 'complete', fields, balanceEventData(balance));
  });
  return completed !== null;
}

/**
 * The least time between two rounds (ms). It is shorter for the last rows if payments usually settle faster than that.
 */
export async function roundMs({
  picker,
  settlementStats,
  settings,
}: Parts<'picker' | 'settings' | 'settlementStats'>): Promise<number> {
  const { roundMsMin, lastReadsMsMin } = settings;
  const endsFast = (settlementStats.usualMs() ?? Infinity) < roundMsMin;
  return endsFast && (await picker.available(1)) === 0 ? lastReadsMsMin : roundMsMin;
}
