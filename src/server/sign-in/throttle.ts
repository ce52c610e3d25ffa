import type { Clock } from '../../core/time/clock.ts';
import {
  type Attempted,
  type AttemptRules,
  beginAttempt,
  succeedAttempt,
} from '../../ledger/access/sign-in-attempts.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { Refused } from '../base/problem.ts';

/** `free` attempts without a wait; then the wait doubles from one second up to `waitMsMax`. */
function doubling(free: number, waitMsMax: number): AttemptRules {
  const waitMs = (attempts: number) => (attempts < free ? 0 : Math.min(1_000 * 2 ** (attempts - free), waitMsMax));
  return { waitMs, forgottenAfterMs: 60 * 60_000 };
}

/**
 * How guesses are slowed down. Whoever guesses at a name makes its owner wait as well, so that wait is short: a minute
 * allows 1,440 guesses a day, against passwords of 12 characters or more. Somebody who guesses at codes knows the
 * password already, and a code has a million values, so that wait is longer. Many people may share an address.
 */
const rules: Readonly<Record<Attempted['kind'], AttemptRules>> = {
  password: doubling(5, 60_000),
  code: doubling(5, 15 * 60_000),
  address: doubling(30, 15 * 60_000),
};

/** Counts an attempt. Throws `SIGN_IN_THROTTLED` while a wait is imposed. */
export async function tryAt({ db, clock }: { db: Database; clock: Clock }, attempted: Attempted): Promise<void> {
  const now = clock.now();
  const until = await beginAttempt(db, attempted, rules[attempted.kind], now);
  if (until === 0) return;
  const seconds = Math.ceil((until - now) / 1_000);
  throw new Refused('SIGN_IN_THROTTLED', 'There were too many attempts to sign in.', {
    hint: `Try again in ${seconds} s.`,
    retry_after_s: seconds,
  });
}

/** Runs `work`, which counts as a failed attempt until it succeeds. Returns whether it did. */
export async function attempt(
  deps: { db: Database; clock: Clock },
  attempted: readonly Attempted[],
  work: () => Promise<boolean>,
): Promise<boolean> {
  for (const one of attempted) await tryAt(deps, one);
  if (!(await work())) return false;
  for (const one of attempted) await succeedAttempt(deps.db, one);
  return true;
}
