import { isIP } from 'node:net';
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

/**
 * Attempts from a network address. Whoever has one IPv6 address has the 2^64 of its network, so that they count
 * together.
 */
export function fromAddress(address: string): Attempted {
  return { kind: 'address', subject: isIP(address) === 6 ? networkOf(address) : address };
}

function networkOf(address: string): string {
  // An IPv4 address, at a socket for both.
  const [, mapped = null] = /^::ffff:([0-9.]+)$/i.exec(address) ?? [];
  if (mapped !== null) return mapped;
  const [first = [], last = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  const groups = [...first, ...zeros, ...last].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}

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
