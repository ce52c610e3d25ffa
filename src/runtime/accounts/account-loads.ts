import { accountsWithWork } from '../../ledger/accounts/accounts-with-work.ts';
import { heldLeases } from '../../ledger/schema/lease-table.ts';
import { makeClassPlan } from '../../limiter/classes.ts';
import type { Session } from '../session/session.ts';
import type { AccountConfig } from '../settings/account-config.ts';
import type { Accounts } from './served-accounts.ts';

/** An account without work costs a worker some hundredths of what a payment a minute costs. It still counts. */
const idleLoad = 1;

/**
 * How much work each account is now, and who holds its lease (null: nobody). The work is the number of payments that
 * the account may send in a minute, if it has anything to do.
 */
export async function accountLoads(
  { db, clock }: Pick<Session, 'db' | 'clock'>,
  accounts: Accounts,
): Promise<Map<string, { load: number; holder: string | null }>> {
  const working = await accountsWithWork(db);
  const leases = await heldLeases(db, clock.now());
  return new Map(
    [...accounts].map(([name, account]) => [
      name,
      { load: working.has(name) ? paymentsPerMinute(account) : idleLoad, holder: leases.get(name)?.holder ?? null },
    ]),
  );
}

function paymentsPerMinute(account: Pick<AccountConfig, 'version' | 'limits'> | null): number {
  const { limit, windowMs } = makeClassPlan(account?.version ?? 'v2', account?.limits).limits.creation;
  return (limit * 60_000) / windowMs;
}
