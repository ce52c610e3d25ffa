import { isoTime } from '../core/clock.ts';
import { keptWait, type ToldWait } from '../core/told-wait.ts';
import type { Asking } from '../engine/ask-as-told.ts';
import { notedWait } from '../ledger/pace.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { accountLog } from './log.ts';
import type { Session } from './session.ts';

/** The part of an account that throttling needs. */
export interface WaitingAccount {
  name: string;
  limiter: Limiter;
}

/** Applies a throttle that another program stored for the account to the requests of this one. */
export async function holdAsNoted(
  account: WaitingAccount,
  session: Pick<Session, 'db' | 'clock' | 'log'>,
): Promise<void> {
  const now = session.clock.now();
  const told = keptWait(await notedWait(session.db, account.name), now);
  // If its runner works in this program, the limiter knows already.
  if (told === null || account.limiter.isHeld('creation')) return;
  account.limiter.hold('creation', told.until - now);
  logWait(account, session, told);
}

/** What requests outside the runner need (engine/ask-as-told.ts): stored throttles apply, and waits are logged. */
export async function askingFor<Account extends WaitingAccount>(
  account: Account,
  session: Pick<Session, 'db' | 'clock' | 'log'>,
): Promise<Account & Pick<Asking, 'onWait'>> {
  await holdAsNoted(account, session);
  return { ...account, onWait: (told) => logWait(account, session, told) };
}

export function logWait(
  { name }: Pick<WaitingAccount, 'name'>,
  { log }: Pick<Session, 'log'>,
  { until, saidMs }: ToldWait,
): void {
  accountLog(log, name).warn('the service tells the account to wait, and is asked again then', {
    until: isoTime(until),
    retry_after_ms: saidMs,
  });
}
