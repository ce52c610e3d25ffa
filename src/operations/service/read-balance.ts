import { z } from 'zod';
import { balanceJson } from '../base/balance-json.ts';
import { accountName, balance, isRehearsal } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { ask } from './ask-service.ts';

/** Reads the present balance of an account from the service, wallet by wallet. */
export const readBalance = defineOperation({
  name: 'read-balance',
  role: 'audit',
  ledger: 'read',
  input: z.strictObject({ account: accountName.optional() }),
  result: balance.extend({
    account: accountName,
    service: z.string(),
    is_rehearsal: isRehearsal,
  }),
  run: ({ session, withAccount }, input) =>
    withAccount(input.account, async (opened) => {
      const { balance: read } = await ask(session, opened, 'balance', () => opened.gateway.balance());
      const { name: account, service, isSandbox: is_rehearsal } = opened;
      return { account, service, is_rehearsal, ...balanceJson(read) };
    }),
});
