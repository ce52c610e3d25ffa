import { z } from 'zod';
import { balancesRead } from '../../ledger/accounts/gauges.ts';
import { balanceOf } from '../../reports/summary/stored.ts';
import { balanceJson } from '../base/balance-json.ts';
import { accountName, balance } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** The most batches whose balances are listed. */
const batchesMax = 500;

/** Lists the balances of an account, as read each time that a batch of it began or ended, the oldest first. */
export const listBalances = defineOperation({
  name: 'list-balances',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({ account: accountName, limit: z.int().min(1).max(batchesMax).default(batchesMax) }),
  result: z.strictObject({ account: accountName, balances: z.array(balance) }),
  async run({ session: { db } }, { account, limit }) {
    const stored = (await balancesRead(db, account, limit)).flatMap((one) => [one.balance_before, one.balance_after]);
    const read = stored.map(balanceOf).filter((one) => one !== null);
    return { account, balances: read.sort((a, b) => a.readAt - b.readAt).map(balanceJson) };
  },
});
