import { assert } from '../core/assert.ts';
import { can } from '../core/batch-state.ts';
import { steadyClock } from '../core/clock.ts';
import { moneyText } from '../core/money.ts';
import type { Balance } from '../gateway/gateway.ts';
import { type BatchRecord, countRows, findBatch } from '../ledger/batches.ts';
import { highestClock } from '../ledger/facts.ts';
import { isAnySending } from '../ledger/rows.ts';
import { LimiterStopped } from '../limiter/limiter.ts';
import { askBalance } from './ask-balance.ts';
import { makeCommitter } from './committer.ts';
import { makeComparison } from './comparison.ts';
import type { EngineDeps, RunnerContext } from './context.ts';
import { dispatchLoop } from './dispatch.ts';
import { doubtInterrupted, stepDoubts } from './doubts.ts';
import { makeEndings } from './endings.ts';
import { makeFollowed } from './followed.ts';
import { lastLooksApartMs } from './following.ts';
import { noteShortage, resumeFunded } from './funds.ts';
import { enforceGuards, noteEnded, rowsToSend } from './guarding.ts';
import { takeHints } from './hints.ts';
import { keysProvedFrom, noteKeyScope } from './key-age.ts';
import { takeAccount, tellTakenOver } from './lease.ts';
import { type LedgerMark, restoredAt } from './ledger-mark.ts';
import { makeListMark } from './list-mark.ts';
import { longHold } from './long-hold.ts';
import { makeLookAhead } from './look-ahead.ts';
import { lastSentTo } from './number-spacing.ts';
import { refreshBatches } from './open-batches.ts';
import { goOnAtPace, noteOwnPace, paceLoop } from './own-pace.ts';
import { isShutOut, keepHalted, pauseAccount } from './pausing.ts';
import { dropPersonsPause } from './persons-pause.ts';
import { makePicker } from './picker.ts';
import { shortOf } from './preflight.ts';
import { allTerminal, movesByItself } from './remaining.ts';
import { makeRereading } from './reread.ts';
import { toldReading } from './told-balance.ts';
import { keepWaiting } from './told-to-wait.ts';
import { trackOnce } from './tracking.ts';
import { makeWake } from './wake.ts';

export interface RunnerOptions {
  account: string;
  /** Where the account is (core/service-name.ts): its batches of another service are paused. */
  service: string;
  /** Names this process, uniquely over time: `host/pid/start`. */
  holder: string;
  isDead: (holder: string) => boolean;
  callbackUrl: string | null;
  /** Called when this process has the account, before anything is done for it. */
  onTaken?: () => void;
  /** Called when every row of a batch is terminal and the batch is durably completed. */
  onCompleted?: (batchId: string) => void;
  /** Where holds are noted besides the ledger, if anywhere. */
  mark?: LedgerMark;
  /** A person has said that the ledger was restored from a backup: every row is looked up before it is sent. */
  restored?: boolean;
  /** Whether finished batches are read once more a day after their end; for programs that stay. */
  rereads?: boolean;
}

/** The sole sender of one account: it dispatches, resolves doubts and tracks, for all of the account's open batches. */
export interface AccountRunner {
  /**
   * Works until nothing is left that time alone would move within `patienceMs`, or until `stop`. With infinite patience it works until
   * `stop`, and takes up what other processes approve and what webhooks tell. With `batchIds`, it ends once only those batches have
   * nothing left; it works on the others until then. Rejects if it loses the ledger or the hold on the account, and sends nothing
   * after that.
   */
  run(patienceMs: number, batchIds?: readonly string[]): Promise<void>;
  /** Sends nothing more; what is in flight ends, its outcome is written, and `run` resolves. */
  stop(): void;
  /** Looks now, because a person changed something. */
  nudge(): void;
  /** Takes a webhook now that was just received. */
  hint(): void;
  /** Whether the account is held and worked for. */
  isWorking(): boolean;
}

/**
 * The least time between two looks at the batches, and at what is followed, however much happens. The last rows are looked for sooner where
 * they are known to end faster than that.
 */
const looksApartMs = 100;
/** The lease is renewed this often within its time, so that two renewals may fail before it is lost. */
const renewalsPerTtl = 4;

export function makeAccountRunner(injected: EngineDeps, options: RunnerOptions): AccountRunner {
  const stopping = new AbortController();
  let context: RunnerContext | null = null;
  const ringAll = () => {
    if (context === null) return;
    const { dispatchWake, doubtWake, trackWake, hintWake, superviseWake, renewWake, fundsWake, rereadWake } = context;
    for (const wake of [dispatchWake, doubtWake, trackWake, hintWake, superviseWake, renewWake, fundsWake, rereadWake])
      wake.wake();
  };
  const stop = () => {
    stopping.abort();
    void injected.limiter.stop();
    ringAll();
  };
  return {
    stop,
    nudge() {
      context?.picker.rescan();
      ringAll();
    },
    hint: () => context?.hintWake.wake(),
    isWorking: () => context !== null && !stopping.signal.aborted,
    async run(patienceMs, batchIds) {
      assert(context === null, 'a runner runs once');
      context = await openContext(injected, options, stopping.signal);
      options.onTaken?.();
      try {
        await runLoops(context, { patienceMs, batchIds, rereads: options.rereads ?? false }, stop);
        // With all that was under way at last, for the program after this one; where that has the account already, it does without.
        await noteOwnPace(context).catch(() => undefined);
      } finally {
        stopping.abort();
        await context.lease.release().catch(() => undefined);
      }
    },
  };
}

async function openContext(deps: EngineDeps, options: RunnerOptions, stopping: AbortSignal): Promise<RunnerContext> {
  const wallMs = deps.clock.now();
  const highestSeenMs = await highestClock(deps.db);
  const clock = steadyClock(deps.clock, highestSeenMs);
  const { account, holder, isDead, mark = null, restored = false } = options;
  const { leaseTtlMs: ttlMs } = deps.settings;
  const lease = await takeAccount(deps.db, clock, { account, holder, isDead, ttlMs, mark, restored });
  tellTakenOver(deps.log, account, lease);
  const unitOptions = { clock, actor: 'engine', fence: lease.fence };
  const superviseWake = makeWake(clock);
  const context: RunnerContext = {
    ...deps,
    clock,
    account,
    service: options.service,
    callbackUrl: options.callbackUrl,
    onCompleted: options.onCompleted ?? (() => undefined),
    lease,
    restoredAt: await restoredAt(deps.db, account, clock.now()),
    keysProvedFrom: keysProvedFrom(wallMs, highestSeenMs),
    keyScopeFrom: await noteKeyScope(deps, account, clock.now()),
    compared: makeComparison(),
    committer: makeCommitter(deps.db, unitOptions, ({ ended, written }) => {
      context.followed.note(written);
      if (ended.length > 0) noteEnded(context, ended);
      superviseWake.wake();
    }),
    followed: makeFollowed(),
    trips: new Map(),
    closing: new Map(),
    pausesTold: new Set(),
    readTroubleToldAt: Number.NEGATIVE_INFINITY,
    unanswered: 0,
    unreachableSince: null,
    unreachableUntil: Number.NEGATIVE_INFINITY,
    toldToWait: null,
    lookAhead: makeLookAhead(clock),
    late: new Map(),
    lateLookedAt: Number.NEGATIVE_INFINITY,
    credentialsRefused: false,
    endings: makeEndings(),
    listMark: makeListMark(),
    picker: makePicker(deps.db, clock, {
      sameNumberSpacingMs: deps.gateway.policy.sameNumberSpacingMs,
      lastSentTo: (phoneNumber) => lastSentTo(deps.db, account, phoneNumber),
    }),
    dispatchWake: makeWake(clock),
    doubtWake: makeWake(clock),
    trackWake: makeWake(clock),
    hintWake: makeWake(clock),
    superviseWake,
    renewWake: makeWake(clock),
    fundsWake: makeWake(clock),
    rereadWake: makeWake(clock),
    batches: new Map(),
    elsewhere: new Map(),
    stopping,
    pauseAccount: (reason, detail) => pauseAccount(context, reason, detail),
  };
  await keepWaiting(context);
  await goOnAtPace(context);
  return context;
}

/** How long a runner works: see `AccountRunner.run`. */
interface Stay {
  patienceMs: number;
  batchIds: readonly string[] | undefined;
}

/** Runs all loops until the work is done; the first trouble in any of them ends all. */
async function runLoops(
  context: RunnerContext,
  { rereads, ...stay }: Stay & { rereads: boolean },
  stop: () => void,
): Promise<void> {
  let trouble: unknown = null;
  const guarded = (loop: () => Promise<void>) =>
    loop().catch((error: unknown) => {
      if (error instanceof LimiterStopped) return;
      trouble ??= error;
      stop();
    });
  await refreshBatches(context);
  for (const open of [...context.batches.values(), ...context.elsewhere.values()]) {
    const count = await doubtInterrupted(context, open);
    if (count > 0)
      context.log.warn('rows were being sent when the program ended; they are looked up', {
        batch_id: open.batch.batch_id,
        rows: count,
      });
  }
  await Promise.all([
    guarded(() => superviseLoop(context, stay, stop)),
    guarded(() => noteOwnPace(context)),
    guarded(() => paceLoop(context)),
    guarded(() => renewLoop(context)),
    guarded(() => dispatchLoop(context)),
    guarded(() => doubtLoop(context)),
    guarded(() => trackLoop(context)),
    guarded(() => hintLoop(context)),
    ...(context.settings.resumeWhenFunded ? [guarded(() => fundsLoop(context))] : []),
    ...(rereads ? [guarded(() => rereadLoop(context))] : []),
  ]);
  if (trouble !== null) throw trouble;
}

async function doubtLoop(context: RunnerContext): Promise<void> {
  while (!context.stopping.aborted) {
    const next = await stepDoubts(context);
    const now = context.clock.now();
    const { idlePollMs } = context.settings;
    await context.doubtWake.wait(Math.max(1, Math.min(idlePollMs, (next ?? now + idlePollMs) - now)));
  }
}

async function trackLoop(context: RunnerContext): Promise<void> {
  while (!context.stopping.aborted) {
    const wait = await trackOnce(context);
    // Every row that was just accepted rings, and asking at once would find it as it was.
    const least = Math.min(wait, await looksApart(context));
    await context.clock.sleep(least, context.stopping);
    if (wait > least && !context.stopping.aborted) await context.trackWake.wait(wait - least);
  }
}

async function looksApart({ picker, endings }: RunnerContext): Promise<number> {
  const endsFast = (endings.usualMs() ?? Infinity) < looksApartMs;
  return endsFast && (await picker.available(1)) === 0 ? lastLooksApartMs : looksApartMs;
}

/** Webhooks may also have been received by another process, so the inbox is looked at now and then. */
async function hintLoop(context: RunnerContext): Promise<void> {
  while (!context.stopping.aborted) {
    const next = await takeHints(context);
    const now = context.clock.now();
    const { idlePollMs } = context.settings;
    await context.hintWake.wait(Math.max(1, Math.min(idlePollMs, (next ?? now + idlePollMs) - now)));
  }
}

async function fundsLoop(context: RunnerContext): Promise<void> {
  while (!context.stopping.aborted) {
    if (await resumeFunded(context)) context.superviseWake.wake();
    await context.fundsWake.wait(context.settings.fundsLookMs);
  }
}

async function rereadLoop(context: RunnerContext): Promise<void> {
  const readOn = makeRereading(context);
  while (!context.stopping.aborted) await context.rereadWake.wait(Math.max(1, await readOn()));
}

async function renewLoop(context: RunnerContext): Promise<void> {
  const everyMs = context.settings.leaseTtlMs / renewalsPerTtl;
  while (!context.stopping.aborted) {
    await context.renewWake.wait(everyMs);
    if (context.stopping.aborted) return;
    await context.lease.renew();
    await noteOwnPace(context);
  }
}

/** Ends finished batches, and stops a runner of finite patience when nothing is left that time alone will move. */
async function superviseLoop(context: RunnerContext, { patienceMs, batchIds }: Stay, stop: () => void): Promise<void> {
  while (!context.stopping.aborted) {
    await startApproved(context);
    await enforceGuards(context);
    let busy = false;
    let toSend = 0;
    for (const open of [...context.batches.values()]) {
      const { batch } = open;
      const known = context.picker.known(batch.batch_id);
      const counts = await countRows(context.db, batch.batch_id);
      toSend += rowsToSend(open, counts);
      const moves = await superviseBatch(context, batch, { known, counts, patienceMs });
      if (moves && batchIds?.includes(batch.batch_id) !== false) busy = true;
    }
    context.limiter.expect('creation', toSend);
    if (Number.isFinite(patienceMs) && (!busy || (await isShutOut(context)))) {
      stop();
      return;
    }
    await context.clock.sleep(await looksApart(context), context.stopping);
    await context.superviseWake.wait(context.settings.idlePollMs);
  }
}

/** Brings the list of open batches up to date, and starts those that are approved. */
async function startApproved(context: RunnerContext): Promise<void> {
  await keepHalted(context);
  await refreshBatches(context);
  const approved = [...context.batches.values()].filter(({ batch }) => batch.status === 'approved');
  if (approved.length === 0) return;
  for (const { batch, policy } of approved) {
    const short = policy.shortBalance === 'pause' ? await shortfall(context, batch) : null;
    await context.committer.commit(async (unit) => {
      const started = await unit.changeBatch(batch, 'start', { started_at: unit.at }, {});
      if (!started || short === null) return;
      const pause = { pause_reason: 'insufficient_balance', pause_detail: short } as const;
      await unit.changeBatch(started, 'pause', pause, { reason: 'insufficient_balance', detail: short });
      await noteShortage(unit.tx, context.account);
    });
  }
  await refreshBatches(context);
  context.dispatchWake.wake();
}

/** What the balance lacks for the whole batch, or null where it is enough, or cannot be told. */
async function shortfall(context: RunnerContext, batch: BatchRecord): Promise<string | null> {
  const outcome = await askBalance(context);
  const short = await shortOf(context.db, batch, outcome);
  if (short.length === 0) return null;
  const missing = short.map(({ currency, missing: value }) => moneyText(currency, value));
  return `${missing.join(' and ')} are missing for the whole batch; nothing was sent`;
}

/** Moves the batch on where it can be. Returns whether it still has something to do within `patienceMs`. */
async function superviseBatch(
  context: RunnerContext,
  batch: BatchRecord,
  { known, counts, patienceMs }: { known: number; counts: ReadonlyMap<string, number>; patienceMs: number },
): Promise<boolean> {
  if (allTerminal(counts)) return !(await completeBatch(context, batch.batch_id));
  context.closing.delete(batch.batch_id);
  // Rows may have been released or retried meanwhile; whether others are still under way, or wait, says nothing of them.
  if (batch.status === 'running' && (counts.get('ready') ?? 0) > known) context.picker.rescan();
  return movesByItself(context.db, batch, context.clock.now(), patienceMs);
}

/** Requests for a balance that the service may refuse for being too many, before it is done without. */
const balanceReadsMax = 3;

async function readBalance(context: RunnerContext): Promise<Balance | null> {
  for (let reads = 0; reads < balanceReadsMax; reads++) {
    // A batch whose rows have all ended does not stay open for a wait of hours.
    if (longHold(context, 'balance') !== null) return null;
    const outcome = await askBalance(context);
    if (outcome.kind === 'balance') return outcome.balance;
    if (outcome.kind !== 'throttled') return null;
  }
  return null;
}

/**
 * Ends the batch as it is in the ledger by then, not as it was read a balance ago: a guard may have noted something of it since,
 * and a person may have had a failed row tried again. Returns whether it is ended: what other batches had on the wire when the balance was
 * read may have been charged in it, and is answered first, so that every unit which left the wallets is some row's.
 */
async function completeBatch(context: RunnerContext, batchId: string): Promise<boolean> {
  const { closing, db, batches } = context;
  const balance = closing.get(batchId) ?? (await readBalance(context));
  if (balance !== null && (await isAnySending(db, [...batches.keys()], balance.readAt))) {
    closing.set(batchId, balance);
    return false;
  }
  closing.delete(batchId);
  const balance_after = balance === null ? null : JSON.stringify(balance);
  const completed = await context.committer.commit(async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    if (!batch || !can(batch.status, 'complete') || !allTerminal(await countRows(unit.tx, batchId))) return null;
    await dropPersonsPause(unit.tx, batchId);
    return unit.changeBatch(
      batch,
      'complete',
      { balance_after, completed_at: unit.at, reread_at: null, pause_reason: null, pause_detail: null },
      toldReading(balance),
    );
  });
  if (completed) context.onCompleted(batchId);
  return completed !== null;
}
