import { type Random, withJitter } from '../../core/basics/random.ts';
import type { PauseReason } from '../../core/state/batch-state.ts';
import { refusedByService, type Why } from '../../core/state/pause-texts.ts';
import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { ReadProblem } from '../../gateway/contract/gateway.ts';
import type { GateKeeper } from './gate-keeper.ts';

/** An outage affects many reads, so it is logged at most this often. */
const troubleLogEveryMs = 60_000;

/**
 * A lookup without an answer: after this time a person decides. The wait between two attempts is this share of the time
 * so far, up to a maximum.
 */
export const unansweredMsMax = 24 * 3_600_000;
const unansweredShare = 0.1;
const unansweredWaitMsMax = 5 * 60_000;

/** How long to wait (ms) before the next attempt of a read without an answer; at least `waitMs`. */
export function unansweredWaitMs(elapsedMs: number, waitMs: number): number {
  return Math.round(Math.max(waitMs, Math.min(elapsedMs * unansweredShare, unansweredWaitMsMax)));
}

/**
 * Handles a failed read and returns how long to wait (ms) before the next one: a read changes nothing, so it is
 * repeated. Rejected credentials pause the account, because a payment would be refused in the same way.
 */
export type ReadTrouble = (problem: ReadProblem) => Promise<number>;

export interface ReadTroubleDeps {
  gate: Pick<GateKeeper, 'throttled'>;
  pauseAccount: (reason: PauseReason, why: Why) => Promise<void>;
  clock: Pick<Clock, 'monotonic'>;
  random: Random;
  log: Log;
  settings: { readRetryMs: number; unreachableWaitMsMax: number };
}

export function makeReadTrouble(deps: ReadTroubleDeps): ReadTrouble {
  const { gate, clock, log, settings } = deps;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return async (problem) => {
    if (problem.kind === 'throttled') return gate.throttled('read', problem);
    const { code, requestId } = problem.evidence;
    if (problem.kind === 'account_blocked') {
      await deps.pauseAccount(problem.reason, refusedByService(problem.evidence));
      return settings.unreachableWaitMsMax;
    }
    const now = clock.monotonic();
    if (now - loggedAt >= troubleLogEveryMs) {
      log.warn('a read got no answer; airbatch asks again', { code, request_id: requestId });
      loggedAt = now;
    }
    return withJitter(settings.readRetryMs, deps.random);
  };
}
