import { assert } from '../core/basics/assert.ts';
import { steadyClock } from '../core/time/clock.ts';
import { highestClockOf } from '../ledger/accounts/highest-clock.ts';
import { storedThrottleOf } from '../ledger/accounts/pace.ts';
import { noteEnded } from './batches/enforce-guards.ts';
import { pauseAccount } from './batches/pausing.ts';
import { makeLateBatches } from './forecast/late-batches.ts';
import { runLoops } from './loops.ts';
import { makeGateKeeper } from './pacing/gate-keeper.ts';
import { makeReadTrouble } from './pacing/read-trouble.ts';
import { keysProvedFrom, makeKeyProof, noteKeyScope } from './payments/key-age.ts';
import { makeCommitter } from './runner/committer.ts';
import type { EngineDeps, RunnerContext } from './runner/context.ts';
import { makeFollowed } from './runner/followed-rows.ts';
import { logTakeover, takeAccount } from './runner/lease.ts';
import { type LedgerMark, restoredAt } from './runner/ledger-mark.ts';
import { lastSendTimeTo } from './runner/number-spacing.ts';
import { makeOpenBatches } from './runner/open-batches.ts';
import { makePicker } from './runner/picker.ts';
import { restoreThroughput, saveThroughput } from './runner/recent-throughput.ts';
import { makeSettlementStats } from './runner/settlement-stats.ts';
import { makeWakes, wakeAll } from './runner/wake.ts';
import { wakeAfter } from './supervise.ts';

export interface RunnerOptions {
  account: string;
  /**
   * The service that the account points at (core/identity/service-name.ts). Batches made for another service are
   * paused.
   */
  service: string;
  /** Names this process, uniquely over time: `host/pid/start`. */
  holder: string;
  isDead: (holder: string) => boolean;
  callbackUrl: string | null;
  /** Called when this process has taken the account's lease, before it does anything for the account. */
  onLeaseTaken?: () => void;
  /** Called when every row of a batch is terminal and the batch is durably completed. */
  onCompleted?: (batchId: string) => void;
  /** A copy of the lease outside the ledger, if there is one. */
  mark?: LedgerMark;
  /** A person has said that the ledger was restored from a backup: every row is looked up before it is sent. */
  restored?: boolean;
  /** Whether finished batches are read again a day after their end; for programs that keep running. */
  rereads?: boolean;
}

/**
 * The sole sender of one account: it sends rows, resolves doubts and follows payments for all open batches of the
 * account.
 */
export interface AccountRunner {
  /**
   * Works until nothing is left that will progress by itself within `patienceMs`, or until `stop`. With infinite
   * patience it works until `stop`, and also handles what other processes approve and what webhooks report. With
   * `batchIds`, it ends once those batches have nothing left to do, and works on the others until then. Rejects if it
   * loses the ledger or the lease of the account, and sends nothing after that.
   */
  run(patienceMs: number, batchIds?: readonly string[]): Promise<void>;
  /** Sends nothing more. Requests that are running end, their outcomes are written, and `run` resolves. */
  stop(): void;
  /** Looks for work now, because a person changed something. */
  nudge(): void;
  /** Handles a webhook now that was just received. */
  hint(): void;
  /** Whether this runner holds the account's lease and has not stopped. */
  isWorking(): boolean;
}

export function makeAccountRunner(injected: EngineDeps, options: RunnerOptions): AccountRunner {
  const stopping = new AbortController();
  let context: RunnerContext | null = null;
  const wakeLoops = () => {
    if (context) wakeAll(context.wakes);
  };
  const stop = () => {
    stopping.abort();
    void injected.limiter.stop();
    wakeLoops();
  };
  return {
    stop,
    nudge() {
      context?.picker.rescan();
      wakeLoops();
    },
    hint: () => context?.wakes.webhook.wake(),
    isWorking: () => context !== null && !stopping.signal.aborted,
    async run(patienceMs, batchIds) {
      assert(context === null, 'a runner runs once');
      context = await openContext(injected, options, stopping.signal);
      options.onLeaseTaken?.();
      try {
        await runLoops(context, { patienceMs, batchIds, rereads: options.rereads ?? false }, stop);
        // Saved last, so that the next program knows all requests of this one. If another program has the account
        // already, the write fails, and the pace is not saved.
        await saveThroughput(context).catch(() => undefined);
      } finally {
        stopping.abort();
        await context.lease.release().catch(() => undefined);
      }
    },
  };
}

async function openContext(deps: EngineDeps, options: RunnerOptions, stopping: AbortSignal): Promise<RunnerContext> {
  const wallMs = deps.clock.now();
  const highestSeenMs = await highestClockOf(deps.db, options.account);
  const clock = steadyClock(deps.clock, highestSeenMs);
  const { account, holder, isDead, mark = null, restored = false } = options;
  const { leaseTtlMs: ttlMs } = deps.settings;
  const lease = await takeAccount(deps.db, clock, {
    account,
    holder,
    isDead,
    ttlMs,
    mark,
    restored,
    machine: deps.clock,
  });
  logTakeover(deps.log, account, lease);
  const { windowMs } = deps.limiter.usage('creation');
  const unitOptions = { clock, actor: 'engine', fence: lease.fence, sends: { account, windowMs } };
  const wakes = makeWakes(clock);
  const { unreachableWaitMsMax } = deps.settings;
  const gate = makeGateKeeper({ ...deps, clock, account, unreachableWaitMsMax, save: () => saveThroughput(context) });
  const context: RunnerContext = {
    ...deps,
    clock,
    account,
    service: options.service,
    callbackUrl: options.callbackUrl,
    onCompleted: options.onCompleted ?? (() => undefined),
    lease,
    restoredAt: await restoredAt(deps.db, account, clock.now()),
    keys: makeKeyProof(
      { ...deps, clock },
      {
        provedFrom: keysProvedFrom(wallMs, highestSeenMs),
        scopeFrom: await noteKeyScope(deps, lease.fence, clock.now()),
      },
    ),
    committer: makeCommitter(deps.db, unitOptions, (rows, isNews) => {
      context.followed.note(rows.written);
      if (rows.ended.length > 0) noteEnded(context, rows.ended);
      if (isNews) wakeAfter(context, rows);
    }),
    followed: makeFollowed(),
    gate,
    readTrouble: makeReadTrouble({ ...deps, clock, gate, pauseAccount: (...pause) => pauseAccount(context, ...pause) }),
    late: makeLateBatches(account, clock),
    settlementStats: makeSettlementStats(),
    picker: makePicker(deps.db, clock, {
      sameNumberSpacingMs: deps.gateway.policy.sameNumberSpacingMs,
      lastSendTimeTo: (phoneNumber) => lastSendTimeTo(deps.db, account, phoneNumber),
    }),
    wakes,
    batches: makeOpenBatches(),
    stopping,
    pauseAccount: (...pause) => pauseAccount(context, ...pause),
  };
  gate.restore(await storedThrottleOf(deps.db, account));
  await restoreThroughput(context);
  return context;
}
