import { z } from 'zod';
import { isoOrNull } from '../../core/time/clock.ts';
import { type AccountGate, gateReasons } from '../../engine/pacing/account-gate.ts';
import { lastBalances } from '../../ledger/accounts/gauges.ts';
import { embeddedSandboxService } from '../../ledger/batches/batches.ts';
import { balanceOf } from '../../reports/summary/stored.ts';
import { servedAccounts } from '../../runtime/accounts/served-accounts.ts';
import { accountNow } from '../base/account-now.ts';
import { balanceJson } from '../base/balance-json.ts';
import { accountName, balance, isRehearsal, time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { isVisible } from '../base/visible.ts';

const why = z.enum(gateReasons);

/** Whether an account may send now. */
const gate = z.strictObject({
  is_open: z.boolean(),
  /** The cause that must end first; null if the gate is open. */
  why: why.nullable(),
  /** When it opens by itself; null if that is not known. */
  until: time.nullable(),
  causes: z.array(z.strictObject({ why, since: time.nullable(), until: time.nullable() })),
});

/** Lists the accounts that the caller may see: whether each may send now, and its balance when last read. */
export const listAccounts = defineOperation({
  name: 'list-accounts',
  role: 'audit',
  ledger: 'read',
  showsOnlyVisible: true,
  input: z.strictObject({}),
  result: z.strictObject({
    accounts: z.array(
      z.strictObject({
        account: accountName,
        version: z.enum(['V1', 'V2']),
        /** The address of the service. */
        service: z.string(),
        is_rehearsal: isRehearsal,
        /** The process that works for it now (`host/pid/start`), or null if there is none. */
        worker: z.string().nullable(),
        gate,
        /** When a batch began or ended last; null if it was never read. `read-balance` reads it anew. */
        balance: balance.nullable(),
      }),
    ),
  }),
  async run({ session }) {
    const { config, db } = session;
    const stored = new Map((await lastBalances(db)).map(({ account, balance: text }) => [account, text]));
    const visible = [...servedAccounts(config)].filter(([account]) => isVisible(session, account));
    const accounts = visible.map(async ([account, settings]) => {
      const { worker, gate: now } = await accountNow(session, account);
      const read = balanceOf(stored.get(account) ?? null);
      return {
        account,
        version: settings?.version === 'v1' ? ('V1' as const) : ('V2' as const),
        service: settings?.baseUrl ?? embeddedSandboxService,
        is_rehearsal: settings === null,
        worker,
        gate: gateJson(now),
        balance: read && balanceJson(read),
      };
    });
    return { accounts: await Promise.all(accounts) };
  },
});

function gateJson(now: AccountGate): z.output<typeof gate> {
  if (now.isOpen) return { is_open: true, why: null, until: null, causes: [] };
  const causes = now.causes.map(({ why, since, until }) => ({ why, since: isoOrNull(since), until: isoOrNull(until) }));
  return { is_open: false, why: now.why, until: isoOrNull(now.until), causes };
}
