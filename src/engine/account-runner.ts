import { assert } from '../core/basics/assert.ts';
import { steadyClock } from '../core/time/clock.ts';
import { storedThrottleOf } from '../ledger/accounts/pace.ts';
import { highestClock } from '../ledger/schema/facts.ts';
import { noteEnded } from './batches/enforce-guards.ts';
import { pauseAccount } from './batches/pausing.ts';
import { makeLateBatches } from './forecast/late-batches.ts';
import { runLoops } from './loops.ts';
import { makeGateKeeper } from './pacing/gate-keeper.ts';
import { makeReadTrouble } from './pacing/read-trouble.ts';
import { keysProvedFrom, noteKeyScope } from './payments/key-age.ts';
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
import { makeWakes, type Wake } from './runner/wake.ts';

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
   * Works until nothing is left that time alone would move within `patienceMs`, or until `stop`. With infinite
   * patience it works until `stop`, and takes up what other processes approve and what webhooks tell. With `batchIds`,
   * it ends once only those batches have nothing left; it works on the others until then. Rejects if it loses the
   * ledger or the hold on the account, and sends nothing after that.
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

export function makeAccountRunner(injected: EngineDeps, options: RunnerOptions): AccountRunner {
  const stopping = new AbortController();
  let context: RunnerContext | null = null;
  const wakeAll = () => {
    for (const wake of Object.values(context?.wakes ?? {}) as Wake[]) wake.wake();
  };
  const stop = () => {
    stopping.abort();
    void injected.limiter.stop();
    wakeAll();
  };
  return {
    stop,
    nudge() {
      context?.picker.rescan();
      wakeAll();
    },
    hint: () => context?.wakes.webhook.wake(),
    isWorking: () => context !== null && !stopping.signal.aborted,
    async run(patienceMs, batchIds) {
      assert(context === null, 'a runner runs once');
      context = await openContext(injected, options, stopping.signal);
      options.onTaken?.();
      try {
        await runLoops(context, { patienceMs, batchIds, rereads: options.rereads ?? false }, stop);
        // With all that was under way at last, for the program after this one; where that has the account already, it
        // does without.
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
  const highestSeenMs = await highestClock(deps.db);
  const clock = steadyClock(deps.clock, highestSeenMs);
  const { account, holder, isDead, mark = null, restored = false } = options;
  const { leaseTtlMs: ttlMs } = deps.settings;
  const lease = await takeAccount(deps.db, clock, { account, holder, isDead, ttlMs, mark, restored });
  logTakeover(deps.log, account, lease);
  const unitOptions = { clock, actor: 'engine', fence: lease.fence };
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
    keysProvedFrom: keysProvedFrom(wallMs, highestSeenMs),
    keyScopeFrom: await noteKeyScope(deps, account, clock.now()),
    committer: makeCommitter(deps.db, unitOptions, ({ ended, written }) => {
      context.followed.note(written);
      if (ended.length > 0) noteEnded(context, ended);
      wakes.supervise.wake();
    }),
    followed: makeFollowed(),
    gate,
    readTrouble: makeReadTrouble({ ...deps, clock, gate, pauseAccount: (...why) => pauseAccount(context, ...why) }),
    late: makeLateBatches(account, clock),
    settlementStats: makeSettlementStats(),
    picker: makePicker(deps.db, clock, {
      sameNumberSpacingMs: deps.gateway.policy.sameNumberSpacingMs,
      lastSendTimeTo: (phoneNumber) => lastSendTimeTo(deps.db, account, phoneNumber),
    }),
    wakes,
    batches: makeOpenBatches(),
    stopping,
    pauseAccount: (reason, detail) => pauseAccount(context, reason, detail),
  };
  gate.restore(await storedThrottleOf(deps.db, account));
  await restoreThroughput(context);
  return context;
}
